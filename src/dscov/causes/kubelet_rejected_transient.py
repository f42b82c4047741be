"""The kubelet refused the pod for a reason that holds no more, as after a reboot; a fresh pod is on its way.

A kubelet that starts admits pods before it has seen its Node object whole, so labels that are there can seem missing.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.rejections import meaning, passes, rejection
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Refusals whose reason is gone and that have not come again and again."""
    refused = rejection(world, daemonset, node)
    if refused and not refused.evicted and passes(world, daemonset, node, refused):
        yield Hit((("reason", refused.reason), ("gist", meaning(refused.reason)[0])), refused.evidence)


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Wait; delete the failed pod if it stays."""
    pods = (pod for name in finding.nodes[:3] for pod in world.pods(daemonset, name) if pod.phase == "Failed")
    return Remedy(
        "no-patch",
        "wait for the pod that the controller makes in its place; delete the failed one if it stays",
        why="the node meets the template now",
        actions=tuple(f"kubectl -n {pod.namespace} delete pod {pod.name}" for pod in pods),
    )


CAUSE = Cause(
    code="DSC402",
    slug="kubelet-rejected-transient",
    title="the kubelet refused the pod for a reason that has passed",
    says="the kubelet refused the pod ({reason}: {gist}), which holds no more",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "missing", "pending"}),
    severity="warning",
)
