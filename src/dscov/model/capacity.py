"""Room on a node: what a pod asks for, what is left, who holds the rest, and which priority would make room.

Amounts are whole nano-units (kube/quantities.py); the resource `pods` counts pods, a billion nano-units each.
Rules: pkg/scheduler/framework/plugins/noderesources/fit.go and defaultpreemption, Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

import msgspec

from dscov.kube.hostports import HostPort, host_ports
from dscov.kube.objects import key_of, listed, name_of, part, text
from dscov.kube.quantities import NANO, nanos, write
from dscov.kube.requests import Amounts, occupied, requested
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.world import World, once

#: The resource that stands for the number of pods.
PODS = "pods"


class Holder(msgspec.Struct, frozen=True):
    """Pods of one owner on a node and how much of a resource they hold together."""

    name: str
    pods: int
    amount: int
    priority: int


class Room(msgspec.Struct, frozen=True):
    """One resource of a node, seen from one pod that asks for it."""

    resource: str
    asked: int
    allocatable: int
    used: int
    holders: tuple[Holder, ...] = ()

    @property
    def free(self) -> int:
        """What is left; below zero where the node is overbooked."""
        return self.allocatable - self.used

    @property
    def short(self) -> bool:
        """Whether the pod does not fit."""
        return self.asked > 0 and self.asked > self.free

    @property
    def too_small(self) -> bool:
        """Whether the pod would not fit on the empty node either."""
        return self.asked > self.allocatable


def tenants(world: World, node: Node) -> Iterator[Object]:
    """The pods that the scheduler counts on a node: all but the finished ones, terminating ones too."""
    for pod in world.occupants(node.name):
        if text(pod, "status", "phase") not in {"Succeeded", "Failed"}:
            yield pod


def room(world: World, node: Node, pod: Object, resource: str) -> Room:
    """What a pod (plain API object) that is not bound finds of a resource."""
    asked = _asks(world, pod).get(resource, 0)
    holders = tuple(_holders(world, node, resource))
    return Room(resource, asked, _allocatable(node, resource), sum(h.amount for h in holders), holders)


def short_of(world: World, node: Node, pod: Object) -> Iterator[Room]:
    """The resources that the pod finds too little of."""
    for resource in _asks(world, pod):
        found = room(world, node, pod, resource)
        if found.short:
            yield found


def going(world: World, node: Node) -> set[str]:
    """The pods (`namespace/name`) that hold something of a node and are being deleted."""
    return {key_of(pod) for pod in tenants(world, node) if text(pod, "metadata", "deletionTimestamp")}


def fits_without(world: World, node: Node, pod: Object, keys: Collection[str]) -> bool:
    """Whether a pod that finds too little would find enough if the pods of these keys (`namespace/name`) were gone."""
    lacking = list(short_of(world, node, pod))
    freed = [takes for other, takes in _measured(world, node) if key_of(other) in keys]
    return bool(lacking) and all(
        found.asked <= found.free + sum(takes.get(found.resource, 0) for takes in freed) for found in lacking
    )


def priority_of(pod: Object) -> int:
    """The pod's priority as admission set it."""
    found = part(pod, "spec").get("priority")
    return found if isinstance(found, int) else 0


def priority_to_beat(world: World, node: Node, pod: Object) -> int | None:
    """The least priority such that without the pods of this and lower ones there is room; None where none helps.

    Daemon and static pods are let stand: they belong on the node, and one that is evicted is made again at once.
    """
    lacking = list(short_of(world, node, pod))
    if not lacking or any(found.too_small for found in lacking):
        return None
    for priority in sorted({priority_of(other) for other in tenants(world, node)}):
        if all(found.free + _below(found, priority) >= found.asked for found in lacking):
            return priority
    return None


def _below(found: Room, priority: int) -> int:
    return sum(h.amount for h in found.holders if h.priority <= priority and not h.name.startswith(STAY))


#: How the names of owners begin whose pods belong on the node.
STAY = ("DaemonSet ", "Node ")


def class_above(world: World, daemonset: DaemonSet, *priorities: int) -> str:
    """The existing priority class that lies least above all of these, fit for the namespace; empty where there is none.

    The system-* classes are for kube-system; a class that never preempts is of no use.
    """
    fit = [(value, name) for value, name in _classes(world, daemonset) if value > max(priorities)]
    if daemonset.namespace == "kube-system" and max(priorities) < SYSTEM_CLASSES["system-node-critical"]:
        return "system-node-critical"
    return min(fit)[1] if fit else ""


#: The classes that every server has, with their values: pkg/apis/scheduling/types.go, Kubernetes v1.37.2.
SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def _classes(world: World, daemonset: DaemonSet) -> Iterator[tuple[int, str]]:
    for obj in world.snapshot.others.get("PriorityClass", ()):
        name, value = name_of(obj), obj.get("value")
        if name in SYSTEM_CLASSES and daemonset.namespace != "kube-system":
            continue
        if isinstance(value, int) and obj.get("preemptionPolicy") != "Never":
            yield value, name


def port_holders(world: World, node: Node, pod: Object) -> Iterator[tuple[HostPort, Object, HostPort]]:
    """The host ports the pod wants and another pod of the node has: (wanted, the other pod, its port)."""
    version = world.snapshot.version
    wanted = list(dict.fromkeys(host_ports(pod, version)))
    for other in tenants(world, node):
        for held in host_ports(other, version):
            yield from ((port, other, held) for port in wanted if port.collides(held))


def owner_name(pod: Object) -> str:
    """`Kind namespace/name` of the pod's controller, or of the pod itself where it has none."""
    for owner in listed(pod, "metadata", "ownerReferences"):
        if owner.get("controller"):
            return f"{text(owner, 'kind')} {text(pod, 'metadata', 'namespace') or 'default'}/{text(owner, 'name')}"
    return f"Pod {key_of(pod)}"


def told(room_found: Room, most: int = 3) -> str:
    """The holders in words, the greatest first: `ReplicaSet shop/checkout (4 pods, 1920m, priority 0)`."""
    ordered = sorted(room_found.holders, key=lambda h: (-h.amount, h.name))
    parts = [f"{h.name} ({_count(h.pods)}{_amount(room_found, h)}, priority {h.priority})" for h in ordered[:most]]
    more = len(ordered) - most
    return ", ".join([*parts, f"{more} more"] if more > 0 else parts) or "nobody that was seen"


def _count(pods: int) -> str:
    return "1 pod" if pods == 1 else f"{pods} pods"


def _amount(found: Room, holder: Holder) -> str:
    return "" if found.resource == PODS else f", {in_words(holder.amount, found.resource)}"


#: What the sums raise on a pod of the wrong shape; it counts as one that asks for nothing.
_UNREADABLE = (ValueError, TypeError, AttributeError)


def _asks(world: World, pod: Object) -> Amounts:
    try:
        return {PODS: NANO, **requested(pod, world.snapshot.version)}
    except _UNREADABLE:
        return {PODS: NANO}


def _takes(world: World, pod: Object) -> Amounts:
    try:
        return {PODS: NANO, **occupied(pod, world.snapshot.version)}
    except _UNREADABLE:
        return {PODS: NANO}


def _holders(world: World, node: Node, resource: str) -> Iterator[Holder]:
    found: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for pod, takes in _measured(world, node):
        if takes.get(resource):
            found[owner_name(pod), priority_of(pod)].append(takes[resource])
    for (name, priority), amounts in found.items():
        yield Holder(name, len(amounts), sum(amounts), priority)


def _measured(world: World, node: Node) -> Sequence[tuple[Object, Amounts]]:
    """The pods of a node and what each takes, worked out once per node."""
    return once(world, ("measured", node.name), lambda: [(pod, _takes(world, pod)) for pod in tenants(world, node)])


def _allocatable(node: Node, resource: str) -> int:
    """A missing or unreadable entry is 0, as for the scheduler."""
    try:
        return nanos(node.allocatable.get(resource, "0"))
    except ValueError:
        return 0


def allocatable_of(node: Node, resource: str) -> str:
    """The quantity as the node writes it; `0` where it has none."""
    return node.allocatable.get(resource, "0")


def in_words(amount: int, resource: str, *, up: bool = False) -> str:
    """An amount for people: a plain count for pods, bytes in the largest unit with one digit after the point.

    Bytes are rounded down, or `up`: what is asked for never looks like what falls short of it.
    """
    if resource == PODS:
        return str(amount // NANO)
    return _bytes(amount, up=up) if _is_bytes(resource) and amount >= NANO << 10 else write(amount)


def _is_bytes(resource: str) -> bool:
    return resource in {"memory", "ephemeral-storage", "storage"} or resource.startswith("hugepages-")


def _bytes(amount: int, *, up: bool) -> str:
    step = max(step for step in range(1, len(_UNITS) + 1) if amount >= NANO << (10 * step))
    unit = NANO << (10 * step)
    tenths = -(-amount * 10 // unit) if up else amount * 10 // unit
    whole, rest = divmod(tenths, 10)
    return f"{whole}.{rest}{_UNITS[step - 1]}" if rest else f"{whole}{_UNITS[step - 1]}"


_UNITS = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
