"""Nodes at fault, rollouts that stand still, and pods where none would be placed now."""

from __future__ import annotations

from cluster import play
from cluster.api import Object
from cluster.objects import IMAGE, daemonset, taint
from cluster.provocations.stage import EVERYTHING, LABEL, Provocation, Stage, provocation

NODES: list[Provocation] = []

NEWER = {"spec": {"template": {"metadata": {"annotations": {"example.com/edition": "2"}}}}}


def lose(stage: Stage, suffix: str = "a") -> None:
    """Stop the heartbeat of a node: the node lifecycle controller taints it and writes its pods not ready."""
    play.set_conditions(stage.cluster.api, stage.on(suffix), Ready="Unknown")
    stage.wait(lambda: len(taints(stage, suffix)) == 2, "the taints of a lost node")


def taints(stage: Stage, suffix: str) -> list[Object]:
    """The taints of a node."""
    found: list[Object] = stage.cluster.api.get("Node", stage.on(suffix))["spec"].get("taints", [])
    return found


def close(stage: Stage, suffix: str, key: str, effect: str = "NoSchedule") -> None:
    """Taint a node that is there already."""
    node = {"kind": "Node", "metadata": {"name": stage.on(suffix)}}
    stage.cluster.api.patch(node, {"spec": {"taints": [taint(key, effect)]}})


def change(stage: Stage, made: Object) -> None:
    """Change the template, and wait until the controller has seen it."""
    stage.cluster.api.patch(made, NEWER)

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
    stage.wait(lambda: not any(map(_is_ready, stage.pods("a"))), "the pod written off")
    stage.ready("b")


def _is_ready(pod: Object) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", []))


@provocation(NODES, a="excluded gap node-lost node-condition-taint", b="covered", says="dropped out of DESIRED")
def node_lost_unseen(stage: Stage) -> None:
    """A daemon that came after the node was lost: nothing counts the node any more."""
    stage.node("a", fake=False)
    stage.node("b")
    lose(stage)
    stage.daemonset()
    stage.ready("b")


@provocation(NODES, a="unhealthy gap node-not-ready", b="covered", says="the node is not ready")
def node_not_ready(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.node("b")
    made = stage.daemonset(pod={"tolerations": EVERYTHING})
    pod = stage.pod("a")
    play.write(stage.cluster.api, pod, play.creating(pod))
    play.set_conditions(stage.cluster.api, stage.on("a"), Ready="False")
    stage.wait(lambda: len(taints(stage, "a")) == 2, "the taints of a node that is not ready")
    stage.ready("b")
    assert made


@provocation(NODES, a="pending node-leaving insufficient-resources", b="covered", says="the cluster autoscaler")
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
    a="unhealthy gap node-lost",
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
    stage.wait(lambda: not any(map(_is_ready, stage.pods("a"))), "the pod written off")
    change(stage, made)
    stage.wait(lambda: all("deletionTimestamp" in p["metadata"] for p in stage.pods("a")), "the deletion")


@provocation(NODES, a="outdated", b="outdated", survey="on-delete-outdated", says="0 of 2 pods")
def on_delete_outdated(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    made = stage.daemonset(spec={"updateStrategy": {"type": "OnDelete"}})
    stage.ready("a", "b")
    change(stage, made)


@provocation(NODES, a="outdated", survey="surge-host-port rollout-blocked", says="new pods wait beside old ones")
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
    stage.daemonset()
    stage.ready("a", "b")
    close(stage, "a", "example.com/later")


@provocation(NODES, a="misscheduled untolerated-taint misscheduled misscheduled-transient", b="covered")
def misscheduled_transient(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    stage.daemonset()
    stage.ready("a", "b")
    close(stage, "a", "ToBeDeletedByClusterAutoscaler")


@provocation(NODES, a="covered", survey="selector-overlap", says="overlaps with that of other")
def selector_overlap(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset(labels={"tier": "agents"})
    other = daemonset("other", stage.name, pod={"nodeSelector": {LABEL: stage.name}}, labels={"tier": "agents"})
    other["spec"]["selector"] = {"matchLabels": {"tier": "agents"}}
    stage.create(other)
    stage.ready("a")
    stage.ready("a", of="other")


@provocation(NODES, a="pending unwanted unsupported-node unschedulable", b="covered", says="windows")
def unsupported_node(stage: Stage) -> None:
    """A daemon for Linux that does not say so, on a Windows node that refuses it."""
    stage.node("a", labels={"kubernetes.io/os": "windows"}, resources={"cpu": "1"})
    stage.node("b")
    container = {"name": "agent", "image": IMAGE, "resources": {"requests": {"cpu": "2"}}}
    stage.daemonset(pod={"containers": [container], "tolerations": EVERYTHING})
    stage.refused("a")
    stage.ready("b")
