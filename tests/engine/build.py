"""Small clusters for the tests of the engine, built of whole API objects and judged at the clock `NOW`.

A node is ready and old, a DaemonSet settled, a pod available, unless the test says else.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.evidence import unproved

from dscov.diagnosis import diagnose
from dscov.model.cluster import Snapshot, Source
from dscov.model.findings import Diagnosis, Finding, Verdict
from dscov.model.world import World
from dscov.sources.gather import Gathering

Json = dict[str, Any]

NOW = datetime(2026, 5, 12, 9, 30, tzinfo=UTC)
KERNEL = "6.1.119-generic"


def ago(minutes: float = 0, *, hours: float = 0, days: float = 0) -> str:
    """The instant that long before NOW, as the API writes it."""
    return (NOW - timedelta(days=days, hours=hours, minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind: str, status: str, *, since: str = ago(days=30), **more: str) -> Json:
    return {"type": kind, "status": status, "lastTransitionTime": since, **more}


def taint(text: str) -> Json:
    """A taint from `key[=value]:effect`."""
    left, _, effect = text.rpartition(":")
    key, equals, value = left.partition("=")
    return {"key": key, **({"value": value} if equals else {}), "effect": effect}


def node(
    name: str,
    *taints: str,
    ready: str = "True",
    since: str = ago(days=30),
    created: str = ago(days=90),
    labels: dict[str, str] | None = None,
    conditions: list[Json] | None = None,
    info: dict[str, str] | None = None,
    spec: Json | None = None,
    metadata: Json | None = None,
    reason: str = "",
    message: str = "",
) -> Json:
    """A Node with taints given as `key[=value]:effect`. `info` overrides nodeInfo, `conditions` come after Ready."""
    told = {"operatingSystem": "linux", "architecture": "amd64", "kernelVersion": KERNEL, **(info or {})}
    known = {"kubernetes.io/hostname": name, "kubernetes.io/os": told["operatingSystem"]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"node-{name}",
            "creationTimestamp": created,
            "labels": {**known, "kubernetes.io/arch": told["architecture"], **(labels or {})},
            **(metadata or {}),
        },
        "spec": {**({"taints": [taint(text) for text in taints]} if taints else {}), **(spec or {})},
        "status": {
            "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "conditions": [
                condition("Ready", ready, since=since, reason=reason, message=message),
                *(conditions or []),
            ],
            "nodeInfo": {"kubeletVersion": "v1.36.1", "osImage": "Debian GNU/Linux 12 (bookworm)", **told},
        },
    }


LOST = ("node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute")


def lost_node(name: str, **more: Any) -> Json:
    """A node whose kubelet stopped reporting two hours ago."""
    more = {
        "since": ago(hours=2),
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
        **more,
    }
    return node(name, *LOST, ready="Unknown", **more)


def daemonset(
    name: str = "agent",
    *,
    namespace: str = "system",
    spec: Json | None = None,
    container: Json | None = None,
    inits: list[Json] | None = None,
    strategy: Json | None = None,
    labels: dict[str, str] | None = None,
    selector: dict[str, str] | None = None,
    metadata: Json | None = None,
    status: Json | None = None,
    min_ready: int = 0,
) -> Json:
    """A DaemonSet of one container `main`; `spec` is merged into the pod's spec, `container` into the container."""
    chosen = selector or {"app": name}
    one = {"name": "main", "image": f"registry.example.com/{name}:2", **(container or {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{namespace}-{name}",
            "generation": 2,
            "creationTimestamp": ago(days=60),
            "labels": labels or {},
            **(metadata or {}),
        },
        "spec": {
            "selector": {"matchLabels": chosen},
            "template": {
                "metadata": {"labels": chosen},
                "spec": {"containers": [one], **({"initContainers": inits} if inits else {}), **(spec or {})},
            },
            "updateStrategy": strategy
            or {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
            "minReadySeconds": min_ready,
        },
        "status": {"observedGeneration": 2, **(status or {})},
    }


EVERYTHING = {"tolerations": [{"operator": "Exists"}]}
ON_DELETE = {"type": "OnDelete"}


def rolling(unavailable: int | str = 1, surge: int | str = 0) -> Json:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}


def owner(ds: Json) -> Json:
    meta = ds["metadata"]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
    }


def revision(ds: Json, number: int = 2) -> Json:
    """The ControllerRevision with hash h2 (the current template) or h1 (the one before)."""
    template = ds["spec"]["template"] if number == 2 else {"metadata": {"labels": {}}, "spec": {"containers": []}}
    meta = ds["metadata"]
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"{meta['name']}-h{number}",
            "namespace": meta["namespace"],
            "uid": f"revision-{meta['name']}-{number}",
            "labels": {"controller-revision-hash": f"h{number}"},
            "ownerReferences": [owner(ds)],
        },
        "revision": number,
        "data": {"spec": {"template": {"$patch": "replace", **template}}},
    }


def ended(code: int, reason: str = "", message: str = "") -> Json:
    """A `terminated` state."""
    words = {"message": message} if message else {}
    return {"terminated": {"exitCode": code, "reason": reason or ("Error" if code else "Completed"), **words}}


def waiting(reason: str, message: str = "") -> Json:
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def running(since: str = ago(hours=5)) -> Json:
    return {"running": {"startedAt": since}}


def status(state: Json, *, name: str = "main", restarts: int = 0, last: Json | None = None, **more: Any) -> Json:
    """A containerStatus."""
    return {"name": name, "ready": False, "restartCount": restarts, "state": state, "lastState": last or {}, **more}


def crashing(code: int = 1, message: str = "", *, reason: str = "", name: str = "main", restarts: int = 40) -> Json:
    """A container in CrashLoopBackOff."""
    back_off = waiting("CrashLoopBackOff", f"back-off 5m0s restarting failed container={name} pod=x")
    return status(back_off, name=name, restarts=restarts, last=ended(code, reason, message))


def pod(
    ds: Json,
    on: str,
    *containers: Json,
    ready: bool | None = None,
    inits: list[Json] | None = None,
    created: str = ago(hours=5),
    ready_since: str = ago(hours=4),
    revision: str = "h2",
    bound: bool = True,
    phase: str = "",
    suffix: str = "",
    conditions: list[Json] | None = None,
    metadata: Json | None = None,
    spec: Json | None = None,
    status: Json | None = None,
) -> Json:
    """A pod of a DaemonSet on a node: ready where no statuses of `containers` or `inits` are given."""
    meta, template = ds["metadata"], ds["spec"]["template"]
    well = ready if ready is not None else not containers and not inits and not phase and bound
    name = f"{meta['name']}-{on}{suffix}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "uid": f"pod-{name}",
            "labels": {**template["metadata"]["labels"], "controller-revision-hash": revision},
            "ownerReferences": [owner(ds)],
            "creationTimestamp": created,
            **(metadata or {}),
        },
        "spec": {
            **template["spec"],
            **({"nodeName": on} if bound else {}),
            "affinity": aim(on),
            **(spec or {}),
        },
        "status": {
            "phase": phase or ("Running" if well or (containers and not inits) else "Pending"),
            "conditions": [
                *(conditions or []),
                condition("Ready", "True" if well else "False", since=ready_since),
                condition("PodScheduled", "True" if bound else "False"),
            ],
            **({"initContainerStatuses": inits} if inits else {}),
            **({"containerStatuses": list(containers)} if containers else {}),
            **(status or {}),
        },
    }


def rejected(ds: Json, on: str, reason: str, message: str = "", **more: Any) -> Json:
    """A pod that the kubelet refused or put out: Failed, without container statuses."""
    return pod(ds, on, phase="Failed", status={"reason": reason, "message": message}, **more)


def terminating(made: Json, *, since: str = ago(hours=5), finalizers: list[str] | None = None) -> Json:
    """The same pod on its way out."""
    going = {"deletionTimestamp": since, "deletionGracePeriodSeconds": 30}
    made["metadata"] |= going | ({"finalizers": finalizers} if finalizers else {})
    return made


def aim(name: str) -> Json:
    """The required node affinity that pins a daemon pod to its node."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def event(about: Json, reason: str, message: str, *, last: str = ago(5), count: int = 3, kind: str = "Warning") -> Json:
    """An event about an object."""
    meta = about["metadata"]
    namespace = meta.get("namespace", "default")
    slug = f"{meta['name']}.{abs(hash_of(reason + message)) % 10**8:08}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": slug, "namespace": namespace},
        "involvedObject": {
            "kind": about["kind"],
            "name": meta["name"],
            "uid": meta.get("uid", ""),
            **({"namespace": meta["namespace"]} if "namespace" in meta else {}),
        },
        "reason": reason,
        "message": message,
        "type": kind,
        "count": count,
        "firstTimestamp": ago(hours=1),
        "lastTimestamp": last,
    }


def hash_of(text: str) -> int:
    """A number that is the same in every run."""
    return sum(ord(letter) * (place + 1) for place, letter in enumerate(text))


def snapshot(*objects: Json, version: str = "v1.36.1") -> Snapshot:
    """The objects as they would be read from a saved file."""
    gathering = Gathering()
    gathering.document(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode(), "test")
    assert not gathering.broken, gathering.broken
    return gathering.snapshot(Source("saved", path="test"), version=version)


def world(*objects: Json, version: str = "v1.36.1") -> World:
    """What causes see of the objects."""
    return World(snapshot(*objects, version=version), NOW)


def judged(*objects: Json, version: str = "v1.36.1") -> Diagnosis:
    """The whole answer; every piece of evidence in it is checked against the objects."""
    found = diagnose(snapshot(*objects, version=version), now=NOW)
    wrong = [flaw for one in found.coverage for finding in one.findings for flaw in unproved(finding, objects)]
    assert wrong == []
    return found


def findings(slug: str, *objects: Json, version: str = "v1.36.1") -> list[Finding]:
    """The findings of one cause; none where it is silent."""
    found = judged(*objects, version=version)
    return [finding for one in found.coverage for finding in one.findings if finding.cause == slug]


def verdict(on: str, *objects: Json, of: str = "", version: str = "v1.36.1") -> Verdict:
    """The verdict on one node, of the DaemonSet named `of` (or the first)."""
    found = judged(*objects, version=version)
    one = next(one for one in found.coverage if of in {"", one.daemonset.name})
    return next(pair.verdict for pair in one.pairs if pair.node == on)
