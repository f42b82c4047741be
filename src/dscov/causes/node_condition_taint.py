"""The node lifecycle controller closed the node because of one of its conditions.

Daemon pods get tolerations for most of these taints by themselves, but not for `not-ready:NoSchedule`,
`unreachable:NoSchedule` and, without hostNetwork, `network-unavailable:NoSchedule`. The cure is the node, not the
template; daemons that make nodes ready (network plugins, cloud controllers) tolerate every taint. Every node joins with
`not-ready:NoSchedule`; where the condition is well and the taint stays, nobody is at work who lifts it.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import denied_by
from dscov.model.tolerations import barring_taints
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints that stand for a condition."""
    for taint in barring_taints(world, daemonset, node):
        entry = look_up(taint)
        if entry.kind is not Kind.CONDITION:
            continue
        shown, odd = [Evidence(f"Node/{node.name}", "spec.taints", str(taint))], ""
        place = denied_by(node, taint)
        if place is not None:
            one = node.conditions[place]
            odd = f", yet its condition {one.type} is {one.status}"
            shown.append(Evidence(f"Node/{node.name}", f"status.conditions[{place}].status", one.status))
        facts = ("taint", str(taint)), ("key", taint.key), ("remover", entry.remover or "its owner"), ("odd", odd)
        yield Hit(facts, tuple(shown))


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mend the node; or who judges it, where it is well."""
    facts = dict(finding.facts)
    if facts["odd"]:
        return Remedy(
            "no-patch",
            "see why kube-controller-manager does not lift the taint",
            why="the node is well; its lifecycle controller lifts the taint within seconds where it works",
            actions=("kubectl -n kube-system get lease kube-controller-manager -o yaml",),
        )
    remover = facts["remover"]
    return Remedy(
        "no-patch",
        f"mend the node: the taint is lifted by {remover}",
        why="tolerating the taint would put a pod on a node that cannot run it",
        actions=tuple(f"kubectl describe node {name}" for name in finding.nodes[:1]),
    )


CAUSE = Cause(
    code="DSC104",
    slug="node-condition-taint",
    title="a condition of the node closed it",
    says="taint {taint} stands for a condition of the node{odd}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
