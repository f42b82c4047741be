"""The template tolerates the taint of special hardware and does not select it: a toleration lets in, it does not draw.

So the daemon runs on all other nodes too. Where it crashes on exactly those without the hardware's label, it is not
wanted there; where it is well everywhere, that is only worth knowing.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import crashes, culprit
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.hardware import dividing_label, is_for_hardware, is_hardware, selects, tolerated_hardware
from dscov.model.nodes import is_lost
from dscov.model.platforms import selection
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes without the hardware's label where the daemon crashes, if it is well on exactly those that have it."""
    tolerated = "" if selects(daemonset) or is_lost(node) else tolerated_hardware(daemonset)
    found = culprit(world, daemonset, node) if tolerated else None
    label = dividing_label(world, daemonset) if found and crashes(found.container) else None
    if found and label:
        shown = found.evidence("restartCount", found.container.restarts)
        facts = (
            ("key", tolerated),
            ("label", "=".join(label)),
            ("state", f": it crashes where {'='.join(label)} is not"),
        )
        yield Hit(
            facts, (*_toleration(daemonset, tolerated), shown), wants_none=True, severity="error", confidence="inferred"
        )


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """The toleration alone, of a daemon for the hardware, where nodes with and without it are covered."""
    tolerated = tolerated_hardware(daemonset) if is_for_hardware(daemonset) and not selects(daemonset) else ""
    if not tolerated or dividing_label(world, daemonset):
        return
    hosts = [world.nodes[name] for name in world.pods_by_node(daemonset) if name in world.nodes]
    special = [node for node in hosts if any(is_hardware(taint.key, taint.value) for taint in node.taints)]
    if special and len(special) < len(hosts):
        state = f": it runs on {len(hosts) - len(special)} nodes without that taint too"
        yield Hit((("key", tolerated), ("label", ""), ("state", state)), tuple(_toleration(daemonset, tolerated)))


def _toleration(daemonset: DaemonSet, key: str) -> Iterator[Evidence]:
    for place, own in enumerate(daemonset.template.own_tolerations):
        if own.key == key:
            yield Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.tolerations[{place}].key", key)
            return


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Select the hardware."""
    key, _, value = dict(finding.facts)["label"].partition("=")
    if not key:
        return Remedy(
            "no-patch", "select the hardware's label too, if the daemon is for it alone", why="it does no harm"
        )
    return Remedy(
        "patch",
        f"select {key}={value}",
        why="it is well on exactly the nodes with this label; a toleration does not keep it from the others",
        target=daemonset.key,
        patch=selection(daemonset, key, value),
    )


CAUSE = Cause(
    code="DSC119",
    slug="toleration-without-selector",
    title="special hardware is tolerated and not selected",
    says="{key} is tolerated, and nothing selects it{state}",
    find=find,
    survey=survey,
    cure=cure,
    looks_at=frozenset({"unhealthy"}),
    severity="info",
)
