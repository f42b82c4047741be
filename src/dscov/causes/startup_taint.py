"""A taint that is put on a node when it starts is still there.

The component that makes the node usable lifts it. While the node is young that is normal; later the component is
missing, broken, kept out by that very taint, or (see stale-readiness-taint) the taint came back.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import initialises, is_young, lifter, lifts
from dscov.model.tolerations import addition, barring_taints, narrowest
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated startup taints of a node that is young, or on which nothing that lifts them is at work."""
    for taint in barring_taints(world, daemonset, node):
        entry = look_up(taint)
        if entry.kind is not Kind.STARTUP:
            continue
        own = lifts(world, daemonset, taint) or initialises(daemonset, taint)
        young = is_young(world, node) and not own
        if young or lifter(world, node, taint) is None:
            yield Hit(
                (
                    ("taint", str(taint)),
                    ("remover", entry.remover or "the component that put it"),
                    ("key", taint.key),
                    ("value", taint.value),
                    ("effect", taint.effect),
                    ("deadlock", ", which it keeps out itself" if own else ""),
                ),
                (Evidence(f"Node/{node.name}", "spec.taints", str(taint)),),
                transient=young,
                confidence="inferred" if own else "observed",
            )


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Wait, or mend what lifts it; let it in, if this is the very daemon."""
    facts = dict(finding.facts)
    if facts["deadlock"]:
        taint = Taint(facts["key"], facts["value"], facts["effect"])
        return Remedy(
            "patch",
            f"tolerate {taint}",
            why="this daemon lifts the taint, so it has to come in first",
            target=daemonset.key,
            patch=addition(daemonset, [narrowest(taint)]),
        )
    return Remedy(
        "no-patch",
        f"see why {facts['remover']} has not lifted it",
        why="the taint keeps pods away until the node can run them",
        actions=tuple(
            f"kubectl get pods -A -o wide --field-selector spec.nodeName={name}" for name in finding.nodes[:1]
        ),
    )


CAUSE = Cause(
    code="DSC102",
    slug="startup-taint",
    title="a startup taint has not been lifted",
    says="startup taint {taint} has not been lifted by {remover}{deadlock}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
