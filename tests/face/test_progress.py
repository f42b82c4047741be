"""The line that says what was read: on a terminal, and only where it takes its time."""

import contextlib
import io
import time
from pathlib import Path

import pytest

from face.fix import fix
from kubectl_dscov import progress

SHOP = Path(__file__).parents[2] / "examples" / "shop"


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


def test_planning_tells_the_daemonset_it_is_at(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    terminal = Terminal()
    with progress.shown_on(terminal, "planning") as tell:
        tell("3 of 60 DaemonSets")
        tell("4 of 60 DaemonSets")
        deadline = time.monotonic() + 10
        while "4 of 60" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "\rplanning: 4 of 60 DaemonSets " in terminal.getvalue()


def test_fix_tells_how_far_its_planning_is(monkeypatch):
    told = []

    @contextlib.contextmanager
    def shown_on(_stream, what):
        told.append(what)
        yield told.append

    monkeypatch.setattr("kubectl_dscov.fixing.proposals.shown_on", shown_on)
    assert fix("-A", "--from", SHOP, "-o", "json").code == 1
    assert told == ["planning", *(f"{number} of {len(told) - 1} DaemonSets" for number in range(1, len(told)))]
    assert len(told) > 10


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
