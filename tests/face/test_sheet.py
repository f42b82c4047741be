"""Where lines are broken: at blanks, within the terminal, in one place for all that people read."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance.command import run

from kubectl_dscov.render.sheet import Sheet

TEXT = "taint node-role.kubernetes.io/control-plane:NoSchedule is not tolerated"
SHOP = ["--from", str(Path(__file__).parents[2] / "examples" / "shop")]


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ("40", ["- taint", "  node-role.kubernetes.io/control-plane:NoSchedule", "  is not tolerated"]),
        ("5", ["- taint", "  node-role.kubernetes.io/control-plane:NoSchedule", "  is not tolerated"]),
        ("500", [f"- {TEXT}"]),
    ],
)
def test_words_stay_whole(columns: str, wanted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert list(Sheet().wrapped(TEXT, "- ", "  ")) == [f"{line}\n" for line in wanted]


def test_no_line_is_wider_than_a_wide_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    assert max(map(len, Sheet().wrapped("a b " * 100))) <= 121


def test_colour_ends_with_its_line() -> None:
    assert list(Sheet(colour=True, width=20).wrapped("a " * 12, style="red")) == [
        "\x1b[31ma a a a a a a a a a\x1b[0m\n",
        "\x1b[31ma a\x1b[0m\n",
    ]


@pytest.mark.parametrize("words", [["fix", "-A"], ["diagnose", "-A"], ["explain", "ds/log-agent", "node/gpu-1"]])
@pytest.mark.parametrize("columns", [30, 60])
def test_every_report_keeps_to_a_narrow_terminal(
    words: list[str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for single words, and for commands and diffs to copy."""
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run([*words, *SHOP]).stdout.partition("--- a/live")[0].splitlines()
    wide = [line for line in lines if len(line) > columns and len(line.split()) > 2 and "kubectl" not in line]
    assert lines
    assert wide == []
