"""What a patch of a DaemonSet would do: the same oracle, asked about the patched template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import msgspec

from dscov.kube.objects import steps_of
from dscov.kube.placement import Template, place
from dscov.kube.requirements import Requirement
from dscov.model.classes import entries_in
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Effect
from dscov.model.world import World, once
from dscov.sources import decode, wire

Operation = Mapping[str, Any]


def effect_of(world: World, daemonset: DaemonSet, patch: Sequence[Operation]) -> Effect:
    """Nodes gained and lost, and pods restarted, by a patch (RFC 6902: add, replace, remove, test).

    ValueError where the patch does not apply, or what it makes is no DaemonSet.
    """
    after = patched(daemonset, patch)
    gains, loses = _moved(world, daemonset, after)
    return Effect(gains, loses, _restarts(world, daemonset, after))


def _moved(world: World, daemonset: DaemonSet, after: DaemonSet) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes gained and lost; the same for all DaemonSets of a namespace with these templates."""
    key = ("moved", daemonset.namespace, daemonset.template, after.template)
    return once(world, key, lambda: _compared(world, daemonset, after))


def _compared(world: World, daemonset: DaemonSet, after: DaemonSet) -> tuple[tuple[str, ...], tuple[str, ...]]:
    project = world.projects.get(daemonset.namespace, ())
    tells_apart = _new_keys(daemonset.template, after.template)
    gains: list[str] = []
    loses: list[str] = []
    answers: dict[object, bool] = {}
    for node in world.snapshot.nodes if after.template != daemonset.template else ():
        kind = world.class_of[node.name], tuple(map(node.labels.get, tells_apart)), "" in tells_apart and node.name
        if kind not in answers:
            now = place(after.template, name=node.name, labels=node.labels, taints=node.taints, project=project)
            answers[kind] = now.should_run
        if answers[kind] != world.placement(daemonset, node).should_run:
            (gains if answers[kind] else loses).append(node.name)
    return tuple(sorted(gains)), tuple(sorted(loses))


def _new_keys(before: Template, after: Template) -> tuple[str, ...]:
    """The labels that only the patched template selects on, or for other values; an empty one for the node's name.

    Classes are made for the templates that are there: such labels tell the nodes of a class apart.
    """
    fresh = set(entries_in(after)) - set(entries_in(before))
    keys = {entry.key if isinstance(entry, Requirement) else "" for entry in fresh}
    return tuple(sorted(keys | ({""} if after.node_name != before.node_name else set())))


def _restarts(world: World, daemonset: DaemonSet, after: DaemonSet) -> int:
    """Pods that the controller replaces because of the patch: all there are, where the template changes and rolls."""
    rolls = after.strategy.type == "RollingUpdate"
    changes = _template(daemonset.obj) != _template(after.obj)
    return sum(len(pods) for pods in world.pods_by_node(daemonset).values()) if rolls and changes else 0


def _template(obj: Mapping[str, Any]) -> Any:
    return (obj.get("spec") or {}).get("template")


def patched(daemonset: DaemonSet, patch: Sequence[Operation]) -> DaemonSet:
    """The DaemonSet as it would be; ValueError where the patch does not apply or its result is no DaemonSet."""
    obj = deepcopy(dict(daemonset.obj))
    for operation in patch:
        # Later operations may change what an earlier one put in.
        _apply(obj, deepcopy(dict(operation)))
    try:
        return decode.daemonset(msgspec.convert(obj, wire.DaemonSet), obj)
    except msgspec.ValidationError as problem:
        raise ValueError(f"the patch makes no DaemonSet: {problem}") from problem


def _apply(obj: dict[str, Any], operation: Operation) -> None:
    *way, last = steps_of(str(operation["path"]))
    place_of: Any = obj
    try:
        for part in way:
            place_of = place_of[_index(part)] if isinstance(place_of, list) else place_of[part]
        if isinstance(place_of, list):
            _in_list(place_of, len(place_of) if last == "-" else _index(last), operation)
        else:
            _in_object(place_of, last, operation)
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise ValueError(f"the patch does not apply at {operation['path']}") from problem


def _index(text: str) -> int:
    """A place in a list as RFC 6901 writes it: no sign, no leading zero."""
    if not text.isdecimal() or text != str(int(text)):
        raise ValueError(f"{text!r} is no place in a list")
    return int(text)


def _in_list(items: list[Any], index: int, operation: Operation) -> None:
    match operation["op"]:
        case "add":
            if index > len(items):
                raise IndexError(index)
            items.insert(index, operation["value"])
        case "replace":
            items[index] = operation["value"]
        case "remove":
            del items[index]
        case "test":
            if items[index] != operation["value"]:
                raise ValueError("a test of the patch fails")
        case other:
            raise ValueError(f"{other!r} is no operation")


def _in_object(members: dict[str, Any], key: str, operation: Operation) -> None:
    match operation["op"]:
        case "remove":
            del members[key]
        case "test":
            if members.get(key) != operation["value"]:
                raise ValueError("a test of the patch fails")
        case "add" | "replace":
            if operation["op"] == "replace" and key not in members:
                raise KeyError(key)
            members[key] = operation["value"]
        case other:
            raise ValueError(f"{other!r} is no operation")
