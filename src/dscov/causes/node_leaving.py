"""Something takes the node away: deletion, scale-down, drain, repair or a restart under a cordon. That is no gap."""

from collections.abc import Iterator
from datetime import timedelta

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_taken_away
from dscov.model.world import World

#: A cordoned node that is not ready for less than this is taken to be under maintenance.
_MAINTENANCE = timedelta(hours=1)
_CORDON = "node.kubernetes.io/unschedulable"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes with a deletion time or a taint of their removal, and cordoned ones that have just gone down."""
    if node.deleted is not None:
        deleted = node.deleted.strftime("%Y-%m-%dT%H:%M:%SZ")
        shown = Evidence(f"Node/{node.name}", "metadata.deletionTimestamp", deleted)
        yield Hit((("what", "its Node object is being deleted"),), (shown,), transient=True)
        return
    for taint in node.taints:
        if look_up(taint).kind is Kind.MAINTENANCE and taint.key != _CORDON and is_taken_away(world, daemonset, node):
            who = look_up(taint).owner
            shown = Evidence(f"Node/{node.name}", "spec.taints", str(taint))
            yield Hit((("what", f"{taint.key}, put by {who}" if who else taint.key),), (shown,), transient=True)
            return
    ready = node.ready
    if (
        node.unschedulable
        and ready
        and ready.status != "True"
        and ready.since
        and world.now - ready.since < _MAINTENANCE
    ):
        shown = Evidence(f"Node/{node.name}", "spec.unschedulable", "true")
        yield Hit((("what", "it is cordoned and has just gone down"),), (shown,), transient=True)


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Let it go."""
    return Remedy("no-patch", "nothing: the node is going away or under repair", why="transient and intended")


CAUSE = Cause(
    code="DSC604",
    slug="node-leaving",
    title="the node is going away",
    says="the node is going away: {what}",
    find=find,
    cure=cure,
    looks_at=frozenset({"absent", "missing", "pending", "unhealthy", "terminating"}),
    severity="info",
)
