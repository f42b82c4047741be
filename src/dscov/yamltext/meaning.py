"""What a tree means, as plain data that can be compared, and what an edit does to that data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dscov.errors import Refused
from dscov.yamltext.document import Node

Path = tuple[str | int, ...]
#: Plain data: dicts, lists and scalars as they are read, of any shape.
Data = Any
END = "-"


@dataclass(frozen=True, slots=True)
class Add:
    """A new value at `path`: a key that is not there, `END` of a list, or in front of the item of that number.

    What is missing above it is made. A new key is best written behind the key `after`, or as the `first` of its map.
    """

    path: Path
    value: Data
    after: str | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class Replace:
    """Another scalar at `path`."""

    path: Path
    value: Data


@dataclass(frozen=True, slots=True)
class Remove:
    """The key or list item at `path` goes."""

    path: Path


Operation = Add | Replace | Remove


@dataclass(frozen=True, slots=True)
class Alias:
    """An alias, compared by its name: what it stands for is compared where the anchor is."""

    name: str


def meaning(node: Node) -> Data:
    """The data of a tree. Keys that are no strings, or are there twice, become tuples, so that nothing is lost."""
    match node.kind:
        case "scalar":
            return node.value
        case "alias":
            return Alias(node.text)
        case "list":
            return [meaning(item) for item in node.items]
    data: dict[Any, Any] = {}
    for key, item in zip(node.keys, node.items, strict=True):
        name = meaning(key)
        unique: Any = name if isinstance(name, str) else (type(name).__name__, repr(name))
        while unique in data:
            unique = ("again", unique)
        data[unique] = meaning(item)
    return data


def resolved(node: Node, anchors: dict[str, Any] | None = None) -> Data:
    """The data of a tree with aliases and merge keys followed, as kubectl reads it; aliased parts are shared."""
    anchors = {} if anchors is None else anchors
    data: Data
    match node.kind:
        case "alias":
            data = anchors.get(node.text)
        case "scalar":
            data = node.value
        case "list":
            data = [resolved(item, anchors) for item in node.items]
        case _:
            data = _resolved_map(node, anchors)
    if node.anchor and node.kind != "alias":
        anchors[node.anchor] = data
    return data


def _resolved_map(node: Node, anchors: dict[str, Any]) -> dict[Any, Any]:
    data: dict[Any, Any] = {}
    for key, item in zip(node.keys, node.items, strict=True):
        inner = resolved(item, anchors)
        if key.text == "<<" and not key.style:
            for source in inner if isinstance(inner, list) else [inner]:
                data = {**source, **data} if isinstance(source, dict) else data
        else:
            data[key.text if key.kind == "scalar" else repr(meaning(key))] = inner
    return data


def applied(data: Data, operation: Operation) -> Data:
    """`data` with `operation` done to it; what is not on its path is shared with the old data."""
    step, rest = operation.path[0], operation.path[1:]
    if rest:
        data = _container(data, step)
        inner = type(operation)(rest, *_arguments(operation))
        return _with(data, step, applied(_get(data, step), inner))
    if isinstance(operation, Remove):
        if isinstance(data, list):
            return [*data[: int(step)], *data[int(step) + 1 :]]
        return {key: value for key, value in data.items() if key != step}
    data = _container(data, step)
    if isinstance(operation, Add) and isinstance(data, list) and isinstance(step, int):
        return [*data[:step], operation.value, *data[step:]]
    return _with(data, step, operation.value)


def _arguments(operation: Operation) -> tuple[Any, ...]:
    match operation:
        case Add(_, value, after, first):
            return value, after, first
        case Replace(_, value):
            return (value,)
        case _:
            return ()


def _container(data: Data, step: str | int) -> Data:
    """`data`, or a new container where it is null or is the empty one of the other kind."""
    wants_list = step == END or isinstance(step, int)
    if data is None or (not data and isinstance(data, dict | list)):
        return [] if wants_list else {}
    if not isinstance(data, dict | list) or (isinstance(data, list) and not wants_list):
        kind = "a list" if isinstance(data, list) else "a single value"
        raise Refused(f"{kind} stands where there would have to be a map with {step}", remedy="Correct it by hand.")
    return data


def _get(data: Data, step: str | int) -> Data:
    return data.get(step) if isinstance(data, dict) else data[int(step)]


def _with(data: Data, step: str | int, value: Data) -> Data:
    if isinstance(data, dict):
        return {**data, step: value}
    if step == END:
        return [*data, value]
    return [*data[: int(step)], value, *data[int(step) + 1 :]]
