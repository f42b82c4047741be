"""A pod on a node that is not eligible will be lost: at once by the controller, or with the next rollout or restart.

A rolling update deletes old pods on such nodes too and makes no new ones, without a word.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.misplaced import passes, why_misplaced
from dscov.model.nodes import is_lost
from dscov.model.rollout import knows_revisions
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Misplaced pods for which the reason does not pass; one that never got to the node is none to lose."""
    bound = any(pod.node_name for pod in world.pods(daemonset, node.name))
    if not bound or is_lost(node) or passes(world, daemonset, node):
        return
    words, shown = why_misplaced(world, daemonset, node)
    yield Hit((("why", words), ("how", _how(world, daemonset, node))), shown)


def _how(world: World, daemonset: DaemonSet, node: Node) -> str:
    if not world.placement(daemonset, node).should_continue_running:
        return "the controller removes the pod"
    live = [pod for pod in world.pods(daemonset, node.name) if pod.deleted is None]
    old = knows_revisions(world, daemonset) and any(not world.is_updated(daemonset, pod) for pod in live)
    if old and daemonset.strategy.type == "RollingUpdate":
        return "the rolling update at work removes the pod and makes no other"
    return "the next rollout, eviction or failure removes the pod, and no other is made"


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Make the node eligible, if the pod is meant there."""
    return Remedy(
        "no-patch",
        "if the pod is meant there, make the node eligible before anything restarts it (see the cause of eligibility)",
        why="the controller makes no new pod on a node that is not eligible",
    )


CAUSE = Cause(
    code="DSC705",
    slug="misscheduled-at-risk",
    title="a pod will be lost for good",
    says="the pod will not come back once it goes: {how} ({why})",
    find=find,
    cure=cure,
    looks_at=frozenset({"misscheduled"}),
    severity="warning",
)
