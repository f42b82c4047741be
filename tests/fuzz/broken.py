"""Ways to break a saved cluster, with fixed seeds: nothing here is left to chance."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

#: Texts that steer a terminal, reorder or break lines, or cannot be encoded. INJECTED must never begin a line.
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "line\nINJECTED",
    "line\r\nINJECTED",
    "null\x00byte",
    "\x9b31mred",
    "a\u202egnp.exe",
    "\u2028INJECTED",
    "\ud800",
    "tab\there|pipe|`tick`",
    "<script>alert(1)</script>",
    "\x7f\x08\x08",
)
#: Values of every type, small and absurd.
STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    10**400,
    1.5,
    1e308,
    "",
    "x" * 100_000,
    "9" * 5_000,
    "1e999999999",
    "99999-99-99T99:99:99Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "200%",
    "%",
    [],
    [None],
    [[]],
    {},
    {"": None},
    [{"key": None, "operator": 5, "values": "abc", "effect": {}}],
)

Change = Callable[[random.Random, Any, Any], None]


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a document, depth first."""
    stack = [document]
    while stack:
        found = stack.pop()
        keys = list(found) if isinstance(found, dict) else range(len(found))
        for key in keys:
            yield found, key
            if isinstance(found[key], dict | list):
                stack.append(found[key])


def drop(chance: random.Random, container: Any, key: Any) -> None:
    del container[key]


def nothing(chance: random.Random, container: Any, key: Any) -> None:
    container[key] = None


def strange(chance: random.Random, container: Any, key: Any) -> None:
    container[key] = copy.deepcopy(chance.choice(STRANGE))


def hostile(chance: random.Random, container: Any, key: Any) -> None:
    container[key] = chance.choice(HOSTILE)


def swapped(chance: random.Random, container: Any, key: Any) -> None:
    """The same content in another type."""
    old = container[key]
    if isinstance(old, str):
        container[key] = chance.choice([[old], {old: old}, len(old), repr(old)])
    elif isinstance(old, dict):
        container[key] = chance.choice([list(old.items()), str(old), list(old.values())])
    elif isinstance(old, list):
        container[key] = chance.choice([dict(enumerate(map(str, old))), str(old), old[:1][0] if old else None])
    else:
        container[key] = chance.choice([str(old), [old], {"value": old}])


def renamed(chance: random.Random, container: Any, key: Any) -> None:
    """A key that is not what it was; in a list an element twice."""
    if isinstance(container, list):
        container.append(copy.deepcopy(container[key]))
    else:
        container[chance.choice((*HOSTILE, str(key).upper(), f"{key} "))] = container.pop(key)


CHANGES: tuple[Change, ...] = (drop, nothing, strange, hostile, swapped, renamed)


def mutated(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """A copy of the document with one to six changes."""
    chance = random.Random(seed)
    made = copy.deepcopy(document)
    for _ in range(chance.randint(1, 6)):
        found = list(places(made))
        if not found:
            break
        container, key = chance.choice(found)
        change = chance.choice(CHANGES)
        change(chance, container, key)
    return made


def hostile_names(document: dict[str, Any], text: str) -> dict[str, Any]:
    """A copy with the text in every name, label, taint, reason and message."""
    made = copy.deepcopy(document)
    told = {"name", "namespace", "nodeName", "key", "value", "effect", "operator", "reason", "message", "image", "type"}
    for container, key in list(places(made)):
        if isinstance(container, dict) and key in told and isinstance(container[key], str):
            container[key] += text
    return made


def cuts(size: int, count: int = 200) -> list[int]:
    """So many lengths below the size: the ends, and evenly between them."""
    return sorted({position * (size - 1) // (count - 1) for position in range(count)})
