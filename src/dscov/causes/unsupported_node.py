"""The node runs an operating system that the daemon is not for. That is no gap, whether a taint keeps it out or not.

A daemon is for the operating systems that its template names, else for those that it runs on, else for Linux.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.platforms import OS_LABEL, node_os, other_os, selection
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes of another operating system, unless a selector keeps them out already."""
    differ = other_os(world, daemonset, node)
    reasons = world.placement(daemonset, node).reasons
    if differ is None or any(reason.taint is None for reason in reasons):
        return
    have, want = differ
    field = f"metadata.labels.{OS_LABEL}" if OS_LABEL in node.labels else "status.nodeInfo.operatingSystem"
    shown = Evidence(f"Node/{node.name}", field, node_os(node))
    facts = ("have", have), ("want", want), ("eligible", "" if reasons else ", yet nothing keeps it away")
    yield Hit(facts, (shown,), wants_none=True, severity="info" if reasons else "error", confidence="inferred")


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Nothing where it is kept out; else the standard selector."""
    facts = dict(finding.facts)
    if not facts["eligible"]:
        return Remedy(
            "no-patch", "nothing: the node is no place for this daemon", why="its image is for another system"
        )
    return Remedy(
        "patch",
        f"select {OS_LABEL}={facts['want']}",
        why="the standard selector of the operating system",
        target=daemonset.key,
        patch=selection(daemonset, OS_LABEL, facts["want"]),
    )


CAUSE = Cause(
    code="DSC605",
    slug="unsupported-node",
    title="the node runs another operating system",
    says="the node runs {have}, the daemon is for {want}{eligible}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded", "unhealthy", "pending", "missing"}),
)
