"""Patches of several findings on one DaemonSet, made so that each applies alone and all apply one after another.

A patch that adds a list or map which is not there yet would undo an earlier one that adds it too. So all of them add
what they want together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Operation = Mapping[str, Any]
Patch = tuple[Operation, ...]


def together(patches: Sequence[Patch]) -> tuple[Patch, ...]:
    """The patches in their order, with equal places filled alike."""
    patches = _whole_terms(patches)
    wanted: dict[str, Any] = {}
    for operation in (operation for patch in patches for operation in patch):
        path, value = operation["path"], operation.get("value")
        if _makes_a_place(operation):
            wanted[path] = _united(wanted[path], value) if path in wanted else value
    return tuple(
        tuple({**one, "value": wanted[one["path"]]} if _makes_a_place(one) else one for one in patch)
        for patch in patches
    )


def _whole_terms(patches: Sequence[Patch]) -> Sequence[Patch]:
    """Where one patch makes one term of all terms of an affinity, every other change of a term is made in that one."""
    every = [operation for patch in patches for operation in patch]
    merged = next((one for one in every if one["op"] == "replace" and one["path"].endswith("/nodeSelectorTerms")), None)
    if merged is None:
        return patches
    below = f"{merged['path']}/"
    more = [one["value"] for one in every if one["path"].startswith(below) and one["op"] == "add"]
    added = [entry for value in more for entry in (value if isinstance(value, list) else [value])]
    entries = _united(merged["value"][0]["matchExpressions"], added)
    whole = {**merged, "value": [{"matchExpressions": entries}]}
    return tuple(
        tuple(
            {id(one): one for one in (whole if f"{one['path']}/".startswith(below) else one for one in patch)}.values()
        )
        for patch in patches
    )


def _makes_a_place(operation: Operation) -> bool:
    fills = isinstance(operation.get("value"), (list, Mapping))
    return operation["op"] == "add" and fills and not operation["path"].endswith("/-")


def _united(a: Any, b: Any) -> Any:
    """Maps key by key and lists entry after entry; terms of an affinity are ORed, so their entries go into one."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return {key: _both(key, a, b) for key in (*a, *(key for key in b if key not in a))}
    if isinstance(a, list) and isinstance(b, list):
        joint = [*a, *b]
        return [entry for i, entry in enumerate(joint) if entry not in joint[:i]]
    return b


def _both(key: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Any:
    if key not in a or key not in b:
        return a.get(key, b.get(key))
    if key == "nodeSelectorTerms":
        return [_united(one, other) for one in a[key] for other in b[key]]
    return _united(a[key], b[key])
