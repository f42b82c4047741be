"""Patterns that are compiled late are right all the same."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import dscov
from dscov.patterns import Lazy, pattern


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.search("")
    word = pattern(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert word.fullmatch("Node")["word"] == "Node"  # type: ignore[index]
    assert [word.findall("a b"), word.sub("x", "a b"), word.groupindex["word"]] == [["a", "b"], "x x", 1]
    assert pattern(b"[0-9]+").findall(b"1 22") == [b"1", b"22"]


def test_every_pattern_of_the_engine_compiles() -> None:
    found = [one for name in modules() for value in vars(import_module(name)).values() for one in within(value)]
    assert len(found) > 50
    for one in found:
        assert one.pattern


def modules() -> Iterator[str]:
    """Every module of the engine."""
    return (module.name for module in pkgutil.walk_packages(dscov.__path__, "dscov."))


def within(value: Any) -> Iterator[Lazy]:
    """The patterns in a value of a module, also those in its tables."""
    if isinstance(value, Lazy):
        yield value
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from within(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from within(each)
