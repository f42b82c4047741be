"""What a template's tolerations nearly do: the toleration of a taint's key that misses it, and the one to add."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from dscov.kube.placement import Reason
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.world import World

LIST = "/spec/template/spec/tolerations"


def barring_taints(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Taint]:
    """The untolerated taints that bar the node, the deciding one first."""
    return (reason.taint for reason in world.placement(daemonset, node).reasons if reason.taint)


def other_reasons(world: World, daemonset: DaemonSet, node: Node, *kinds: str) -> Iterator[Reason]:
    """The reasons of the given kinds (nodeSelector, nodeAffinity, ...)."""
    return (reason for reason in world.placement(daemonset, node).reasons if reason.kind in kinds)


def near_miss(daemonset: DaemonSet, taint: Taint) -> tuple[str, int] | None:
    """How an own toleration of the taint's key misses it, and its place in the list: "value" or "effect"."""
    for place, own in enumerate(daemonset.template.own_tolerations):
        if own.key not in {"", taint.key}:
            continue
        if own.effect not in {"", taint.effect}:
            if own.operator == "Exists" or own.value == taint.value:
                return "effect", place
        elif own.key and own.operator in {"", "Equal"}:
            return "value", place
    return None


def typo(world: World, daemonset: DaemonSet, taint: Taint) -> int | None:
    """The place of an own toleration that looks like the taint's key misspelt: near, and no taint of its own."""
    for place, own in enumerate(daemonset.template.own_tolerations):
        known = own.key in world.taint_keys or look_up(Taint(own.key)).kind is not Kind.ISOLATION
        if own.key and own.key != taint.key and not known and _alike(own.key, taint.key):
            return place
    return None


def _alike(a: str, b: str) -> bool:
    """Equal but for case and separators, or each part of the key, before and behind the slash, nearly equal."""
    plain_a, plain_b = (re.sub(r"[-_.]", "", text.lower()) for text in (a, b))
    if plain_a.replace("/", "") == plain_b.replace("/", ""):
        return True
    parts_a, parts_b = plain_a.split("/"), plain_b.split("/")
    return len(parts_a) == len(parts_b) and all(map(_nearly, parts_a, parts_b))


def _nearly(a: str, b: str) -> bool:
    """The same letters but for a slip of the pen; a number that differs is no slip."""
    same_numbers = re.sub(r"\D", "", a) == re.sub(r"\D", "", b)
    return a == b or (same_numbers and len(a) > 4 and SequenceMatcher(None, a, b).ratio() > 0.85)


def narrowest(taint: Taint) -> dict[str, str]:
    """The toleration that meets exactly this taint, as an API object with its keys in order."""
    if taint.value:
        return {"effect": taint.effect, "key": taint.key, "operator": "Equal", "value": taint.value}
    return {"effect": taint.effect, "key": taint.key, "operator": "Exists"}


def addition(daemonset: DaemonSet, tolerations: list[dict[str, str]]) -> tuple[Mapping[str, Any], ...]:
    """The JSON patch that adds tolerations: appended where the list is there, else the list itself."""
    if daemonset.template.own_tolerations:
        return tuple({"op": "add", "path": f"{LIST}/-", "value": toleration} for toleration in tolerations)
    return ({"op": "add", "path": LIST, "value": tolerations},)


def mentions_control_plane(daemonset: DaemonSet) -> bool:
    """Whether the template shows that its owner thought of control-plane nodes: by a toleration or a selector."""
    template = daemonset.template
    keys = [toleration.key for toleration in template.own_tolerations]
    keys += [entry.key for entry in template.node_selector]
    keys += [e.key for term in (template.affinity.terms if template.affinity else ()) for e in term.expressions]
    return any(key.startswith("node-role.kubernetes.io/") and key.partition("/")[2] in _CONTROL for key in keys)


_CONTROL = frozenset({"control-plane", "master", "controlplane"})
