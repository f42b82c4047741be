"""The node has only just joined: it is not ready yet, or its pods have not been made yet. That is no gap."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import CALM, culprit
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.grace import span_text
from dscov.model.nodes import is_young
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes inside their grace period, unless they are ready and the pod has a fault of its own already."""
    if not is_young(world, node) or node.created is None:
        return
    ready = node.ready is not None and node.ready.status == "True"
    found = culprit(world, daemonset, node)
    if ready and found and (found.container.restarts > 2 or found.container.reason not in CALM):
        return
    created = node.created.strftime("%Y-%m-%dT%H:%M:%SZ")
    shown = Evidence(f"Node/{node.name}", "metadata.creationTimestamp", created)
    yield Hit((("ready", "" if ready else " and is not ready yet"),), (shown,), transient=True)


def cure(world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Wait."""
    return Remedy(
        "no-patch",
        "wait some minutes, then look again",
        why=f"the node has joined less than {span_text(world.grace.node)} ago",
    )


CAUSE = Cause(
    code="DSC603",
    slug="node-starting",
    title="the node has just joined",
    says="the node has just joined{ready}",
    find=find,
    cure=cure,
    looks_at=frozenset({"absent", "starting", "missing", "pending", "unhealthy", "misscheduled"}),
    severity="info",
)
