"""Nodes at fault, rollouts that stand still, and pods where none would be placed now."""

from __future__ import annotations

from cluster import play
from cluster.api import Object
from cluster.objects import IMAGE, daemonset, taint
from cluster.provocations.stage import EVERYTHING, LABEL, Provocation, Stage, provocation

NODES: list[Provocation] = []

NEWER = {"spec": {"template": {"metadata": {"annotations": {"example.com/edition": "2"}}}}}

#: A change of no weight: without one a taint does not make the controller count again.
WAKING = {"spec": {"revisionHistoryLimit": 9}}


def lose(stage: Stage, suffix: str = "a") -> None:
    """A node whose heartbeat stopped: the node lifecycle controller taints it; its pods are written off by hand."""
    play.set_conditions(stage.cluster.api, stage.on(suffix), Ready="Unknown")
    stage.wait(lambda: len(taints(stage, suffix)) == 2, "the taints of a lost node")
    for pod in stage.pods(suffix):
        play.write(stage.cluster.api, pod, {"conditions": [{"type": "Ready", "status": "False"}]})


def empty(stage: Stage, suffix: str = "a") -> None:
    """Without a pod that the controller made there before it saw the node's taints."""

    def gone() -> bool:
        pods = stage.pods(suffix)
        stage.cluster.api.delete_all(pods, now=True)
        return not pods

    stage.wait(gone, "a node without pods")


def taints(stage: Stage, suffix: str) -> list[Object]:
    """The taints of a node."""
    found: list[Object] = stage.cluster.api.get("Node", stage.on(suffix))["spec"].get("taints", [])
    return found


def close(stage: Stage, suffix: str, key: str, effect: str = "NoSchedule") -> None:
    """Taint a node that is there already."""
    node = {"kind": "Node", "metadata": {"name": stage.on(suffix)}}
    stage.cluster.api.patch(node, {"spec": {"taints": [taint(key, effect)]}})


def change(stage: Stage, made: Object, how: Object = NEWER) -> None:
    """Change the DaemonSet (its template), and wait until the controller has seen it."""
    stage.cluster.api.patch(made, how)

    def seen() -> bool:
        now = stage.cluster.api.get("DaemonSet", "agent", stage.name)
        return bool(now["status"].get("observedGeneration", 0) >= now["metadata"]["generation"])

    stage.wait(seen, "a look at the new template")


@provocation(NODES, a="unhealthy gap node-lost", b="covered", says="DESIRED counts it still")
def node_lost(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset(pod={"tolerations": EVERYTHING})
    stage.play("a", play.ready)
    lose(stage)
    stage.ready("b")


@provocation(NODES, a="excluded gap node-lost node-condition-taint", b="covered", says="dropped out of DESIRED")
def node_lost_unseen(stage: Stage) -> None:
    """A daemon that came after the node was lost: nothing counts the node any more."""
    stage.node("a", fake=False)
    stage.node("b")
    lose(stage)
    stage.daemonset()
    stage.ready("b")
    empty(stage)


@provocation(NODES, a="unhealthy gap node-not-ready", b="covered", says="the node is not ready")
def node_not_ready(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.node("b")
    stage.daemonset(pod={"tolerations": EVERYTHING})
    pod = stage.pod("a")
    play.write(stage.cluster.api, pod, play.creating(pod))
    play.set_conditions(stage.cluster.api, stage.on("a"), Ready="False")
    stage.wait(lambda: len(taints(stage, "a")) == 2, "the taints of a node that is not ready")
    stage.ready("b")


@provocation(NODES, a="pending node-leaving too-many-pods", b="covered", says="the cluster autoscaler")
def node_leaving(stage: Stage) -> None:
    """The pod waits for room on a node that the autoscaler takes away: no gap."""
    stage.node("a", resources={"pods": "1"})
    stage.node("b")
    stage.tenant("a")
    stage.daemonset(pod={"tolerations": EVERYTHING})
    stage.refused("a")
    close(stage, "a", "ToBeDeletedByClusterAutoscaler")
    stage.ready("b")


@provocation(
    NODES,
    a="terminating gap node-lost predecessor-terminating",
    b="outdated",
    c="outdated",
    survey="rollout-blocked",
    says="its node does not report",
)
def rollout_blocked(stage: Stage) -> None:
    """A dead node uses up the whole budget of a rollout."""
    stage.node("a", fake=False)
    for suffix in ("b", "c"):
        stage.node(suffix)
    made = stage.daemonset(pod={"tolerations": EVERYTHING})
    stage.ready("b", "c")
    stage.play("a", play.ready)
    lose(stage)
    change(stage, made)
    stage.wait(lambda: all("deletionTimestamp" in p["metadata"] for p in stage.pods("a")), "the deletion")


@provocation(NODES, a="outdated", b="outdated", survey="on-delete-outdated", says="0 of 2 pods")
def on_delete_outdated(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    made = stage.daemonset(spec={"updateStrategy": {"type": "OnDelete"}})
    stage.ready("a", "b")
    change(stage, made)


@provocation(NODES, a="outdated", survey="surge-host-port", says="new pods wait beside old ones")
def surge_host_port(stage: Stage) -> None:
    stage.node("a")
    container = {"name": "agent", "image": IMAGE, "ports": [{"containerPort": 9200, "hostPort": 9200}]}
    surge = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    made = stage.daemonset(pod={"containers": [container]}, spec={"updateStrategy": surge})
    stage.ready("a")
    change(stage, made)
    stage.refused("a")


@provocation(NODES, a="misscheduled untolerated-taint misscheduled misscheduled-at-risk", b="covered")
def misscheduled(stage: Stage) -> None:
    """A NoSchedule taint that came after the pod."""
    stage.node("a")
    stage.node("b")
    made = stage.daemonset()
    stage.ready("a", "b")
    close(stage, "a", "example.com/later")
    change(stage, made, WAKING)


@provocation(NODES, a="misscheduled untolerated-taint misscheduled misscheduled-transient", b="covered")
def misscheduled_transient(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    made = stage.daemonset()
    stage.ready("a", "b")
    close(stage, "a", "ToBeDeletedByClusterAutoscaler")
    change(stage, made, WAKING)


@provocation(NODES, a="covered", survey="selector-overlap", says="overlaps with that of other")
def selector_overlap(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset(labels={"tier": "agents"})
    other = daemonset("other", stage.name, pod={"nodeSelector": {LABEL: stage.name}}, labels={"tier": "agents"})
    other["spec"]["selector"] = {"matchLabels": {"tier": "agents"}}
    stage.create(other)
    stage.ready("a")
    stage.ready("a", of="other")


@provocation(NODES, a="pending unwanted unsupported-node insufficient-resources", b="covered", says="windows")
def unsupported_node(stage: Stage) -> None:
    """A daemon for Linux that does not say so, on a Windows node that refuses it."""
    stage.node("a", labels={"kubernetes.io/os": "windows"}, resources={"cpu": "1"})
    stage.node("b")
    container = {"name": "agent", "image": IMAGE, "resources": {"requests": {"cpu": "2"}}}
    stage.daemonset(pod={"containers": [container], "tolerations": EVERYTHING})
    stage.refused("a")
    stage.ready("b")
