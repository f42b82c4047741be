"""Nodes and DaemonSets as dictionaries, complete enough for a real API server."""

from __future__ import annotations

from typing import Any

from cluster.api import Object

FAKE = "kwok.x-k8s.io/node"
IMAGE = "registry.example/agent:1.0.0"
HEALTHY = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}


def namespace(name: str, labels: dict[str, str] | None = None) -> Object:
    """A Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}}


def node(
    name: str,
    *,
    labels: dict[str, str] | None = None,
    taints: list[Object] | None = None,
    resources: dict[str, str] | None = None,
    conditions: dict[str, str] | None = None,
    fake: bool = True,
) -> Object:
    """A Node that is ready unless `conditions` (type -> status) says otherwise.

    `fake` nodes have kwok for a kubelet; on the others nothing happens but what a test writes. `resources` (cpu,
    memory, pods, ...) are both capacity and allocatable.
    """
    amounts = {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "200Gi", "pods": "110"} | (resources or {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                **(labels or {}),
            },
            "annotations": {FAKE: "fake"} if fake else {},
        },
        "spec": {"taints": taints or []},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": name}],
            "conditions": node_conditions({"Ready": "True", **HEALTHY, **(conditions or {})}),
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": "",
                "containerRuntimeVersion": "containerd://2.1.4",
                "kernelVersion": "6.12.0",
                "kubeProxyVersion": "",
                "kubeletVersion": "v1.37.2",
                "machineID": "",
                "operatingSystem": "linux",
                "osImage": "Test Linux",
                "systemUUID": "",
            },
        },
    }


def node_conditions(statuses: dict[str, str]) -> list[Object]:
    """Node conditions, type -> status, with reasons as a kubelet gives them."""
    reasons = {"True": "KubeletReady", "False": "KubeletNotReady", "Unknown": "NodeStatusUnknown"}
    return [
        {
            "type": kind,
            "status": status,
            "reason": reasons[status] if kind == "Ready" else f"Kubelet{'Has' if status == 'True' else 'HasNo'}{kind}",
            "message": "written by a test",
            "lastHeartbeatTime": "2026-01-01T00:00:00Z",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind, status in statuses.items()
    ]


def taint(key: str, effect: str, value: str = "") -> Object:
    """A taint."""
    return {"key": key, "effect": effect} | ({"value": value} if value else {})


def daemonset(
    name: str,
    namespace: str,
    *,
    pod: dict[str, Any] | None = None,
    spec: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
) -> Object:
    """A DaemonSet of one container; `pod` is merged over the pod's spec and `spec` over the DaemonSet's."""
    chosen = {"app": name}
    template = {
        "metadata": {"labels": chosen | (labels or {})},
        "spec": {"containers": [{"name": "agent", "image": IMAGE}], "terminationGracePeriodSeconds": 1} | (pod or {}),
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": namespace, "labels": chosen},
        "spec": {"selector": {"matchLabels": chosen}, "template": template} | (spec or {}),
    }
