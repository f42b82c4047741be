"""What a node's own object shows of it: virtual, leaving, of which pool, of the control plane. No joins are needed."""

from __future__ import annotations

from datetime import datetime, timedelta

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.cluster import Node
from dscov.model.findings import Evidence

HOSTNAME = "kubernetes.io/hostname"

#: Labels that only virtual nodes have. An empty value stands for any.
VIRTUAL_LABELS = (
    ("eks.amazonaws.com/compute-type", "fargate"),
    ("type", "virtual-kubelet"),
    ("liqo.io/type", "virtual-node"),
    ("kubernetes.io/role", "virtual-kubelet"),
    ("node.kubernetes.io/instance-type", "eklet"),
    ("node-role.kubernetes.io/virtual-node", ""),
    ("node-role.kubernetes.io/virtual-kubelet", ""),
)
_VIRTUAL_NAMES = ("virtual-kubelet", "virtual-node-", "fargate-")

#: The last part of a label key that names a pool of nodes: cloud.google.com/gke-nodepool, example.com/pool, ...
_POOLS = (
    "gke-nodepool",
    "nodegroup",
    "nodepool",
    "agentpool",
    "node-pool",
    "node-group",
    "instancegroup",
    "nodegroup-name",
    "pool-name",
    "worker-pool-name",
    "pool-id",
    "node-group-id",
    "pool",
)

#: The roles by which distributions call the control plane.
CONTROL_PLANE = frozenset({"control-plane", "master", "controlplane", "etcd"})
CONTROL_PLANE_LABELS = tuple(f"node-role.kubernetes.io/{role}" for role in sorted(CONTROL_PLANE))


def virtual_label(node: Node) -> tuple[str, str] | None:
    """The label that marks the node as no machine, with its value."""
    for key, value in VIRTUAL_LABELS:
        have = node.labels.get(key)
        if have is not None and value in {"", have}:
            return key, have
    return None


def virtual_mark(node: Node) -> Evidence | None:
    """What shows that the node is no machine: Fargate, or a virtual kubelet. None for a machine."""
    about = f"Node/{node.name}"
    label = virtual_label(node)
    if label:
        return Evidence(about, f"metadata.labels.{label[0]}", label[1])
    taint = next((taint for taint in node.taints if look_up(taint).kind is Kind.VIRTUAL), None)
    if taint:
        return Evidence(about, "spec.taints", str(taint))
    if "/fargate-" in node.provider_id:
        return Evidence(about, "spec.providerID", node.provider_id)
    if "-vk-" in node.info.kubelet:
        return Evidence(about, "status.nodeInfo.kubeletVersion", node.info.kubelet)
    named = node.name.startswith(_VIRTUAL_NAMES) and not node.provider_id
    return Evidence(about, "metadata.name", node.name) if named else None


def is_virtual(node: Node) -> bool:
    """Whether the node is no machine: Fargate, or a virtual kubelet."""
    return virtual_mark(node) is not None


def is_leaving(node: Node) -> bool:
    """Whether something is taking the node away: deletion, scale-down, drain or repair (a mere cordon is none)."""
    kinds = (look_up(taint).kind for taint in node.taints if taint.key != "node.kubernetes.io/unschedulable")
    return node.deleted is not None or Kind.MAINTENANCE in kinds


#: A time further ahead than this is a wrong clock, and nothing is young by it.
SKEW = timedelta(minutes=-5)


def is_young_at(node: Node, now: datetime, grace: timedelta) -> bool:
    """Whether the node joined within its grace period."""
    return node.created is not None and SKEW < now - node.created < grace


def is_control_plane(node: Node) -> bool:
    """Whether a role label says that the node is of the control plane."""
    return any(key in node.labels for key in CONTROL_PLANE_LABELS)


def pool_of(node: Node) -> tuple[str, str] | None:
    """The label that names the node's pool, and the pool."""
    named = {key.rpartition("/")[2]: key for key in sorted(node.labels)}
    return next(((named[word], node.labels[named[word]]) for word in _POOLS if word in named), None)


def short(name: str) -> str:
    """The host part of a name."""
    return name.partition(".")[0].lower()
