"""The daemon is placed where it does not belong.

Where the nodes it is meant to cover are declared (by flag, annotation or policy), it belongs on no others. Else only
the pods can tell: a daemon for special hardware that crashes on exactly the nodes without the hardware's label.
"""

from collections.abc import Iterator

from dscov.kube.selectors import Selector
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import crashes, culprit
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.hardware import dividing_label, is_for_hardware, selects, tolerated_hardware
from dscov.model.nodes import is_lost
from dscov.model.platforms import selection
from dscov.model.policy import ANNOTATION, spelt
from dscov.model.world import World

_WHY = "what a daemon is declared for and what its template selects should be the same"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes outside what is declared; else those where a daemon for special hardware crashes, and on no others."""
    zone = world.zone(daemonset, node)
    if zone.virtual or zone.meant is not None:
        there = any(pod.deleted is None for pod in world.pods(daemonset, node.name))
        if (zone.virtual or not zone.meant) and (there or world.placement(daemonset, node).should_run):
            yield _outside(world, daemonset, node)
        return
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
        words = f"it crashes on exactly the nodes without {'='.join(label)}"
        yield Hit((("label", "=".join(label)), ("why", words)), shown, wants_none=True, confidence="inferred")


def _outside(world: World, daemonset: DaemonSet, node: Node) -> Hit:
    scope, virtual = world.scopes[daemonset.key], world.zone(daemonset, node).virtual
    if virtual:
        words = f"the policy says that the nodes with {spelt(virtual.nodes)} are virtual"
        return Hit((("label", ""), ("why", words)), _labels(node, virtual.nodes), wants_none=True)
    words = f"it is declared ({scope.intent.source}) for {scope.intent.text}, not for these"
    shown = _labels(node, scope.expect or Selector())
    if scope.intent.source == "annotation":
        told = Evidence(f"DaemonSet/{daemonset.key}", f"metadata.annotations.{ANNOTATION}", _annotation(daemonset))
        shown = (told, *shown)
    label = spelt(scope.expect) if scope.expect and len(scope.expect.requirements) == 1 else ""
    return Hit((("label", label if label.count("=") == 1 else ""), ("why", words)), shown, wants_none=True)


def _annotation(daemonset: DaemonSet) -> str:
    return daemonset.annotations.get(ANNOTATION, "")


def _labels(node: Node, selector: Selector) -> tuple[Evidence, ...]:
    """What the node's labels have at the keys that a selector asks for; its name where it has none of them."""
    asked = [entry.key for entry in selector.requirements if entry.key in node.labels]
    held = tuple(Evidence(f"Node/{node.name}", f"metadata.labels.{key}", node.labels[key]) for key in asked)
    return held or (Evidence(f"Node/{node.name}", "metadata.name", node.name),)


def _well(world: World, daemonset: DaemonSet) -> str:
    by_node = world.pods_by_node(daemonset)
    return next(name for name, pods in by_node.items() if name in world.nodes and any(pod.ready for pod in pods))


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Select the label."""
    key, _, value = dict(finding.facts)["label"].partition("=")
    if not key:
        return Remedy("no-patch", "keep these nodes out of what the template selects, or declare them too", why=_WHY)
    return Remedy(
        "patch",
        f"select {key}={value}",
        why=_WHY if daemonset.key in world.scopes else "it is well on exactly the nodes with this label",
        target=daemonset.key,
        patch=selection(daemonset, key, value),
    )


CAUSE = Cause(
    code="DSC120",
    slug="wrong-nodes",
    title="the daemon is placed on nodes where it does not belong",
    says="{why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"declared", "misscheduled", "unhealthy"}),
)
