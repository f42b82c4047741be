"""The node lacks a label that the nodeSelector asks for, or has another value. That is what a nodeSelector is for,
so it counts as meant; see node-label-missing and node-selector-value-mismatch for slips.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import failing_entries, peers_with, same_meaning, wanted
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries that no more special cause explains."""
    for entry in failing_entries(world, daemonset, node):
        have = node.labels.get(entry.key)
        if have is not None and same_meaning(wanted(entry)[0], have):
            continue
        if have is None and peers_with(world, node, entry):
            continue
        yield Hit(
            (("entry", str(entry)),),
            (Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.nodeSelector.{entry.key}", wanted(entry)[0]),),
            meant=True,
        )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Nothing, unless the owner wants more nodes."""
    entry = dict(finding.facts)["entry"]
    return Remedy(
        "no-patch", f"nothing: the nodeSelector asks for {entry}", why="a selector says where a daemon belongs"
    )


CAUSE = Cause(
    code="DSC110",
    slug="node-selector-no-match",
    title="the nodeSelector does not match",
    says="the nodeSelector asks for {entry}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
    severity="info",
)
