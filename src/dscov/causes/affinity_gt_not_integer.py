"""A `Gt` or `Lt` entry of the node affinity has a value, or meets a label, that is no integer; then it matches nothing.

The API server stores such an entry without a word. The whole term around it matches no node. Only plain decimal integers
count: no unit, no fraction, and no sign, since a sign is not allowed in a label value.
"""

from collections.abc import Iterator

from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import is_no_integer, nearest_failures
from dscov.model.world import World

AFFINITY = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Terms that an integer makes unreadable, and labels that a bound cannot read."""
    for failure in nearest_failures(world, daemonset, node):
        if isinstance(failure, str) and "integer" in failure:
            yield Hit((("problem", failure),), (Evidence(f"DaemonSet/{daemonset.key}", AFFINITY, ""),))
        elif isinstance(failure, Requirement) and is_no_integer(node, failure):
            have = node.labels[failure.key]
            evidence = (Evidence(f"Node/{node.name}", f"metadata.labels.{failure.key}", have),)
            yield Hit((("problem", f"the label {failure.key}={have} is no integer ({failure})"),), evidence)


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Write an integer."""
    return Remedy(
        "patch", "write a plain integer, or use In with the values", why="Gt and Lt compare 64-bit integers only"
    )


CAUSE = Cause(
    code="DSC115",
    slug="affinity-gt-not-integer",
    title="a Gt or Lt of the node affinity meets no integer",
    says="{problem}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
