"""Replacements in a text: everything between them stays, and they may not overlap."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.yamltext.lines import delete_lines, insert_lines
from dscov.yamltext.splice import Splice, splice


@settings(derandomize=True, max_examples=300)
@given(
    st.text("ab\n\r", max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text("XY", max_size=3)), max_size=4),
)
def test_what_is_not_replaced_stays(text: str, wanted: list[tuple[int, int, str]]) -> None:
    changes, limit = [], 0
    for start, length, new in sorted(wanted):
        if limit <= start and start + length <= len(text):
            changes.append(Splice(start, start + length, new))
            limit = start + length + 1
    out, here = "", 0
    for change in changes:
        out += text[here : change.start] + change.new
        here = change.end
    assert splice(text, changes) == out + text[here:]


@pytest.mark.parametrize("changes", [[(0, 2, ""), (1, 3, "")], [(2, 1, "")], [(0, 9, "")]])
def test_overlaps_are_errors(changes: list[tuple[int, int, str]]) -> None:
    with pytest.raises(ValueError, match="overlap"):
        splice("abc", [Splice(*change) for change in changes])


@settings(derandomize=True, max_examples=300)
@given(
    st.lists(st.text("ab", max_size=3), min_size=1, max_size=5),
    st.integers(0, 5),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_lines_put_in_and_taken_out_again(lines: list[str], place: int, newline: str, final: bool) -> None:
    text = newline.join(lines) + (newline if final else "")
    starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n"), len(text)]
    at = starts[min(place, len(starts) - 1)]
    new = splice(text, [insert_lines(text, at, ["X", "Y"])])
    assert new.replace("\r\n", "\n").count("X\nY") == 1
    assert new.endswith("\n") == (text.endswith("\n") or (text == "" and at == 0))
    if text and newline in text:
        assert new.count("\n") == new.count(newline)
        start = new.index("X")
        end = start + new[start:].find("Y") + 1
        end = new.find("\n", end) + 1 or len(new)
        assert splice(new, [delete_lines(new, start, end)]) == text
