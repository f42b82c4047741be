"""The daemon is placed on nodes that it cannot serve: it crashes on exactly those without a hardware label."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import crashes, culprit
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.hardware import dividing_label, is_for_hardware, selects, tolerated_hardware
from dscov.model.nodes import is_lost
from dscov.model.platforms import selection
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes where a daemon for special hardware crashes, if it is well on exactly those with the label."""
    tolerated = tolerated_hardware(daemonset) and not selects(daemonset)
    if is_lost(node) or tolerated or not is_for_hardware(daemonset):
        return
    found = culprit(world, daemonset, node)
    label = dividing_label(world, daemonset) if found and crashes(found.container) else None
    if found and label:
        well = _well(world, daemonset)
        shown = (
            Evidence(f"Node/{well}", f"metadata.labels.{label[0]}", label[1]),
            found.evidence("restartCount", found.container.restarts),
        )
        yield Hit((("label", "=".join(label)),), shown, wants_none=True, confidence="inferred")


def _well(world: World, daemonset: DaemonSet) -> str:
    by_node = world.pods_by_node(daemonset)
    return next(name for name, pods in by_node.items() if name in world.nodes and any(pod.ready for pod in pods))


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Select the label."""
    key, _, value = dict(finding.facts)["label"].partition("=")
    return Remedy(
        "patch",
        f"select {key}={value}",
        why="it is well on exactly the nodes with this label",
        target=daemonset.key,
        patch=selection(daemonset, key, value),
    )


CAUSE = Cause(
    code="DSC120",
    slug="wrong-nodes",
    title="the daemon is placed on nodes that it cannot serve",
    says="it crashes on exactly the nodes without {label}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy"}),
)
