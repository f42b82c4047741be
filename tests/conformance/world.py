"""Whole API objects from the short rows of the written tables.

A row names nodes, pods and settings; times are seconds, the clock stands at second 1000. The DaemonSet's current
template has hash h2, the one before h1. Unless the row says else a pod is Running, Ready since second 500, of hash h2.
"""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.tables import lines

Json = dict[str, Any]

START = datetime(2026, 5, 12, 9, 0, tzinfo=UTC)
UID = "11111111-2222-4333-8444-555555555555"
LABELS = {"app": "d"}
GENERATION = "deprecated.daemonset.template.generation"
COUNTERS = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberMisscheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
)
OMITTED_WHEN_ZERO = ("updatedNumberScheduled", "numberAvailable", "numberUnavailable")
ALLOCATABLE = {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "90Gi", "pods": "110"}


def at(second: int) -> str:
    """The instant of a second of the tables, as the API writes it."""
    return (START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


NOW = at(1000)


def taint(text: str) -> Json:
    """A taint from `key[=value]:effect`."""
    left, _, effect = text.rpartition(":")
    key, equals, value = left.partition("=")
    return {"key": key, **({"value": value} if equals else {}), "effect": effect}


def node(about: str | Json) -> Json:
    """A node that was made long ago; Ready unless it has the taint of an unreachable one."""
    row: Json = {"name": about} if isinstance(about, str) else about
    taints = [taint(text) for text in row.get("taints", [])]
    lost = any(found["key"] == "node.kubernetes.io/unreachable" for found in taints)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": row["name"],
            "uid": f"node-{row['name']}",
            "creationTimestamp": at(-10_000_000),
            "labels": {"kubernetes.io/hostname": row["name"], "kubernetes.io/os": "linux", **row.get("labels", {})},
        },
        "spec": {"taints": taints} if taints else {},
        "status": {
            "allocatable": {**ALLOCATABLE, **row.get("allocatable", {})},
            "capacity": ALLOCATABLE,
            "conditions": [condition("Ready", "Unknown" if lost else "True", 0 if lost else -10_000_000)],
        },
    }


def condition(kind: str, status: str, since: int | None) -> Json:
    """A condition; without lastTransitionTime where `since` is None."""
    return {"type": kind, "status": status, **({} if since is None else {"lastTransitionTime": at(since)})}


def template(row: Json, image: str) -> Json:
    """A pod template; `row` may give requests, a host port and a claim."""
    container: Json = {"name": "c", "image": image}
    if "requests" in row:
        container["resources"] = {"requests": row["requests"]}
    if "hostPort" in row:
        container["ports"] = [{"containerPort": row["hostPort"], "hostPort": row["hostPort"], "protocol": "TCP"}]
    spec: Json = {"containers": [container]}
    if "claim" in row:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": row["claim"]}}]
    return {"metadata": {"labels": LABELS}, "spec": spec}


def daemonset(row: Json, status: Json) -> Json:
    """The DaemonSet `default/d` of a row, its last edit observed, with the status given."""
    made: Json = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": "d",
            "namespace": "default",
            "uid": UID,
            "generation": 2,
            "creationTimestamp": at(-9_000_000),
        },
        "spec": {
            "selector": {"matchLabels": LABELS},
            "template": template(row, "i:2"),
            "updateStrategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": row.get("maxUnavailable", 1), "maxSurge": 0},
            },
            "minReadySeconds": row.get("minReadySeconds", 0),
            "revisionHistoryLimit": 10,
        },
        "status": {"observedGeneration": 2, **status},
    }
    if "generation" in row:
        made["metadata"]["annotations"] = {GENERATION: row["generation"]}
    return made


def owner(uid: str = UID) -> Json:
    """The ownerReference of everything the DaemonSet's controller makes."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "name": "d",
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def revision(row: Json, number: int) -> Json:
    """The ControllerRevision with hash h1 or h2."""
    made = template(row, f"i:{number}")
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"d-h{number}",
            "namespace": "default",
            "uid": f"revision-{number}",
            "labels": {**LABELS, "controller-revision-hash": f"h{number}"},
            "ownerReferences": [owner()],
        },
        "revision": number,
        "data": {"spec": {"template": {"$patch": "replace", **made}}},
    }


def pod(about: Json, row: Json) -> Json:
    """A pod of the DaemonSet."""
    labels = {**about.get("labels", LABELS), "controller-revision-hash": about.get("hash", "h2")}
    if "generation" in about:
        labels["pod-template-generation"] = about["generation"]
    metadata: Json = {
        "name": about["name"],
        "namespace": about.get("namespace", "default"),
        "uid": f"pod-{about['name']}",
        "labels": labels,
        "creationTimestamp": at(about.get("created", 0)),
    }
    if (uid := about.get("owner", UID)) is not None:
        metadata["ownerReferences"] = [owner(uid)]
    if about.get("deleting"):
        metadata |= {"deletionTimestamp": at(900), "deletionGracePeriodSeconds": 30}
    bound = {"nodeName": about["node"]} if "node" in about else {}
    aimed = aim(about.get("aimed", [about.get("node")]), about.get("aimedWith", "In"))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**template(row, "i:2")["spec"], **bound, "affinity": aimed},
        "status": {"phase": about.get("phase", "Running"), "conditions": conditions(about)},
    }


def aim(names: list[str], operator: str) -> Json:
    """The required node affinity that pins a daemon pod to its node."""
    term = {"matchFields": [{"key": "metadata.name", "operator": operator, "values": names}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def conditions(about: Json) -> list[Json]:
    """Ready as the row has it (`ready: null` is no such condition), and PodScheduled."""
    ready = about.get("ready", "True")
    scheduled = condition("PodScheduled", "True" if "node" in about else "False", about.get("created", 0))
    if "message" in about:
        scheduled |= {"reason": "Unschedulable", "message": about["message"]}
    return [scheduled, *([] if ready is None else [condition("Ready", ready, about.get("readySince", 500))])]


def status_of(counters: list[int]) -> Json:
    """Seven numbers as a `.status`, without the fields that the API leaves out when zero."""
    named = dict(zip(COUNTERS, counters, strict=True))
    return {name: count for name, count in named.items() if count or name not in OMITTED_WHEN_ZERO}


def world(row: Json, status: Json) -> Json:
    """The saved cluster of a row: one List, as `kubectl get ... -o json` prints it."""
    items = [
        *(node(about) for about in row["nodes"]),
        daemonset(row, status),
        *(revision(row, number) for number in (1, 2)),
        *(pod(about, row) for about in row["pods"]),
    ]
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}


def crossed(start: int, count: int) -> Json:
    """DaemonSets and nodes of the decision rows, every one against every one, with names of their own."""
    daemonsets, nodes = [], {}
    for number, row in enumerate(lines("should_run.jsonl.gz")[start : start + count]):
        daemonset = copy.deepcopy(row["daemonset"])
        daemonset["metadata"] |= {"name": f"d-{number}", "uid": f"uid-{number}"}
        daemonsets.append(daemonset)
        node = copy.deepcopy(row["node"])
        if node["metadata"]["name"] in nodes:
            node["metadata"]["name"] += f"-{number}"
        nodes[node["metadata"]["name"]] = node
    return {"apiVersion": "v1", "kind": "List", "items": [*nodes.values(), *daemonsets]}
