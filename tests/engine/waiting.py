"""Pods that the scheduler left, pods that fill a node, and refusals of the API server, for the tests of causes."""

from __future__ import annotations

from typing import Any

from engine.build import Json, ago, condition, event, pod

POST = (
    " preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful."
)


def left(ds: Json, message: str = "", *, on: str = "n1", **more: Any) -> Json:
    """A pod that is not bound, with the scheduler's message in its condition (none where the message is empty)."""
    told = condition("PodScheduled", "False", reason="Unschedulable", message=message)
    status = {"phase": "Pending", "conditions": [told] if message else []}
    return pod(ds, on, bound=False, status=status, **more)


def refusal(*reasons: str, nodes: int = 2) -> str:
    """The message of 1.32 and later: the reasons of the pod's own node, the others passed over."""
    entries = sorted(
        [*(f"1 {reason}" for reason in reasons), f"{nodes - 1} node(s) didn't satisfy plugin(s) [NodeAffinity]"]
    )
    return f"0/{nodes} nodes are available: {', '.join(entries)}.{POST}"


def tenant(
    name: str,
    *,
    on: str = "n1",
    requests: dict[str, str] | None = None,
    priority: int = 0,
    owner: str = "ReplicaSet",
    spec: Json | None = None,
    container: Json | None = None,
    labels: dict[str, str] | None = None,
    metadata: Json | None = None,
    phase: str = "Running",
) -> Json:
    """A pod of somebody else on a node."""
    reference = {"apiVersion": "apps/v1", "kind": owner, "name": name, "uid": f"uid-{name}", "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{name}-x",
            "namespace": "shop",
            "uid": f"pod-{name}-{on}",
            "creationTimestamp": ago(days=1),
            "labels": labels or {},
            **({"ownerReferences": [reference]} if owner else {}),
            **(metadata or {}),
        },
        "spec": {
            "nodeName": on,
            "priority": priority,
            "containers": [{"name": "c", "resources": {"requests": requests or {}}, **(container or {})}],
            **(spec or {}),
        },
        "status": {"phase": phase, "conditions": [condition("Ready", "True")]},
    }


def priority_class(name: str, value: int, **more: Any) -> Json:
    meta = {"name": name}
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta, "value": value, **more}


def denied(ds: Json, text: str, *, last: str = ago(3), **more: Any) -> Json:
    """The event of a pod that the API server refused."""
    name = ds["metadata"]["name"]
    return event(ds, "FailedCreate", f'Error creating: pods "{name}-" is forbidden: {text}', last=last, **more)


def created(ds: Json, *, last: str) -> Json:
    return event(ds, "SuccessfulCreate", "Created pod: agent-abcde", last=last, kind="Normal")


def lease(name: str, renewed: str) -> Json:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"renewTime": renewed, "leaseDurationSeconds": 15, "holderIdentity": "cp-a_1"},
    }


def namespace(name: str = "system", *, phase: str = "Active", **meta: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **meta}, "status": {"phase": phase}}
