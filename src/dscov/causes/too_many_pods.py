"""The node has as many pods as it may have (`allocatable.pods`).

The bound comes from the kubelet's maxPods, on some clouds from the addresses that an instance type has. A daemon needs
one place on every node; ordinary pods that were there first keep it out unless it outranks them.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin, short_resource
from dscov.model.capacity import PODS, in_words, room, told
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Hit
from dscov.model.priority import make_room
from dscov.model.scheduling import waiting
from dscov.model.world import World

_MOST = "status.allocatable.pods"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """A refusal for the number of pods."""
    waits = waiting(world, daemonset, node)
    if not waits or PODS not in map(short_resource, waits.by(Plugin.RESOURCES)):
        return
    found = room(world, node, waits.obj, PODS)
    facts = (
        ("most", in_words(found.allocatable, PODS)),
        ("there", f"has {in_words(found.used, PODS)}" if found.short else "is full by the scheduler's count"),
        ("holders", told(found)),
    )
    # A node that does not say how many pods it may have may have none.
    most = node.allocatable.get(PODS)
    yield Hit(facts, waits.told if most is None else (*waits.told, Evidence(f"Node/{node.name}", _MOST, most)))


CAUSE = Cause(
    code="DSC302",
    slug="too-many-pods",
    title="the node has as many pods as it may have",
    says="the node may have {most} pods and {there}: {holders}",
    find=find,
    cure=make_room,
    looks_at=frozenset({"pending"}),
)
