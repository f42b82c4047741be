"""The pod is ready, and not for minReadySeconds yet; until then it does not count as available. That is no gap."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.states import is_available
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Ready pods that are not available."""
    for pod in world.pods(daemonset, node.name):
        if pod.deleted is None and pod.ready and not is_available(world, daemonset, pod):
            seconds = str(daemonset.min_ready_seconds)
            shown = Evidence(f"DaemonSet/{daemonset.key}", "spec.minReadySeconds", seconds)
            yield Hit((("seconds", seconds),), (shown,), transient=True)
            return


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Wait."""
    return Remedy("no-patch", "wait", why="the pod becomes available minReadySeconds after it got ready")


CAUSE = Cause(
    code="DSC503",
    slug="waiting-min-ready-seconds",
    title="ready, but not for long enough to count",
    says="the pod is ready, but not yet for the {seconds} s that minReadySeconds asks for",
    find=find,
    cure=cure,
    looks_at=frozenset({"starting"}),
    severity="info",
    of_pod=True,
)
