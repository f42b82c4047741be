"""Pods that are bound and do not run: what a kubelet says of them, played by hand."""

from __future__ import annotations

from cluster import play
from cluster.api import Object
from cluster.objects import IMAGE
from cluster.provocations.stage import Provocation, Stage, provocation

RUNNING: list[Provocation] = []

#: So many failed pods in a row; the controller's back-off doubles from a second.
FAILURES = 4
INIT = {"name": "prepare", "image": IMAGE, "command": ["wait"]}


def waits(reason: str, message: str = "") -> Object:
    """A waiting state."""
    return {"waiting": {"reason": reason} | ({"message": message} if message else {})}


def ended(code: int, reason: str = "Error", message: str = "") -> Object:
    """A terminated state."""
    return {"terminated": {"exitCode": code, "reason": reason} | ({"message": message} if message else {})}


def said(pod: Object, state: Object, *, last: Object | None = None, restarts: int = 0) -> Object:
    """A pod's status whose containers are in a state, and ended like `last` before."""
    status = play.creating(pod)
    for container in status["containerStatuses"]:
        container |= {"state": state, "lastState": last or {}, "restartCount": restarts, "started": False}
    return status


def initial(pod: Object, state: Object, *, last: Object | None = None, restarts: int = 0) -> Object:
    """A pod's status whose first init container is in a state; its containers wait for it."""
    init = {"name": INIT["name"], "image": IMAGE, "imageID": "", "ready": False}
    init |= {"state": state, "lastState": last or {}, "restartCount": restarts}
    return said(pod, waits("PodInitializing")) | {"initContainerStatuses": [init]}


def played(stage: Stage, status: Object | None = None, **spec: object) -> Object:
    """The pod of a DaemonSet on a node without a kubelet, beside a healthy one; the pod."""
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset(pod=spec)
    stage.ready("b")
    return {"apiVersion": "v1", "kind": "Pod"} | stage.pod("a")


def written(stage: Stage, pod: Object, status: Object) -> Object:
    """The pod after its status was stored."""
    play.write(stage.cluster.api, pod, status)
    return pod


def fails(stage: Stage, status: Object, reason: str, message: str, times: int = FAILURES) -> None:
    """A kubelet that refuses one pod after the other; the controller deletes each and makes another."""
    uid = ""
    for _ in range(times):
        pod = {"apiVersion": "v1", "kind": "Pod"} | stage.pod("a", but=uid)
        uid = pod["metadata"]["uid"]
        written(stage, pod, status)
        stage.event(pod, reason, message)
        stage.told("FailedDaemonPod")
    stage.wait(lambda: all(pod["metadata"]["uid"] != uid for pod in stage.pods("a")), "the end of the failed pod")


@provocation(RUNNING, a="- gap kubelet-rejected", b="covered", says="OutOfcpu")
def kubelet_rejected(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset()
    message = "Node didn't have enough resource: cpu, requested: 500, used: 15900, capacity: 16000"
    fails(stage, play.rejected("OutOfcpu", message), "OutOfcpu", message)
    stage.ready("b")


@provocation(RUNNING, a="unhealthy gap kubelet-rejected-transient", b="covered")
def kubelet_rejected_transient(stage: Stage) -> None:
    """The controller is in its back-off: the failed pod stays a while."""
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset()
    message = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    fails(stage, play.rejected("NodeAffinity", message), "NodeAffinity", message, times=1)
    written(stage, stage.pod("a"), play.rejected("NodeAffinity", message))
    stage.ready("b")


@provocation(RUNNING, a="- gap evicted", b="covered", says="the node was low on memory")
def evicted(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset()
    message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi."
    fails(stage, play.evicted(message), "Evicted", message)
    stage.ready("b")


@provocation(RUNNING, a="unhealthy gap image-pull", b="covered", says="no such image")
def image_pull(stage: Stage) -> None:
    pod = played(stage)
    message = f'Failed to pull image "{IMAGE}": rpc error: code = NotFound desc = {IMAGE}: not found'
    stage.event(pod, "Failed", message)
    written(stage, pod, play.image_pull(pod))


@provocation(RUNNING, a="unhealthy gap image-pull", b="covered", says="the pull is not done yet")
def image_pull_slow(stage: Stage) -> None:
    pod = played(stage)
    stage.event(pod, "Pulling", f'Pulling image "{IMAGE}"', kind="Normal")
    written(stage, pod, play.creating(pod))


@provocation(RUNNING, a="unhealthy gap config-missing", b="covered", says="settings")
def config_missing(stage: Stage) -> None:
    pod = played(stage)
    written(stage, pod, said(pod, waits("CreateContainerConfigError", 'configmap "settings" not found')))


@provocation(RUNNING, a="unhealthy gap config-missing", b="covered", says="keys")
def secret_volume_missing(stage: Stage) -> None:
    pod = played(stage, volumes=[{"name": "keys", "secret": {"secretName": "keys"}}])
    stage.event(pod, "FailedMount", 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found')
    written(stage, pod, play.creating(pod))


@provocation(RUNNING, a="unhealthy gap volume-mount", b="covered", says="hostPath type check failed")
def volume_mount(stage: Stage) -> None:
    path = {"path": "/opt/agent", "type": "Directory"}
    pod = played(stage, volumes=[{"name": "data", "hostPath": path}])
    words = "hostPath type check failed: /opt/agent is not a directory"
    stage.event(pod, "FailedMount", f'MountVolume.SetUp failed for volume "data" : {words}')
    written(stage, pod, play.creating(pod))


@provocation(RUNNING, a="unhealthy gap sandbox-failed", b="covered", says="cni plugin not initialized")
def sandbox_failed(stage: Stage) -> None:
    pod = played(stage)
    words = "rpc error: code = Unknown desc = failed to setup network for sandbox: cni plugin not initialized"
    stage.event(pod, "FailedCreatePodSandBox", f"Failed to create pod sandbox: {words}")
    written(stage, pod, play.creating(pod))


@provocation(RUNNING, a="unhealthy gap init-crash-loop", b="covered", says="exit code 3")
def init_crash_loop(stage: Stage) -> None:
    pod = played(stage, initContainers=[INIT])
    written(stage, pod, initial(pod, waits("CrashLoopBackOff"), last=ended(3), restarts=6))


@provocation(RUNNING, a="unhealthy gap init-waiting", b="covered", says="prepare waits")
def init_waiting(stage: Stage) -> None:
    pod = played(stage, initContainers=[INIT])
    written(stage, pod, initial(pod, {"running": {"startedAt": "2026-01-01T00:00:00Z"}}))


@provocation(RUNNING, a="unhealthy gap crash-loop", b="covered", says="exit code 1")
def crash_loop(stage: Stage) -> None:
    pod = played(stage)
    written(stage, pod, play.crash_loop(pod))


@provocation(RUNNING, a="unhealthy gap crash-loop", b="covered", says="OOMKilled")
def out_of_memory(stage: Stage) -> None:
    pod = played(stage)
    written(stage, pod, said(pod, waits("CrashLoopBackOff"), last=ended(137, "OOMKilled"), restarts=9))


@provocation(RUNNING, a="unhealthy gap image-architecture", b="covered", says="exec format error")
def image_architecture(stage: Stage) -> None:
    pod = played(stage)
    last = ended(255, message="exec /agent: exec format error")
    written(stage, pod, said(pod, waits("CrashLoopBackOff"), last=last, restarts=5))


@provocation(RUNNING, a="unhealthy unwanted unsupported-node image-os", b="covered", says="windows")
def image_os(stage: Stage) -> None:
    stage.node("a", fake=False, labels={"kubernetes.io/os": "windows"})
    stage.node("b")
    stage.daemonset()
    stage.ready("b")
    pod = {"apiVersion": "v1", "kind": "Pod"} | stage.pod("a")
    stage.event(pod, "Failed", f'Failed to pull image "{IMAGE}": no matching manifest for windows/amd64 in the list')
    written(stage, pod, play.image_pull(pod))


@provocation(RUNNING, a="unhealthy unwanted wrong-nodes crash-loop", b="covered", says="without example.com/gpu=yes")
def wrong_nodes(stage: Stage) -> None:
    """A daemon for special hardware that selects it nowhere."""
    stage.node("a", fake=False)
    stage.node("b", labels={"example.com/gpu": "yes"})
    stage.daemonset(pod={"containers": [{"name": "agent", "image": "registry.example/gpu-exporter:1"}]})
    stage.ready("b")
    stage.play("a", play.crash_loop)


@provocation(RUNNING, a="unhealthy gap readiness-failing", b="covered", says="statuscode: 503")
def readiness_failing(stage: Stage) -> None:
    pod = played(stage)
    stage.event(pod, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
    written(stage, pod, play.unready(pod))


@provocation(RUNNING, a="starting waiting-min-ready-seconds")
def waiting_min_ready_seconds(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset(spec={"minReadySeconds": 3600})
    stage.ready("a")
