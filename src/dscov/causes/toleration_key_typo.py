"""A toleration's key looks like the taint's key misspelt, and no node has a taint of that key."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import LIST, barring_taints, near_miss, typo
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints with a key that an own toleration nearly has."""
    for taint in barring_taints(world, daemonset, node):
        place = None if near_miss(daemonset, taint) else typo(world, daemonset, taint)
        if place is None:
            continue
        own = daemonset.template.own_tolerations[place]
        yield Hit(
            (("taint", str(taint)), ("key", taint.key), ("wrong", own.key), ("place", str(place))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.tolerations[{place}].key", own.key),
            ),
            confidence="inferred",
        )


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Spell the key as the taint does."""
    facts = dict(finding.facts)
    return Remedy(
        "patch",
        f"correct the key of the toleration: {facts['key']}",
        why="no node has a taint with the key as it is spelt now",
        target=daemonset.key,
        patch=({"op": "replace", "path": f"{LIST}/{facts['place']}/key", "value": facts["key"]},),
    )


CAUSE = Cause(
    code="DSC105",
    slug="toleration-key-typo",
    title="the key of a toleration is misspelt",
    says="taint {taint} is not tolerated; the toleration of {wrong} looks like a slip of the pen",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
