"""Objects as an API server returns them: defaults filled in, what controllers and kubelets write, keys to be sorted.

The generators of saved clusters are made of these. Everything is a function of its arguments: no clock, no chance.
"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

CLOCK = datetime(2026, 5, 12, 9, 30, tzinfo=UTC)
SAFE = "bcdfghjklmnpqrstvwxz2456789"
DAY, HOUR, MINUTE = 86400, 3600, 60
GENERATION = "deprecated.daemonset.template.generation"
HASH = "controller-revision-hash"
WELL_KNOWN = "node.kubernetes.io/"
AUTOMATIC = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)


def ago(seconds: float) -> str:
    """The instant so many seconds before the clock, as the API writes it."""
    return (CLOCK - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago_micro(seconds: float) -> str:
    """The same with microseconds, as eventTime has it."""
    return (CLOCK - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def digest(*parts: object) -> str:
    """64 hexadecimal digits that depend on nothing but the parts."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def uid(*parts: object) -> str:
    """A UUID of version 4's looks."""
    text = digest("uid", *parts)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def suffix(*parts: object, length: int = 5) -> str:
    """A generated name's ending, in the alphabet that Kubernetes uses for them."""
    number = int(digest("suffix", *parts), 16)
    return "".join(SAFE[number // len(SAFE) ** place % len(SAFE)] for place in range(length))


def version_of(*parts: object) -> str:
    """A resourceVersion."""
    return str(1_000_000 + int(digest("rv", *parts)[:8], 16) % 9_000_000)


def taint(text: str, since: float | None = None) -> Json:
    """A taint from `key[=value]:effect`; timeAdded where `since` says so."""
    left, _, effect = text.rpartition(":")
    key, equals, value = left.partition("=")
    added = {} if since is None else {"timeAdded": ago(since)}
    return {"effect": effect, "key": key, **({"value": value} if equals else {}), **added}


def toleration(text: str) -> Json:
    """A toleration from `key[=value][:effect]`; without a value it is Exists, `*` is every taint."""
    if text == "*":
        return {"operator": "Exists"}
    left, _, effect = text.partition(":")
    key, equals, value = left.partition("=")
    made: Json = {"key": key, "operator": "Equal", "value": value} if equals else {"key": key, "operator": "Exists"}
    return {**made, "effect": effect} if effect else made


@dataclass(frozen=True)
class Workload:
    """A DaemonSet, as its author wrote it."""

    namespace: str
    name: str
    image: str
    tolerations: tuple[str, ...] = ()
    selector: Json = field(default_factory=dict)
    terms: tuple[Json, ...] = ()
    host_network: bool = False
    ports: tuple[int, ...] = ()
    requests: Json = field(default_factory=dict)
    limits: Json = field(default_factory=dict)
    args: tuple[str, ...] = ()
    host_paths: tuple[str, ...] = ()
    priority_class: str = ""
    strategy: Json = field(default_factory=lambda: {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}})
    labels: Json = field(default_factory=dict)
    annotations: Json = field(default_factory=dict)
    revision: int = 1
    age: float = 200 * DAY
    edited: float = 20 * DAY

    @property
    def match(self) -> Json:
        """Its pods' labels."""
        return {"app.kubernetes.io/instance": self.name, "app.kubernetes.io/name": self.name}

    @property
    def uid(self) -> str:
        """Its UID."""
        return uid("ds", self.namespace, self.name)

    def hash(self, number: int | None = None) -> str:
        """The controller-revision-hash of a revision, the current one unless told."""
        return suffix("hash", self.namespace, self.name, number or self.revision, length=9)

    def image_of(self, number: int) -> str:
        """The image of a revision: the current one's as given, an older one's with another patch number."""
        return self.image if number == self.revision else f"{self.image.rpartition('.')[0]}.{number}"


def container(work: Workload, number: int) -> Json:
    """The one container of a workload's template."""
    made: Json = {
        "env": [
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
        ],
        "image": work.image_of(number),
        "imagePullPolicy": "IfNotPresent",
        "name": work.name,
        "resources": {key: value for key, value in (("limits", work.limits), ("requests", work.requests)) if value},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }
    if work.args:
        made["args"] = list(work.args)
    if work.ports:
        made["ports"] = [port(work, wanted) for wanted in work.ports]
        made["readinessProbe"] = {
            "failureThreshold": 3,
            "httpGet": {"path": "/healthz", "port": work.ports[0], "scheme": "HTTP"},
            "periodSeconds": 10,
            "successThreshold": 1,
            "timeoutSeconds": 1,
        }
    if work.host_paths:
        made["volumeMounts"] = [{"mountPath": path, "name": volume_name(path)} for path in work.host_paths]
    return made


def port(work: Workload, number: int) -> Json:
    """A container port; a host port where the workload lives in the node's network."""
    host = {"hostPort": number} if work.host_network else {}
    return {"containerPort": number, **host, "name": f"p-{number}", "protocol": "TCP"}


def volume_name(path: str) -> str:
    """A volume's name from the path on the node."""
    return path.strip("/").replace("/", "-").replace(".", "-") or "root"


def template(work: Workload, number: int | None = None) -> Json:
    """A revision's pod template with the server's defaults."""
    spec: Json = {
        "containers": [container(work, number or work.revision)],
        "dnsPolicy": "ClusterFirstWithHostNet" if work.host_network else "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": work.name,
        "serviceAccountName": work.name,
        "terminationGracePeriodSeconds": 30,
    }
    if work.host_network:
        spec["hostNetwork"] = True
    if work.selector:
        spec["nodeSelector"] = dict(work.selector)
    if work.terms:
        spec["affinity"] = required(list(work.terms))
    if work.tolerations:
        spec["tolerations"] = [toleration(text) for text in work.tolerations]
    if work.priority_class:
        spec["priorityClassName"] = work.priority_class
    if work.host_paths:
        spec["volumes"] = [
            {"hostPath": {"path": path, "type": ""}, "name": volume_name(path)} for path in work.host_paths
        ]
    return {"metadata": {"creationTimestamp": None, "labels": work.match}, "spec": spec}


def required(terms: list[Json]) -> Json:
    """A required node affinity of these terms."""
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def expression(key: str, operator: str, *values: str) -> Json:
    """A term of one expression."""
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


def daemonset(work: Workload, status: Json) -> Json:
    """The DaemonSet with the status given; its last edit is observed unless the status says else."""
    strategy = work.strategy
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "annotations": {GENERATION: str(work.revision), **work.annotations},
            "creationTimestamp": ago(work.age),
            "generation": work.revision,
            "labels": {**work.match, **work.labels},
            "name": work.name,
            "namespace": work.namespace,
            "resourceVersion": version_of("ds", work.namespace, work.name),
            "uid": work.uid,
        },
        "spec": {
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": work.match},
            "template": template(work),
            "updateStrategy": {"type": "RollingUpdate" if "rollingUpdate" in strategy else "OnDelete", **strategy},
        },
        "status": {"observedGeneration": work.revision, **status},
    }


def status(counts: dict[str, int]) -> Json:
    """The counters as the API serves them: some are left out when zero."""
    optional = {"updatedNumberScheduled", "numberAvailable", "numberUnavailable"}
    return {name: count for name, count in counts.items() if count or name not in optional}


def owner(work: Workload) -> list[Json]:
    """The ownerReferences of what the DaemonSet's controller makes."""
    return [
        {
            "apiVersion": "apps/v1",
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": "DaemonSet",
            "name": work.name,
            "uid": work.uid,
        }
    ]


def revision(work: Workload, number: int) -> Json:
    """A ControllerRevision."""
    name = f"{work.name}-{work.hash(number)}"
    return {
        "apiVersion": "apps/v1",
        "data": {"spec": {"template": {"$patch": "replace", **template(work, number)}}},
        "kind": "ControllerRevision",
        "metadata": {
            "annotations": {GENERATION: str(number), **work.annotations},
            "creationTimestamp": ago(work.age if number == 1 else work.edited),
            "labels": {**work.match, HASH: work.hash(number)},
            "name": name,
            "namespace": work.namespace,
            "ownerReferences": owner(work),
            "resourceVersion": version_of("cr", work.namespace, name),
            "uid": uid("cr", work.namespace, name),
        },
        "revision": number,
    }


def namespace(name: str, labels: Json | None = None, annotations: Json | None = None) -> Json:
    """A namespace in use."""
    metadata: Json = {
        "creationTimestamp": ago(300 * DAY),
        "labels": {"kubernetes.io/metadata.name": name, **(labels or {})},
        "name": name,
        "resourceVersion": version_of("ns", name),
        "uid": uid("ns", name),
    }
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata,
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def copied(made: Json) -> Json:
    """A copy that shares nothing with the original."""
    return copy.deepcopy(made)
