"""The scheduler does not know the node as it is: it counts fewer nodes than there are, or refuses one that fits.

Old schedulers lost nodes that were deleted and added again under the same name; any can lag behind its informers. The
message then speaks of a selector or a taint, though the pod fits the node, or of no node that could be the pod's.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin, plugin_of
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import Waiting, nodes_known_at, pod_selector, unmet, untolerated, waiting
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Refusals that the node does not bear out."""
    waits = waiting(world, daemonset, node)
    if not waits or not waits.word or not _at_odds(waits, node):
        return
    known, there = waits.refusal.known, nodes_known_at(world, waits.at)
    fewer = known is not None and known < there
    why = f"it counts {known} nodes where there are {there}" if fewer else "the pod fits the node, it says it does not"
    shown = Evidence(f"Node/{node.name}", "metadata.name", node.name)
    facts = (("why", why), ("word", waits.word.partition(". preemption")[0]))
    yield Hit(facts, (*waits.told, shown), confidence="observed" if fewer else "inferred")


def _at_odds(waits: Waiting, node: Node) -> bool:
    plugins = {plugin_of(reason) for reason in waits.reasons}
    if not plugins:
        return waits.refusal.known is not None and not waits.refusal.cut
    if plugins == {Plugin.SELECTOR}:
        enforced = any("scheduler-enforced" in reason for reason in waits.reasons)
        return not enforced and not unmet(node, pod_selector(waits.obj))
    if plugins == {Plugin.TAINTS}:
        return not untolerated(node, waits.obj)
    return plugins == {Plugin.UNKNOWN_NODE}


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """A new look."""
    return Remedy(
        "no-patch",
        "restart kube-scheduler; if it comes again, upgrade to a fixed version",
        why="the spec fits the node, so no change of it can help",
        actions=("kubectl -n kube-system delete pod -l component=kube-scheduler",),
    )


CAUSE = Cause(
    code="DSC309",
    slug="scheduler-stale",
    title="the scheduler does not know the node as it is",
    says="{why}: {word}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
