"""A pod runs on a node where the controller would not place it now: a taint or a label came or went after the pod did.

A NoSchedule taint leaves the pod alone; it runs on and counts as misscheduled, which is no error by itself. On a dead
node such a count is only the shadow of the node.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.misplaced import passes, why_misplaced
from dscov.model.nodes import is_lost
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods on nodes that are not eligible and report."""
    if is_lost(node):
        return
    words, shown = why_misplaced(world, daemonset, node)
    yield Hit((("why", words), ("passing", passes(world, daemonset, node))), shown)


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mostly nothing."""
    passing = dict(finding.facts)["passing"]
    return Remedy(
        "no-patch",
        "nothing; let the alert wait longer than this takes"
        if passing
        else "nothing, unless the pod is not meant there",
        why=passing or "the pod runs on until it is restarted",
    )


CAUSE = Cause(
    code="DSC704",
    slug="misscheduled",
    title="a pod runs where it would not be placed",
    says="a pod is there although the node is not eligible: {why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"misscheduled"}),
    severity="warning",
)
