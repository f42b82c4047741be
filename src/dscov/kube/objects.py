"""Reading plain API objects whose shape nobody has checked: what is not there, or is of another type, is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

#: A plain API object, as read from JSON.
Object = Mapping[str, Any]


def part(obj: Any, *path: str) -> Object:
    """The object at a path of keys, or an empty one."""
    for key in path:
        obj = obj.get(key) if isinstance(obj, Mapping) else None
    return obj if isinstance(obj, Mapping) else {}


def listed(obj: Any, *path: str) -> Iterator[Object]:
    """The objects of the list at a path of keys."""
    found = part(obj, *path[:-1]).get(path[-1])
    return (one for one in found if isinstance(one, Mapping)) if isinstance(found, list) else iter(())


def text(obj: Any, *path: str) -> str:
    """The string at a path of keys, or the empty one."""
    found = part(obj, *path[:-1]).get(path[-1])
    return found if isinstance(found, str) else ""


def texts(obj: Any, *path: str) -> dict[str, str]:
    """The string values of the object at a path, by key."""
    return {key: value for key, value in part(obj, *path).items() if isinstance(value, str)}


def strings(obj: Any, *path: str) -> tuple[str, ...]:
    """The strings of the list at a path of keys."""
    found = part(obj, *path[:-1]).get(path[-1])
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def name_of(obj: Object) -> str:
    """The name of an object."""
    return text(obj, "metadata", "name")


def key_of(obj: Object) -> str:
    """`namespace/name`."""
    return f"{text(obj, 'metadata', 'namespace') or 'default'}/{name_of(obj)}"


def time(obj: Object, *path: str) -> datetime | None:
    """The time at a path, or None where there is none that can be read."""
    try:
        found = datetime.fromisoformat(text(obj, *path))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def steps_of(pointer: str) -> list[str]:
    """The keys and places of a JSON pointer (RFC 6901)."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
