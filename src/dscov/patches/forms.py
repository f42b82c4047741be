"""One change as patches for other tools: JSON Patch with guards, strategic merge with whole lists, kustomize."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from dscov.patches.fields import value_at
from dscov.yamltext.meaning import END, Add, Data, Operation, Path, Remove, applied
from dscov.yamltext.phrase import BlockHand, block_entry, block_item


def json_patch(before: Data, changes: Sequence[Operation]) -> list[dict[str, Any]]:
    """RFC 6902 operations for `changes` on an object that is `before`; first a test of everything they rest on.

    A test for null passes where the path is absent: so kubectl and kustomize have it, beyond the RFC.
    """
    tests: dict[str, Any] = {}
    steps: list[dict[str, Any]] = []
    data = before
    for change in changes:
        tests.setdefault(*_guard(before, change.path))
        steps.append(_step(data, change))
        data = applied(data, change)
    return [{"op": "test", "path": path, "value": value} for path, value in tests.items()] + steps


def _guard(before: Data, path: Path) -> tuple[str, Any]:
    """The list that `path` goes through, else the first part of it that is absent, else its own value."""
    data = before
    for depth, step in enumerate(path):
        if isinstance(data, list):
            return pointer(path[:depth]), data
        if not isinstance(data, dict) or data.get(str(step)) is None:
            return pointer(path[: depth + 1]), None
        data = data[str(step)]
    return pointer(path), data


def _step(data: Data, change: Operation) -> dict[str, Any]:
    if isinstance(change, Remove):
        return {"op": "remove", "path": pointer(change.path)}
    value: Data = change.value
    path = change.path
    depth = next((i for i in range(len(path)) if value_at(data, path[: i + 1]) in (None, {}, [])), len(path))
    for step in reversed(path[depth + 1 :]):
        value = [value] if step == END else {step: value}
    op = "add" if isinstance(change, Add) else "replace"
    return {"op": op, "path": pointer(path[: depth + 1]), "value": value}


def pointer(path: Path) -> str:
    """A path as RFC 6901 writes it."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def strategic(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """A strategic merge patch from `before` to `after`: maps are merged, lists come whole, null takes a key out.

    The lists that edits change (tolerations, nodeSelectorTerms and what is in them) are atomic to the API server.
    """
    names = ("name", "namespace")
    metadata = {name: before["metadata"][name] for name in names if before.get("metadata", {}).get(name) is not None}
    head = {"apiVersion": before.get("apiVersion", "apps/v1"), "kind": "DaemonSet", "metadata": metadata}
    return {**head, **_merge({"spec": before.get("spec") or {}}, {"spec": after.get("spec") or {}}, {"spec": {}})}


def _merge(old: dict[str, Any], new: dict[str, Any], empty: dict[str, Any] | None = None) -> dict[str, Any]:
    """The least map that turns `old` into `new` when it is merged; `empty` where there is no difference."""
    patch: dict[str, Any] = {}
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        if was == now and type(was) is type(now):
            continue
        patch[key] = _merge(was, now) if was and isinstance(was, dict) and isinstance(now, dict) else now
    return patch or empty or {}


def kustomize_entry(before: dict[str, Any], changes: Sequence[Operation], *, target: Mapping[str, str]) -> str:
    """An entry for `patches:` of a kustomization.yaml, with the guarded JSON Patch inline."""
    return kustomize_of(target, json_patch(before, changes)) if changes else "patches: []\n"


def kustomize_of(target: Mapping[str, str], patch: Sequence[dict[str, Any]]) -> str:
    """The same for operations of RFC 6902."""
    lines = patch_lines(patch)
    head = block_item({"target": dict(target)}, col=0, hand=BlockHand())
    return "\n".join(["patches:", *head, "  patch: |-", *("    " + line for line in lines)]) + "\n"


def target_of(data: dict[str, Any]) -> dict[str, str]:
    """The kustomize target of a DaemonSet; name and namespace are regular expressions there."""
    metadata = data.get("metadata") or {}
    found = {
        name: re.escape(str(metadata[name])).replace("\\-", "-") for name in ("name", "namespace") if metadata.get(name)
    }
    return {"kind": "DaemonSet", **found}


def patch_lines(patch: Sequence[dict[str, Any]]) -> list[str]:
    """A JSON Patch as lines of YAML."""
    return [line for step in patch for line in block_item(step, col=0, hand=BlockHand())]


def yaml_lines(data: dict[str, Any]) -> list[str]:
    """A map as lines of YAML."""
    return [line for key, value in data.items() for line in block_entry(key, value, col=0, hand=BlockHand())]


def json_text(data: Data) -> str:
    """Indented JSON with a final newline."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
