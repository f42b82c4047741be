"""What a template's tolerations nearly do: the one that was meant for a taint and misses it, and what to make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dscov.kube.placement import Reason
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import BLOCKING, Taint, Toleration, tolerates
from dscov.model.cluster import DaemonSet, Node
from dscov.model.marks import CONTROL_PLANE
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.spelling import alike
from dscov.model.world import World, once

LIST = "/spec/template/spec/tolerations"

#: Taints that only a toleration of exactly that key can be meant for; a near miss of others is no slip.
_BY_NAME = frozenset({Kind.ROLE, Kind.ISOLATION, Kind.STARTUP})

#: The most taints that a sentence names.
_SHOWN = 4


class Slip(msgspec.Struct, frozen=True):
    """An own toleration, by its place in the list, that misses a taint in one thing: its `key`, `value` or `effect`."""

    what: str
    place: int


def barring_taints(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Taint]:
    """The untolerated taints that bar the node, the deciding one first."""
    return (reason.taint for reason in world.placement(daemonset, node).reasons if reason.taint)


def other_reasons(world: World, daemonset: DaemonSet, node: Node, *kinds: str) -> Iterator[Reason]:
    """The reasons of the given kinds (nodeSelector, nodeAffinity, ...)."""
    return (reason for reason in world.placement(daemonset, node).reasons if reason.kind in kinds)


# -- slips --------------------------------------------------------------------------------------------------------


def slip_of(world: World, daemonset: DaemonSet, taint: Taint) -> Slip | None:
    """The own toleration that was meant for an untolerated taint, or None."""
    return once(world, (f"slip {taint}", daemonset.key), lambda: _slip(world, daemonset, taint))


def _slip(world: World, daemonset: DaemonSet, taint: Taint) -> Slip | None:
    entry = look_up(taint)
    # Guesses by the words of a key have no owner.
    if entry.kind not in _BY_NAME and (entry.kind is not Kind.MAINTENANCE or entry.owner):
        return None
    own = list(enumerate(daemonset.template.own_tolerations))
    same_key = [(place, one) for place, one in own if one.key == taint.key]
    for what, tests in (("value", same_key), ("effect", same_key), ("effect", own), ("key", own)):
        for place, one in tests:
            if tolerates(_mended(one, taint, what), taint) and (what != "key" or _is_misspelt(world, one.key, taint)):
                return Slip(what, place)
    return None


def _mended(own: Toleration, taint: Taint, what: str) -> Toleration:
    """The toleration with one thing put right."""
    if what == "value":
        equal = own.operator in {"", "Equal"}
        return msgspec.structs.replace(own, value=taint.value) if equal else own
    return msgspec.structs.replace(own, **{what: getattr(taint, what)})


def _is_misspelt(world: World, key: str, taint: Taint) -> bool:
    """Whether a key looks like the taint's misspelt: near, and no taint of its own."""
    known = key in world.taint_keys or bool(look_up(Taint(key)).owner)
    return bool(key) and key != taint.key and not known and alike(key, taint.key)


def missed_by(world: World, daemonset: DaemonSet, slip: Slip) -> tuple[Taint, ...]:
    """The taints of any node that the same slip misses, in order."""
    missed = (taint for taint in all_taints(world) if slip_of(world, daemonset, taint) == slip)
    own = daemonset.template.tolerations
    return tuple(taint for taint in missed if not any(tolerates(one, taint) for one in own))


def all_taints(world: World) -> Sequence[Taint]:
    """Every different taint of any node that can keep pods away, in the order of their texts."""

    def collect() -> Sequence[Taint]:
        found = {taint for node in world.snapshot.nodes for taint in node.taints if taint.effect in BLOCKING}
        return sorted(found, key=str)

    return once(world, ("all taints", ""), collect)


def is_met(world: World, own: Toleration) -> bool:
    """Whether a toleration meets a taint of any node as it is."""
    return any(tolerates(own, taint) for taint in all_taints(world))


def shown(taints: Sequence[Taint]) -> str:
    """Taints in one phrase: `a=b:NoSchedule, a=c:NoSchedule and 3 more`."""
    named = ", ".join(map(str, taints[:_SHOWN]))
    return named + (f" and {len(taints) - _SHOWN} more" if len(taints) > _SHOWN else "")


# -- patches ------------------------------------------------------------------------------------------------------


def narrowest(taint: Taint) -> dict[str, str]:
    """The toleration that meets exactly this taint, as an API object with its keys in order."""
    if taint.value:
        return {"effect": taint.effect, "key": taint.key, "operator": "Equal", "value": taint.value}
    return {"effect": taint.effect, "key": taint.key, "operator": "Exists"}


def many_values(world: World, daemonset: DaemonSet, taint: Taint) -> tuple[Taint, ...]:
    """The untolerated taints of the taint's key and effect, where three and more values make one `Exists` the better.

    Empty where there are fewer, or where it would let in a node that is no place for the daemon.
    """

    def collect() -> tuple[Taint, ...]:
        same = [t for t in all_taints(world) if (t.key, t.effect) == (taint.key, taint.effect)]
        own = daemonset.template.tolerations
        left = tuple(t for t in same if not any(tolerates(one, t) for one in own))
        return left if len(left) > 2 and are_wanted(world, daemonset, left) else ()

    return once(world, (f"values of {taint.key}:{taint.effect}", daemonset.key), collect)


def are_wanted(world: World, daemonset: DaemonSet, taints: Sequence[Taint]) -> bool:
    """Whether each of the taints is on a node that is a place for the daemon: a machine, of no foreign system."""
    places = [node for node in world.snapshot.nodes if not is_virtual(node) and not is_foreign(daemonset, node)]
    return all(any(taint in node.taints for node in places) for taint in taints)


def addition(daemonset: DaemonSet, tolerations: list[dict[str, str]]) -> tuple[Mapping[str, Any], ...]:
    """The JSON patch that adds tolerations: appended where the list is there, else the list itself."""
    if daemonset.template.own_tolerations:
        return tuple({"op": "add", "path": f"{LIST}/-", "value": toleration} for toleration in tolerations)
    return ({"op": "add", "path": LIST, "value": tolerations},)


def mentions_control_plane(daemonset: DaemonSet) -> bool:
    """Whether the template shows that its owner wants control-plane nodes: by a toleration, or by a selector for them."""
    template = daemonset.template
    entries = list(template.node_selector)
    entries += [entry for term in (template.affinity.terms if template.affinity else ()) for entry in term.expressions]
    keys = [toleration.key for toleration in template.own_tolerations]
    keys += [entry.key for entry in entries if not entry.admits(None)]
    return any(key.rpartition("/")[2] in CONTROL_PLANE for key in keys)
