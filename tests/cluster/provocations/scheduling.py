"""Pods that the scheduler does not place: room, ports, volumes, rules among pods, selectors, gates."""

from __future__ import annotations

from cluster.api import Object
from cluster.objects import IMAGE
from cluster.provocations.stage import Provocation, Stage, provocation

SCHEDULING: list[Provocation] = []

HOSTNAME = "kubernetes.io/hostname"


def asking(**requests: str) -> Object:
    """A pod's spec whose container asks for these amounts."""
    return {"containers": [{"name": "agent", "image": IMAGE, "resources": {"requests": requests}}]}


def holding(port: int) -> Object:
    """A container with a host port."""
    return {"ports": [{"containerPort": port, "hostPort": port}]}


def refused(stage: Stage, pod: Object) -> None:
    """The DaemonSet, once the scheduler has said no."""
    stage.daemonset(pod=pod)
    stage.refused("a")


@provocation(SCHEDULING, a="pending gap insufficient-resources", b="covered", says="cpu: the pod asks for 500m")
def node_full(stage: Stage) -> None:
    stage.node("a", resources={"cpu": "1"})
    stage.node("b")
    stage.tenant("a", container={"resources": {"requests": {"cpu": "800m"}}})
    refused(stage, asking(cpu="500m"))
    stage.ready("b")


@provocation(SCHEDULING, a="pending gap insufficient-resources", says="the whole node has 16")
def node_too_small(stage: Stage) -> None:
    stage.node("a")
    refused(stage, asking(cpu="32"))


@provocation(SCHEDULING, a="pending gap insufficient-resources", says="example.com/gpu")
def node_without_the_device(stage: Stage) -> None:
    stage.node("a")
    both = {"example.com/gpu": "1"}
    container = {"name": "agent", "image": IMAGE, "resources": {"requests": both, "limits": both}}
    refused(stage, {"containers": [container]})


@provocation(SCHEDULING, a="pending gap too-many-pods", says="Pod too-many-pods/tenant")
def too_many_pods(stage: Stage) -> None:
    stage.node("a", resources={"pods": "1"})
    stage.tenant("a")
    refused(stage, {})


@provocation(SCHEDULING, a="pending gap host-port-conflict", says="Pod host-port-conflict/tenant")
def host_port_conflict(stage: Stage) -> None:
    stage.node("a")
    stage.tenant("a", container=holding(9100))
    refused(stage, {"containers": [{"name": "agent", "image": IMAGE, **holding(9100)}]})


def with_claim(name: str) -> Object:
    """A pod's spec with a volume of a claim."""
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


@provocation(SCHEDULING, a="pending gap volume-attach", says="data")
def claim_not_bound(stage: Stage) -> None:
    stage.node("a")
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    meta = {"name": "data", "namespace": stage.name}
    stage.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec})
    refused(stage, with_claim("data"))


@provocation(SCHEDULING, a="pending gap volume-attach", says="not found")
def claim_missing(stage: Stage) -> None:
    stage.node("a")
    refused(stage, with_claim("data"))


def away_from(label: str) -> Object:
    """A pod's spec with an anti-affinity to the pods of an app on the node."""
    term = {"labelSelector": {"matchLabels": {"app": label}}, "topologyKey": HOSTNAME}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


@provocation(SCHEDULING, a="pending gap pod-anti-affinity", b="covered", says="Pod pod-anti-affinity/tenant")
def pod_anti_affinity(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    stage.tenant("a")
    refused(stage, away_from("tenant"))
    stage.ready("b")


@provocation(SCHEDULING, a="pending gap pod-anti-affinity", says="the anti-affinity of another pod")
def anti_affinity_of_another(stage: Stage) -> None:
    stage.node("a")
    stage.tenant("a", pod=away_from("agent"))
    refused(stage, {})


@provocation(SCHEDULING, a="pending gap pod-anti-affinity", says="affinity to app in (nobody)")
def affinity_to_nobody(stage: Stage) -> None:
    stage.node("a")
    term = {"labelSelector": {"matchLabels": {"app": "nobody"}}, "topologyKey": HOSTNAME}
    refused(stage, {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})


@provocation(SCHEDULING, a="pending unwanted namespace-selector-not-in-template", b="covered", says="zone=here")
def namespace_selector_not_in_template(stage: Stage) -> None:
    """Needs the admission plugin PodNodeSelector."""
    namespace: Object = {"kind": "Namespace", "metadata": {"name": stage.name}}
    chosen = {"scheduler.alpha.kubernetes.io/node-selector": "example.com/zone=here"}
    stage.cluster.api.patch(namespace, {"metadata": {"annotations": chosen}})
    stage.node("a")
    stage.node("b", labels={"example.com/zone": "here"})
    refused(stage, {})
    stage.ready("b")


@provocation(SCHEDULING, a="pending unwanted runtimeclass-selector-not-in-template", b="covered", says="kata")
def runtimeclass_selector_not_in_template(stage: Stage) -> None:
    stage.node("a")
    stage.node("b", labels={"example.com/kata": "yes"})
    scheduling = {"nodeSelector": {"example.com/kata": "yes"}}
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata"}
    stage.create(runtime | {"scheduling": scheduling})
    refused(stage, {"runtimeClassName": "kata"})
    stage.ready("b")


@provocation(SCHEDULING, a="pending gap scheduler-absent", says="scheduler nobody")
def scheduler_unknown(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset(pod={"schedulerName": "nobody"})
    stage.pod("a", bound=False)


@provocation(SCHEDULING, a="pending gap scheduling-gated", says="example.com/queue")
def scheduling_gated(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset(pod={"schedulingGates": [{"name": "example.com/queue"}]})
    stage.pod("a", bound=False)


@provocation(SCHEDULING, a="pending gap unschedulable", says="nowhere")
def resource_claim_missing(stage: Stage) -> None:
    """No ResourceClaim of that name: the scheduler does not even try, and tells nobody."""
    stage.node("a")
    stage.daemonset(pod={"resourceClaims": [{"name": "device", "resourceClaimName": "nowhere"}]})
    stage.pod("a", bound=False)


@provocation(SCHEDULING, a="pending gap insufficient-resources preempted", says="was preempted by")
def preempted(stage: Stage) -> None:
    """The daemon is there first; a pod of higher priority puts it out, and its successor finds no room."""
    meta: Object = {"name": "high"}
    stage.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta, "value": 5000})
    stage.node("a", resources={"cpu": "1"})
    stage.daemonset(pod=asking(cpu="800m"))
    stage.ready("a")
    spec = {"priorityClassName": "high", "nodeSelector": {HOSTNAME: stage.on("a")}, **asking(cpu="800m")}
    meta = {"name": "important", "namespace": stage.name}
    important = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
    stage.wait(lambda: not stage.cluster.api.create_all([important]), "a pod of the new class")
    stage.wait(lambda: "nodeName" in stage.cluster.api.get("Pod", "important", stage.name)["spec"], "preemption")
    stage.refused("a")
