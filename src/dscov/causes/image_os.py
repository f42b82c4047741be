"""The controller puts the daemon on nodes of another operating system, which its image cannot run on.

No selector on kubernetes.io/os, and no taint on those nodes: so they are eligible, count in DESIRED, and never get
ready.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import IMAGE, crashes, culprit, names_platform
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import OS_LABEL, node_os, other_os, selection
from dscov.model.rejections import rejection
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods on a node of another operating system whose image fails, or that the kubelet refuses for it."""
    differ = None if is_lost(node) else other_os(world, daemonset, node)
    if differ is None:
        return
    refused = rejection(world, daemonset, node)
    found = culprit(world, daemonset, node)
    if refused and refused.other_os:
        shown = refused.evidence
    elif found and (found.container.reason in IMAGE or crashes(found.container)):
        said = names_platform(world, found)
        shown = (
            (said[1],) if said else (found.evidence(f"state.{found.container.state}.reason", found.container.reason),)
        )
    else:
        return
    label = OS_LABEL in node.labels
    field = f"metadata.labels.{OS_LABEL}" if label else "status.nodeInfo.operatingSystem"
    where = Evidence(f"Node/{node.name}", field, node_os(node))
    yield Hit((("have", differ[0]), ("want", differ[1])), (where, *shown), wants_none=True)


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The standard selector of the operating system."""
    want = dict(finding.facts)["want"]
    return Remedy(
        "patch",
        f"select {OS_LABEL}={want}",
        why="the standard selector of the operating system",
        target=daemonset.key,
        patch=selection(daemonset, OS_LABEL, want),
    )


CAUSE = Cause(
    code="DSC407",
    slug="image-os",
    title="the image is for another operating system",
    says="the image is for {want}, the node runs {have}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "missing"}),
)
