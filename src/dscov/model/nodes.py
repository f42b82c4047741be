"""What can be said of a node beside placement: young, lost, leaving, no place for daemons, and who lifts its taints."""

from __future__ import annotations

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.world import World, is_leaving

__all__ = [
    "is_foreign",
    "is_leaving",
    "is_lost",
    "is_not_ready",
    "is_taken_away",
    "is_virtual",
    "is_young",
    "lifter",
    "lifter_is_well",
    "pool_of",
]

#: The last part of a label key that names a pool of nodes: cloud.google.com/gke-nodepool, example.com/pool, ...
_POOLS = ("gke-nodepool", "nodegroup", "nodepool", "agentpool", "node-pool", "node-group", "pool")


def is_young(world: World, node: Node) -> bool:
    """Whether the node joined within its grace period: it is starting, not broken."""
    return node.created is not None and world.now - node.created < world.grace.node


def is_taken_away(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether something takes the node away, so that it is no gap of the DaemonSet.

    Where it is declared that the daemon belongs there, the mere look of an unknown taint's key is not enough.
    """
    if node.name not in world.leaving:
        return False
    known = (entry for entry in map(look_up, node.taints) if entry.kind is Kind.MAINTENANCE and entry.owner)
    return not world.zone(daemonset, node).meant or node.deleted is not None or any(known)


def is_lost(node: Node) -> bool:
    """Whether the node's kubelet has stopped reporting (Ready is Unknown)."""
    return node.ready is not None and node.ready.status == "Unknown"


def is_not_ready(node: Node) -> bool:
    """Whether the node says of itself that it is not ready."""
    return node.ready is not None and node.ready.status == "False"


def is_virtual(node: Node) -> bool:
    """Whether the node is no machine: Fargate, or a virtual kubelet."""
    return (
        node.labels.get("type") == "virtual-kubelet"
        or node.labels.get("eks.amazonaws.com/compute-type") == "fargate"
        or any(look_up(taint).kind is Kind.VIRTUAL for taint in node.taints)
    )


def is_foreign(daemonset: DaemonSet, node: Node) -> bool:
    """Whether the node is a Windows machine and nothing in the template shows that its owner thought of Windows."""
    if (node.labels.get("kubernetes.io/os") or node.info.os) != "windows":
        return False
    spec = ((daemonset.obj.get("spec") or {}).get("template") or {}).get("spec") or {}
    template = daemonset.template
    words = [f"{t.key}={t.value}" for t in template.own_tolerations]
    words += [str(entry) for entry in template.node_selector]
    words += [
        str(entry) for term in (template.affinity.terms if template.affinity else ()) for entry in term.expressions
    ]
    return (spec.get("os") or {}).get("name") != "windows" and not any("windows" in word.lower() for word in words)


def pool_of(node: Node) -> tuple[str, str] | None:
    """The label that names the node's pool, and the pool."""
    named = {key.rpartition("/")[2]: key for key in sorted(node.labels)}
    return next(((named[word], node.labels[named[word]]) for word in _POOLS if word in named), None)


def lifter(world: World, node: Node, taint: Taint) -> DaemonSet | None:
    """The DaemonSet with a pod on the node that most likely lifts the taint: named like it, else a network plugin."""
    domain, _, name = taint.key.partition("/")
    words = [word for word in domain.replace("-", ".").split(".") if len(word) > 2 and word not in _COMMON]
    present = [ds for ds in world.snapshot.daemonsets if world.pods(ds, node.name)]
    named = [ds for ds in present if any(word in ds.name for word in words)]
    if not named and "agent-not-ready" in name:
        named = [ds for ds in present if any(word in ds.name for word in _NETWORK)]
    return named[0] if named else None


_COMMON = frozenset({"node", "com", "aws", "amazonaws", "csi", "kubernetes", "k8s", "sigs", "cloud", "google"})
_NETWORK = ("cni", "cilium", "calico", "flannel", "canal", "weave", "antrea", "ovn")


def lifter_is_well(world: World, node: Node, taint: Taint) -> bool:
    """Whether the likely lifter has a ready pod on the node; where none is known, whether the node itself is ready."""
    owner = lifter(world, node, taint)
    if owner is None:
        return node.ready is not None and node.ready.status == "True"
    return any(pod.ready for pod in world.pods(owner, node.name))
