"""A JSON Patch that applies to nothing but the object it was made for: tests of all it rests on come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dscov.kube.objects import escaped, part, text

Operation = Mapping[str, Any]


def guarded(obj: Mapping[str, Any], patch: Sequence[Operation]) -> list[Operation]:
    """`patch` behind tests of the object's uid and resourceVersion, and of every list or value that it changes.

    The server applies the whole or nothing: one test that fails, and the answer is 422 (RFC 6902, section 5).
    """
    tests: dict[str, Any] = {}
    for field in ("uid", "resourceVersion"):
        if value := text(obj, "metadata", field):
            tests[f"/metadata/{field}"] = value
    for operation in patch:
        tests.setdefault(*_rests_on(obj, str(operation["path"])))
    return [*({"op": "test", "path": path, "value": value} for path, value in tests.items()), *patch]


def _rests_on(obj: Mapping[str, Any], path: str) -> tuple[str, Any]:
    """The whole list that the path goes through, else the first part of it that is absent, else its own value.

    A test for null passes where the path is absent: so the API server has it, beyond the RFC.
    """
    steps = path.split("/")[1:]
    found: Any = obj
    for depth, step in enumerate(steps):
        here = "".join(f"/{done}" for done in steps[:depth])
        if isinstance(found, list):
            return here, found
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or found.get(key) is None:
            return f"{here}/{step}", None
        found = found[key]
    return path, found


def restoring(before: Mapping[str, Any], fields: Sequence[Sequence[str]], *, now: Mapping[str, Any]) -> list[Operation]:
    """The patch that gives each of the `fields` (paths of keys) of `now` its value in `before`, or takes it out."""
    found: list[Operation] = []
    for way in fields:
        pointer = "".join(f"/{escaped(step)}" for step in way)
        old, new = (part(obj, *way[:-1]).get(way[-1]) for obj in (before, now))
        if old is not None:
            found.append({"op": "add", "path": pointer, "value": old})
        elif new is not None:
            found.append({"op": "remove", "path": pointer})
    return found
