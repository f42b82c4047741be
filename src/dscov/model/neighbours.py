"""Other daemons on the same node that a daemon may wait for: the network plugin, a driver, one named in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dscov.model.cluster import DaemonSet, Node
from dscov.model.world import World

NETWORK = (
    "cni",
    "cilium",
    "calico",
    "flannel",
    "canal",
    "weave",
    "antrea",
    "ovn",
    "sdn",
    "multus",
    "aws-node",
    "kindnet",
)
_COMMON = frozenset(
    {
        "wait",
        "for",
        "init",
        "validation",
        "validator",
        "check",
        "ready",
        "node",
        "agent",
        "daemon",
        "plugin",
        "com",
        "org",
    }
    | {"container", "kubernetes", "k8s", "the", "and", "csi", "driver-registrar", "sigs", "controller", "image", "http"}
)


def is_network_plugin(daemonset: DaemonSet) -> bool:
    """Whether the name says that pods get their network from it."""
    return any(word in daemonset.name for word in NETWORK)


def is_well(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the daemon has a ready pod on the node."""
    return any(pod.ready and pod.deleted is None for pod in world.pods(daemonset, node.name))


def ailing(world: World, node: Node, *, beside: DaemonSet) -> Iterator[DaemonSet]:
    """The other daemons that have no ready pod on the node though they run elsewhere or have a pod there."""
    for other in world.snapshot.daemonsets:
        if other.key == beside.key or is_well(world, other, node):
            continue
        if world.pods(other, node.name) or _wants(world, other, node) or is_network_plugin(other):
            yield other


def _wants(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the controller wants a pod on the node; nothing is known of a node that was not seen."""
    return node.name in world.nodes and world.placement(daemonset, node).should_run


def ailing_network(world: World, node: Node, *, beside: DaemonSet) -> DaemonSet | None:
    """The network plugin without a ready pod on the node, where no other network plugin is well there."""
    return next((other for other in ailing(world, node, beside=beside) if is_network_plugin(other)), None)


def waited_for(world: World, node: Node, texts: Iterable[str], *, beside: DaemonSet) -> DaemonSet | None:
    """The ailing daemon that the texts name by words of its name; of equals one of the same namespace."""
    words = {word for text in texts for word in _words(text)}
    best: tuple[tuple[int, bool], DaemonSet] | None = None
    for other in ailing(world, node, beside=beside):
        shared = len(words & set(_words(other.name)))
        rank = shared, other.namespace == beside.namespace
        if shared and (best is None or rank > best[0]):
            best = rank, other
    return best[1] if best else None


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", text.lower()) if len(word) > 2 and word not in _COMMON]
