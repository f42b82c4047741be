"""Well-known taints: who puts them, who removes them, and what a daemon should make of them.

Sources: k8s.io/api core/v1/well_known_taints.go, cloud-provider/api, cluster-autoscaler utils/taints, karpenter
pkg/apis/v1/taints.go, and the documentation of the component named in each entry.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec

from dscov.kube.taints import Taint


class Kind(StrEnum):
    """What a taint is for: it decides whether a node that it closes counts as a gap."""

    CONDITION = "condition"  # a fault of the node, put and removed by the node lifecycle controller
    STARTUP = "startup"  # put at node start, lifted by the component that makes the node usable
    MAINTENANCE = "maintenance"  # the node is going away or under repair
    ROLE = "role"  # control plane and the like: closed by convention, daemons opt in
    ISOLATION = "isolation"  # the node is set apart for some workloads; node agents usually belong there too
    VIRTUAL = "virtual"  # no place for daemon pods at all


class Entry(msgspec.Struct, frozen=True):
    """What is known of a taint: `owner` puts it, `remover` lifts it (both as words for people, may be empty)."""

    kind: Kind
    owner: str = ""
    remover: str = ""


_NLC = "the node lifecycle controller"

_EXACT = {
    "node.kubernetes.io/not-ready": Entry(Kind.CONDITION, _NLC, "the node when it is Ready again"),
    "node.kubernetes.io/unreachable": Entry(Kind.CONDITION, _NLC, "the node when its kubelet reports again"),
    "node.kubernetes.io/memory-pressure": Entry(Kind.CONDITION, _NLC, "the kubelet when memory is free again"),
    "node.kubernetes.io/disk-pressure": Entry(Kind.CONDITION, _NLC, "the kubelet when disk is free again"),
    "node.kubernetes.io/pid-pressure": Entry(Kind.CONDITION, _NLC, "the kubelet when PIDs are free again"),
    "node.kubernetes.io/network-unavailable": Entry(Kind.CONDITION, _NLC, "the cloud routes or the network plugin"),
    "node.kubernetes.io/unschedulable": Entry(Kind.MAINTENANCE, "kubectl cordon", "kubectl uncordon"),
    "node.kubernetes.io/out-of-service": Entry(Kind.MAINTENANCE, "an operator who declares the node dead"),
    "node.cloudprovider.kubernetes.io/uninitialized": Entry(
        Kind.STARTUP, "the kubelet", "the cloud-controller-manager when it has initialised the node"
    ),
    "node.cloudprovider.kubernetes.io/shutdown": Entry(Kind.MAINTENANCE, "the cloud-controller-manager"),
    "node-role.kubernetes.io/control-plane": Entry(Kind.ROLE, "kubeadm and most distributions"),
    "node-role.kubernetes.io/master": Entry(Kind.ROLE, "kubeadm and distributions before 1.25"),
    "node-role.kubernetes.io/controlplane": Entry(Kind.ROLE, "RKE"),
    "node-role.kubernetes.io/etcd": Entry(Kind.ROLE, "RKE"),
    "CriticalAddonsOnly": Entry(Kind.ISOLATION, "managed clusters, on system node pools"),
    "ToBeDeletedByClusterAutoscaler": Entry(Kind.MAINTENANCE, "the cluster autoscaler"),
    "NodeWithImpairedVolumes": Entry(Kind.CONDITION, "the AWS cloud provider"),
    "cloud.google.com/impending-node-termination": Entry(Kind.MAINTENANCE, "the GKE node termination handler"),
    "karpenter.sh/disrupted": Entry(Kind.MAINTENANCE, "Karpenter"),
    "karpenter.sh/disruption": Entry(Kind.MAINTENANCE, "Karpenter before v1"),
    "karpenter.sh/unregistered": Entry(Kind.STARTUP, "Karpenter", "Karpenter when the node has registered"),
    "node.cilium.io/agent-not-ready": Entry(Kind.STARTUP, "the node group's settings", "Cilium when its agent starts"),
    "node.cluster.x-k8s.io/uninitialized": Entry(Kind.STARTUP, "Cluster API", "Cluster API"),
    "eks.amazonaws.com/compute-type": Entry(Kind.VIRTUAL, "EKS Fargate"),
    "virtual-kubelet.io/provider": Entry(Kind.VIRTUAL, "virtual-kubelet"),
    "azure.com/aci": Entry(Kind.VIRTUAL, "AKS virtual nodes"),
    "virtual-node.liqo.io/not-allowed": Entry(Kind.VIRTUAL, "Liqo"),
    "eks.tke.cloud.tencent.com/eklet": Entry(Kind.VIRTUAL, "TKE super nodes"),
    "remediator.kubernetes.azure.com/unschedulable": Entry(Kind.MAINTENANCE, "AKS auto-repair"),
    "remediator.aks.microsoft.com/unschedulable": Entry(Kind.MAINTENANCE, "AKS auto-repair"),
    "medik8s.io/remediation": Entry(Kind.MAINTENANCE, "node remediation"),
    "kubevirt.io/drain": Entry(Kind.MAINTENANCE, "KubeVirt"),
}

_PREFIXES = {
    "aws-node-termination-handler/": Entry(Kind.MAINTENANCE, "the AWS node termination handler"),
    "startup-taint.cluster-autoscaler.kubernetes.io/": Entry(Kind.STARTUP, "the node group's settings"),
    "ignore-taint.cluster-autoscaler.kubernetes.io/": Entry(Kind.STARTUP, "the node group's settings"),
    "status-taint.cluster-autoscaler.kubernetes.io/": Entry(Kind.CONDITION, "the node group's settings"),
    "readiness.k8s.io/": Entry(Kind.STARTUP, "the node readiness controller", "the node readiness controller"),
}

# Guesses by the words of an unknown key; first match wins.
_WORDS = (
    (("not-ready", "notready", "uninitialized", "initializing", "startup", "bootstrap"), Kind.STARTUP),
    (
        (
            "drain",
            "maint",
            "termination",
            "upgrade",
            "remediation",
            "tobedeleted",
            "decommission",
            "evacuat",
            "shutdown",
        ),
        Kind.MAINTENANCE,
    ),
)


@lru_cache(maxsize=4096)
def look_up(taint: Taint) -> Entry:
    """What is known of a taint; an unknown key is judged by its words, and else isolates."""
    entry = _EXACT.get(taint.key) or next((e for prefix, e in _PREFIXES.items() if taint.key.startswith(prefix)), None)
    if entry:
        return _by_value(taint, entry)
    if taint.key.endswith("/agent-not-ready"):
        return Entry(Kind.STARTUP, "the node group's settings", f"the node plugin of {taint.key.partition('/')[0]}")
    words = taint.key.lower()
    return Entry(next((kind for parts, kind in _WORDS if any(part in words for part in parts)), Kind.ISOLATION))


def _by_value(taint: Taint, entry: Entry) -> Entry:
    """EKS marks more than Fargate with its key."""
    if taint.key == "eks.amazonaws.com/compute-type" and taint.value != "fargate":
        return Entry(Kind.ISOLATION, "EKS")
    return entry
