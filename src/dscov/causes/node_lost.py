"""The node's kubelet has stopped reporting: the machine is off, cut off or gone, and what its pods say is old.

A daemon without a toleration of unreachable:NoSchedule loses the node from DESIRED: the counters look healthy, and
its old pod counts as misscheduled. One that tolerates everything keeps the node in DESIRED, where its pod counts as
unavailable; a pod that is being deleted there stays, since no kubelet confirms its end.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes whose Ready condition is Unknown."""
    if not is_lost(node) or node.ready is None:
        return
    place = node.conditions.index(node.ready)
    shown = [Evidence(f"Node/{node.name}", f"status.conditions[{place}].status", "Unknown")]
    if node.ready.message:
        shown.append(Evidence(f"Node/{node.name}", f"status.conditions[{place}].message", node.ready.message))
    going = [pod for pod in world.pods(daemonset, node.name) if pod.deleted is not None]
    counted = (
        "DESIRED counts it still"
        if world.placement(daemonset, node).should_run
        else "it has dropped out of DESIRED, so the counters do not show it"
    )
    yield Hit(
        (
            ("counted", counted),
            ("stuck", "; its pod cannot finish terminating" if going else ""),
            (
                "never",
                "has never reported" if node.ready.reason == "NodeStatusNeverUpdated" else "has stopped reporting",
            ),
        ),
        tuple(shown),
    )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Bring the node back, or take its object away."""
    names = finding.nodes[:3]
    return Remedy(
        "no-patch",
        "bring the node back; if it is gone for good, delete its Node object",
        why="nothing runs on a machine that is down; a toleration or a forced deletion of the pod would only hide it",
        actions=(
            *(f"kubectl describe node {name}" for name in names),
            *(f"kubectl delete node {name}  # only if the machine is gone" for name in names),
        ),
    )


CAUSE = Cause(
    code="DSC601",
    slug="node-lost",
    title="the node does not report",
    says="the node's kubelet {never}; {counted}{stuck}",
    find=find,
    cure=cure,
    looks_at=frozenset({"absent", "missing", "pending", "unhealthy", "terminating", "misscheduled"}),
)
