"""The node says of itself that it is not ready: its runtime, its network or its disk is at fault.

Where it says that the network plugin is not initialised, and that plugin is a daemon without a ready pod there, the
plugin's gap is the root. The plugin itself must tolerate not-ready:NoSchedule, or neither ever gets ready.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import crashes, culprit
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.neighbours import ailing_network, is_network_plugin
from dscov.model.nodes import is_not_ready, is_young
from dscov.model.tolerations import addition, barring_taints
from dscov.model.world import World

_TAINT = "node.kubernetes.io/not-ready"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes whose Ready condition is False, unless they are young, or this daemon's own crash makes them so."""
    if not is_not_ready(node) or node.ready is None or is_young(world, node):
        return
    no_network = "network" in node.ready.message.lower() or "cni" in node.ready.message.lower()
    own = no_network and is_network_plugin(daemonset)
    found = culprit(world, daemonset, node)
    if own and found and crashes(found.container):
        return
    other = ailing_network(world, node, beside=daemonset) if no_network and not own else None
    deadlock = own and any(taint.key == _TAINT for taint in barring_taints(world, daemonset, node))
    place = node.conditions.index(node.ready)
    shown = [Evidence(f"Node/{node.name}", f"status.conditions[{place}].status", "False")]
    if node.ready.message:
        shown.append(Evidence(f"Node/{node.name}", f"status.conditions[{place}].message", node.ready.message))
    because = f"; {other.key}, the network plugin, has no ready pod there" if other else ""
    yield Hit(
        (
            ("words", f": {node.ready.message[:200]}" if node.ready.message else ""),
            ("other", other.key if other else ""),
            ("because", "; it waits for this very daemon" if deadlock else because),
            ("deadlock", "yes" if deadlock else ""),
        ),
        tuple(shown),
    )


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mend the node; a network plugin is let in to do so."""
    facts = dict(finding.facts)
    if facts["deadlock"]:
        toleration = {"effect": "NoSchedule", "key": _TAINT, "operator": "Exists"}
        return Remedy(
            "patch",
            f"tolerate {_TAINT}:NoSchedule",
            why="the node gets ready only when its network plugin runs there",
            target=daemonset.key,
            patch=addition(daemonset, [toleration]),
        )
    return Remedy(
        "no-patch",
        f"mend {facts['other']} on the node" if facts["other"] else "mend the node: its runtime, network or disk",
        why="the node is at fault, not the DaemonSet",
        actions=tuple(f"kubectl describe node {name}" for name in finding.nodes[:3]),
    )


CAUSE = Cause(
    code="DSC602",
    slug="node-not-ready",
    title="the node is not ready",
    says="the node is not ready{words}{because}",
    find=find,
    cure=cure,
    looks_at=frozenset({"absent", "missing", "pending", "unhealthy", "terminating", "misscheduled"}),
)
