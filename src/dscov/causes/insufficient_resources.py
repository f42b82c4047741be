"""The node has too little of a resource left for the pod, or is too small for it at all.

A daemon pod can run on this node only, so more nodes do not help. Preemption evicts pods of strictly lower priority:
a daemon without a priority class never gets past ordinary pods that were there first. Requests count, limits and real
use do not.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin, short_resource
from dscov.model.capacity import PODS, Room, in_words, room, told
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Hit
from dscov.model.priority import make_room
from dscov.model.scheduling import waiting
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The resources that the scheduler finds too little of, with the amounts and who holds them."""
    waits = waiting(world, daemonset, node)
    names = [short_resource(reason) for reason in waits.by(Plugin.RESOURCES)] if waits else []
    names = [name for name in dict.fromkeys(names) if name != PODS]
    if not waits or not names:
        return
    rooms = [room(world, node, waits.obj, name) for name in names]
    facts = (
        ("resources", ", ".join(names)),
        ("what", "; ".join(_said(one) for one in rooms)),
        ("holders", "; ".join(told(one) for one in rooms)),
    )
    offers = (
        Evidence(f"Node/{node.name}", f"status.allocatable.{name}", node.allocatable[name])
        for name in names
        if name in node.allocatable
    )
    yield Hit(facts, (*waits.told, *offers))


def _said(found: Room) -> str:
    name = found.resource
    asks, has = in_words(found.asked, name, up=True), in_words(found.allocatable, name)
    if found.too_small:
        return f"{name}: the pod asks for {asks}, the whole node has {has}"
    if found.short:
        return f"{name}: the pod asks for {asks}, {in_words(max(found.free, 0), name)} of {has} is free"
    return f"{name}: the scheduler finds too little (the pod asks for {asks}; of {has}, the pods seen leave that much)"


CAUSE = Cause(
    code="DSC301",
    slug="insufficient-resources",
    title="too little room on the node",
    says="{what}; held by {holders}",
    find=find,
    cure=make_room,
    looks_at=frozenset({"pending"}),
)
