"""No daemon is available on the node, and nothing that was read says why.

Events live for an hour, and a saved cluster may hold none at all; then a refusal of the API server leaves no trace. The
gap is real, the reason is not known: look again with events, or at the controller's and the kubelet's logs.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Asked only where no other cause spoke."""
    pods = [pod for pod in world.pods(daemonset, node.name) if pod.deleted is None]
    what = "its pod is not available" if pods else "the controller has made no pod"
    why = "no events were read" if "events" in world.blind_to else "no event and no object that was read says why"
    shown = Evidence(f"Node/{node.name}", "metadata.name", node.name)
    yield Hit((("what", what), ("why", why)), (shown,), confidence="unknown")


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Look again, with more to see."""
    namespace = daemonset.namespace
    return Remedy(
        "no-patch",
        "look at the events of the DaemonSet and its pods while they are fresh",
        why=dict(finding.facts)["why"],
        actions=(
            f"kubectl -n {namespace} describe daemonset {daemonset.name}",
            f"kubectl -n {namespace} get events --sort-by=.lastTimestamp",
        ),
    )


CAUSE = Cause(
    code="DSC799",
    slug="unexplained",
    title="nothing that was read says why",
    says="{what}, and {why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unexplained"}),
)
