"""Replacements in a text: they never overlap and are made from right to left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def splice(text: str, changes: Iterable[Splice]) -> str:
    """`text` with all `changes` made; ValueError where two of them overlap."""
    limit = len(text)
    for change in sorted(changes, reverse=True):
        if not 0 <= change.start <= change.end <= limit:
            raise ValueError("changes overlap")
        text = text[: change.start] + change.new + text[change.end :]
        limit = change.start
    return text
