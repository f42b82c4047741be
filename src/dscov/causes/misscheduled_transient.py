"""A pod counts as misscheduled for a while: its node is going away or unwell, or the pod itself is on its way out."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.misplaced import passes, why_misplaced
from dscov.model.nodes import is_lost
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Misplaced pods for which the reason passes."""
    passing = "" if is_lost(node) else passes(world, daemonset, node)
    if passing:
        yield Hit((("passing", passing),), why_misplaced(world, daemonset, node)[1])


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Wait."""
    return Remedy("no-patch", "nothing: it passes by itself", why="transient and intended")


CAUSE = Cause(
    code="DSC706",
    slug="misscheduled-transient",
    title="a pod counts as misscheduled for a while",
    says="the pod counts as misscheduled for a while: {passing}",
    find=find,
    cure=cure,
    looks_at=frozenset({"misscheduled"}),
    severity="info",
)
