"""A taint that is put on a node when it starts is still there.

The component that makes the node usable lifts it. While the node is young that is normal; later the component is
missing, broken, or (see stale-readiness-taint) the taint came back.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_young, lifter_is_well
from dscov.model.tolerations import barring_taints
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated startup taints of a node that is young, or whose lifter is not at work there."""
    for taint in barring_taints(world, daemonset, node):
        entry = look_up(taint)
        if entry.kind is not Kind.STARTUP:
            continue
        young = is_young(world, node)
        if young or not lifter_is_well(world, node, taint):
            yield Hit(
                (("taint", str(taint)), ("remover", entry.remover or "the component that put it")),
                (Evidence(f"Node/{node.name}", "spec.taints", str(taint)),),
                transient=young,
            )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Wait, or mend what lifts it."""
    remover = dict(finding.facts)["remover"]
    return Remedy(
        "no-patch",
        f"see why {remover} has not lifted it",
        why="the taint keeps pods away until the node can run them",
        actions=tuple(
            f"kubectl get pods -A -o wide --field-selector spec.nodeName={name}" for name in finding.nodes[:1]
        ),
    )


CAUSE = Cause(
    code="DSC102",
    slug="startup-taint",
    title="a startup taint has not been lifted",
    says="startup taint {taint} has not been lifted by {remover}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
