"""The line that says what was read: on a terminal, and only where it takes its time."""

import io
import time

import pytest

from kubectl_dscov import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(stream, monkeypatch, *, patience):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress, "PERIOD", 0.01)
    with progress.shown_on(stream) as tell:
        tell("500 pods")
        tell("40 nodes")
        tell("1000 pods")
        time.sleep(0.1)
        deadline = time.monotonic() + 10
        while patience < 1 and stream.isatty() and not stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    return stream.getvalue()


def test_the_newest_number_of_each_thing_and_then_nothing(monkeypatch):
    text = shown(Terminal(), monkeypatch, patience=0)
    assert "\rreading the cluster: 1000 pods, 40 nodes " in text
    assert text.rpartition("\r")[2] == "", "the line is wiped out"
    assert text.split("\r")[-2].strip() == ""


@pytest.mark.parametrize(("stream", "patience"), [(io.StringIO(), 0), (Terminal(), 60)])
def test_no_terminal_or_no_delay_no_line(stream, patience, monkeypatch):
    assert shown(stream, monkeypatch, patience=patience) == ""


def test_a_long_line_is_cut_to_one(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.shown_on(stream) as tell:
        for number in range(40):
            tell(f"1 thing-{number}")
        time.sleep(0.05)
    assert max(len(line) for line in stream.getvalue().split("\r")) <= 78
