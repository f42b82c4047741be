"""Daemon pods in the states that clusters show, and the events that go with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apiobjects import (
    AUTOMATIC,
    HASH,
    WELL_KNOWN,
    Json,
    Workload,
    ago,
    ago_micro,
    copied,
    digest,
    owner,
    required,
    suffix,
    template,
    toleration,
    uid,
    version_of,
)

PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}


@dataclass(frozen=True)
class Place:
    """Where and when a pod is; plain texts, so that a generator may put marks in their place."""

    name: str
    node: str
    uid: str
    host_ip: str
    pod_ip: str
    created: str
    started: str
    version: str

    @classmethod
    def of(cls, work: Workload, node: str, *, ip: str, age: float, salt: str = "") -> Place:
        """The place of a workload's pod on a node, made so many seconds ago."""
        name = f"{work.name}-{suffix('pod', work.namespace, work.name, node, salt)}"
        inside = int(digest("ip", node, work.name)[:4], 16)
        return cls(
            name=name,
            node=node,
            uid=uid("pod", work.namespace, name),
            host_ip=ip,
            pod_ip=ip if work.host_network else f"10.244.{inside // 256}.{inside % 250 + 2}",
            created=ago(age),
            started=ago(age - 9),
            version=version_of("pod", work.namespace, name),
        )


def pod(work: Workload, place: Place, number: int | None = None, *, bound: bool = True) -> Json:
    """The pod as the controller made it, bound or not, with no status but Pending."""
    labels = {**work.match, HASH: work.hash(number), "pod-template-generation": str(number or work.revision)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "creationTimestamp": place.created,
            "generateName": f"{work.name}-",
            "labels": labels,
            "name": place.name,
            "namespace": work.namespace,
            "ownerReferences": owner(work),
            "resourceVersion": place.version,
            "uid": place.uid,
        },
        "spec": spec(work, place, number, bound=bound),
        "status": {"phase": "Pending", "qosClass": quality(work)},
    }


def spec(work: Workload, place: Place, number: int | None, *, bound: bool) -> Json:
    """The template's spec after the controller (tolerations, affinity) and admission (token, priority, limits)."""
    made: Json = copied(template(work, number)["spec"])
    made["affinity"] = required([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [place.node]}]}])
    added = [toleration(f"{WELL_KNOWN}{key}:{effect}") for key, effect in AUTOMATIC]
    if work.host_network:
        added.append(toleration(f"{WELL_KNOWN}network-unavailable:NoSchedule"))
    made["tolerations"] = made.get("tolerations", []) + [
        made_ for made_ in added if made_ not in made.get("tolerations", [])
    ]
    made |= {
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": PRIORITIES.get(work.priority_class, 0),
        **({"nodeName": place.node} if bound else {}),
    }
    token = "kube-api-access-" + work.hash(number)[:5]
    made["volumes"] = [*made.get("volumes", []), token_volume(token)]
    for container in made["containers"]:
        mount = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": token, "readOnly": True}
        container["volumeMounts"] = [*container.get("volumeMounts", []), mount]
    return made


def token_volume(name: str) -> Json:
    """The projected volume of the service account's token."""
    reference = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources: list[Json] = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"fieldRef": reference, "path": "namespace"}]}},
    ]
    return {"name": name, "projected": {"defaultMode": 420, "sources": sources}}


def quality(work: Workload) -> str:
    """The QoS class."""
    if not work.requests and not work.limits:
        return "BestEffort"
    return "Guaranteed" if work.requests == work.limits and {"cpu", "memory"} <= set(work.limits) else "Burstable"


def condition(kind: str, value: str, since: str, *, reason: str = "", message: str = "") -> Json:
    """A pod condition."""
    texts = {key: text for key, text in (("message", message), ("reason", reason)) if text}
    return {"lastProbeTime": None, "lastTransitionTime": since, "status": value, "type": kind, **texts}


def conditions(place: Place, ready: bool, *, containers: str = "") -> list[Json]:
    """The five conditions of a bound pod."""
    why = (
        {} if ready else {"reason": "ContainersNotReady", "message": f"containers with unready status: [{containers}]"}
    )
    value, since = ("True", place.started) if ready else ("False", place.created)
    return [
        condition("PodReadyToStartContainers", "True", place.started),
        condition("Initialized", "True", place.created),
        condition("Ready", value, since, **why),
        condition("ContainersReady", value, since, **why),
        condition("PodScheduled", "True", place.created),
    ]


def container_status(work: Workload, place: Place, number: int | None, changed: Json) -> Json:
    """The status of the one container: running and ready but for what `changed` says."""
    image = work.image_of(number or work.revision)
    return {
        "containerID": f"containerd://{digest('container', place.uid)}",
        "image": image,
        "imageID": f"{image.rpartition(':')[0]}@sha256:{digest('image', image)}",
        "lastState": {},
        "name": work.name,
        "ready": True,
        "restartCount": 0,
        "started": True,
        "state": {"running": {"startedAt": place.started}},
        **changed,
    }


def at_work(work: Workload, place: Place, *, number: int | None = None, changed: Json | None = None) -> Json:
    """A bound pod that the kubelet has taken: ready, unless `changed` says otherwise of its container."""
    made = pod(work, place, number)
    state = container_status(work, place, number, changed or {})
    made["status"] |= {
        "conditions": conditions(place, state["ready"], containers=work.name),
        "containerStatuses": [state],
        "hostIP": place.host_ip,
        "hostIPs": [{"ip": place.host_ip}],
        "phase": "Running" if "running" in state["state"] or state["restartCount"] else "Pending",
        "podIP": place.pod_ip,
        "podIPs": [{"ip": place.pod_ip}],
        "startTime": place.created,
    }
    return made


def crashing(work: Workload, place: Place, *, code: int, reason: str, last_words: str, restarts: int) -> Json:
    """A pod in CrashLoopBackOff."""
    again = f"back-off 5m0s restarting failed container={work.name} pod={place.name}_{work.namespace}({place.uid})"
    last: Json = {
        "containerID": f"containerd://{digest('last', place.uid)}",
        "exitCode": code,
        "finishedAt": ago(131),
        "reason": reason,
        "startedAt": ago(134),
    }
    if last_words:
        last["message"] = last_words
    changed = {
        "lastState": {"terminated": last},
        "ready": False,
        "restartCount": restarts,
        "started": False,
        "state": {"waiting": {"message": again, "reason": "CrashLoopBackOff"}},
    }
    return at_work(work, place, changed=changed)


def without_image(work: Workload, place: Place, *, number: int | None = None, message: str = "") -> Json:
    """A pod in ImagePullBackOff."""
    image = work.image_of(number or work.revision)
    waiting = {"message": message or f'Back-off pulling image "{image}"', "reason": "ImagePullBackOff"}
    changed = {"imageID": "", "ready": False, "started": False, "state": {"waiting": waiting}}
    made = at_work(work, place, number=number, changed=changed)
    del made["status"]["containerStatuses"][0]["containerID"]
    return made


def unready(work: Workload, place: Place) -> Json:
    """A pod that runs and whose readiness probe fails."""
    return at_work(work, place, changed={"ready": False})


def unscheduled(work: Workload, place: Place, message: str) -> Json:
    """A pod that the scheduler could not bind."""
    made = pod(work, place, bound=False)
    made["status"]["conditions"] = [
        condition("PodScheduled", "False", place.created, reason="Unschedulable", message=message)
    ]
    return made


def lost(made: Json, since: str) -> Json:
    """The pod after the node lifecycle controller gave its node up: Ready False, everything else as it was."""
    for found in made["status"]["conditions"]:
        if found["type"] == "Ready":
            found |= {"status": "False", "lastTransitionTime": since}
    return made


def terminating(made: Json, since: str) -> Json:
    """The pod after somebody deleted it."""
    made["metadata"] |= {"deletionGracePeriodSeconds": 30, "deletionTimestamp": since}
    return made


def event(made: Json, reason: str, message: str, *, first: float, last: float, count: int, **more: Any) -> Json:
    """An event about an object, counted by its source; `kind` (Warning), `source` and `host` may be given."""
    about, host = made["metadata"], more.get("host")
    component = more.get("source", "kubelet")
    name = f"{about['name']}.{digest('event', about['uid'], reason, message)[:16]}"
    return {
        "apiVersion": "v1",
        "count": count,
        "eventTime": None,
        "firstTimestamp": ago(first),
        "involvedObject": reference(made),
        "kind": "Event",
        "lastTimestamp": ago(last),
        "message": message,
        "metadata": {
            "creationTimestamp": ago(first),
            "name": name,
            "namespace": about.get("namespace", "default"),
            "resourceVersion": version_of("event", name),
            "uid": uid("event", name),
        },
        "reason": reason,
        "reportingComponent": component,
        "reportingInstance": host or "",
        "source": {"component": component, **({"host": host} if host else {})},
        "type": more.get("kind", "Warning"),
    }


def unscheduled_event(made: Json, message: str, *, first: float, last: float, count: int) -> Json:
    """A FailedScheduling event: of the newer kind, with eventTime and series."""
    text = message if len(message) <= 1024 else message[:1020] + " ..."
    found = event(made, "FailedScheduling", text, first=first, last=last, count=count, source="default-scheduler")
    del found["count"]
    return found | {
        "action": "Scheduling",
        "eventTime": ago_micro(first),
        "firstTimestamp": None,
        "lastTimestamp": None,
        "reportingInstance": "default-scheduler-cp-1",
        "series": {"count": count, "lastObservedTime": ago_micro(last)},
        "source": {},
    }


def reference(made: Json) -> Json:
    """The involvedObject of an event."""
    about = made["metadata"]
    space = {"namespace": about["namespace"]} if "namespace" in about else {}
    return {
        "apiVersion": made["apiVersion"],
        "kind": made["kind"],
        "name": about["name"],
        **space,
        "resourceVersion": about["resourceVersion"],
        "uid": about["name"] if made["kind"] == "Node" else about["uid"],
    }
