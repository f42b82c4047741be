"""Changes of several DaemonSets in one file: one patch of that file, or none."""

from __future__ import annotations

import pytest

from dscov import Change, TextEdit, joined
from dscov.errors import Refused

OLD = b"one: 1\ntwo: 2\nthree: 3\n"


def change(name: str, new: bytes, path: str = "a.yaml") -> Change:
    return Change(name, (TextEdit(path, OLD, new),))


def test_parts_that_lie_apart_are_all_changed() -> None:
    (both,) = joined([change("x", b"one: 9\ntwo: 2\nthree: 3\n"), change("y", b"one: 1\ntwo: 2\nthree: 3\nfour: 4\n")])
    assert both.edits[0].new == b"one: 9\ntwo: 2\nthree: 3\nfour: 4\n"
    assert both.edits[0].old == OLD


def test_the_same_change_counts_once_and_other_files_are_left_alone() -> None:
    same = b"one: 1\ntwo: 2\nthree: 4\n"
    found = joined([change("x", same), change("y", same), change("z", same, path="b.yaml")])
    assert [(one.name, one.edits[0].path, one.edits[0].new) for one in found] == [
        ("x y", "a.yaml", same),
        ("z", "b.yaml", same),
    ]


def test_the_same_place_changed_otherwise_is_refused() -> None:
    with pytest.raises(Refused, match=r"a\.yaml: several DaemonSets"):
        joined([change("x", b"one: 8\ntwo: 2\nthree: 3\n"), change("y", b"one: 9\ntwo: 2\nthree: 3\n")])
