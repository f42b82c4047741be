"""A toleration's key looks like the taint's key misspelt, and no node has a taint of that key."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import LIST, barring_taints, missed_by, shown, slip_of
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints with a key that an own toleration nearly has."""
    for taint in barring_taints(world, daemonset, node):
        slip = slip_of(world, daemonset, taint)
        if slip is None or slip.what != "key":
            continue
        own = daemonset.template.own_tolerations[slip.place]
        missed = [one for one in missed_by(world, daemonset, slip) if one.key == taint.key]
        yield Hit(
            (("taint", shown(missed)), ("key", taint.key), ("wrong", own.key), ("place", str(slip.place))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.tolerations[{slip.place}].key", own.key),
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
