"""A startup taint stayed, or came back, on a node that works.

The component that lifts it does so at its own start only. Put on again later (by the settings of the node group, say)
it stays, although that component runs on the very node that the taint calls not ready.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_young, lifter
from dscov.model.tolerations import barring_taints
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated startup taints of a grown node on which the lifter is well."""
    for taint in barring_taints(world, daemonset, node):
        if look_up(taint).kind is not Kind.STARTUP or is_young(world, node):
            continue
        owner = lifter(world, node, taint)
        if owner is None or owner.key == daemonset.key:
            continue
        yield Hit(
            (("taint", str(taint)), ("lifter", owner.key)),
            (Evidence(f"Node/{node.name}", "spec.taints", str(taint)),),
        )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Restart the lifter, and stop putting the taint on again."""
    facts = dict(finding.facts)
    namespace, _, name = facts["lifter"].partition("/")
    return Remedy(
        "no-patch",
        f"restart {name} and drop the taint from the node group's settings",
        why="the taint contradicts the state of the component that lifts it",
        actions=(f"kubectl -n {namespace} rollout restart daemonset/{name}",),
    )


CAUSE = Cause(
    code="DSC103",
    slug="stale-readiness-taint",
    title="a readiness taint stayed on a working node",
    says="readiness taint {taint} is on a node where {lifter}, which lifts it, is ready",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
