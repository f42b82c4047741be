"""The node lacks a label that the other nodes of its pool have, and that the DaemonSet selects on."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import pool_of
from dscov.model.selection import failing_entries, failing_requirements, peers_with
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries on a label that the node lacks and most of its pool has."""
    entries = (*failing_entries(world, daemonset, node), *failing_requirements(world, daemonset, node))
    for entry in entries:
        if entry.key in node.labels or entry.admits(None):
            continue
        peers = peers_with(world, node, entry)
        if not peers:
            continue
        pool = pool_of(node) or ("", "")
        label = f"{entry.key}={peers[0].labels.get(entry.key, '')}"
        yield Hit(
            (("label", label), ("key", entry.key), ("pool", f"{pool[0]}={pool[1]}"), ("peer", peers[0].name)),
            (
                Evidence(f"Node/{peers[0].name}", f"metadata.labels.{entry.key}", peers[0].labels.get(entry.key, "")),
                Evidence(f"Node/{node.name}", f"metadata.labels.{pool[0]}", pool[1]),
            ),
            confidence="inferred",
        )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Label the node."""
    label = dict(finding.facts)["label"]
    return Remedy(
        "no-patch",
        f"give the node the label {label}, and the pool's settings too so that the next node has it",
        why="the node is the odd one out, not the DaemonSet",
        actions=tuple(f"kubectl label node {name} {label}" for name in finding.nodes[:3]),
    )


CAUSE = Cause(
    code="DSC112",
    slug="node-label-missing",
    title="the node lacks a label of its pool",
    says="the label {label} is missing; its pool {pool} has it (e.g. {peer})",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
