"""Nodes that the template keeps out, or lets in though they are no place for daemons: taints, selectors, affinity."""

from __future__ import annotations

from cluster import play
from cluster.api import Object
from cluster.objects import taint
from cluster.provocations.stage import EVERYTHING, Provocation, Stage, provocation

ELIGIBILITY: list[Provocation] = []

KEY = "example.com/dedicated"


def required(*terms: list[Object]) -> Object:
    """A pod's spec with a required node affinity of these terms."""
    listed = [{"matchExpressions": term} for term in terms]
    node_affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": listed}}
    return {"affinity": {"nodeAffinity": node_affinity}}


def entry(key: str, operator: str, *values: str) -> Object:
    """An entry of a term."""
    return {"key": key, "operator": operator} | ({"values": list(values)} if values else {})


def closed(stage: Stage, own: Object | None = None, effect: str = "NoSchedule") -> None:
    """A node with a taint beside one without, and a DaemonSet with one toleration at the most."""
    stage.node("a", taints=[taint(KEY, effect, "gpu")])
    stage.node("b")
    stage.daemonset(pod={"tolerations": [own]} if own else {})
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap untolerated-taint", b="covered", says=f"{KEY}=gpu:NoSchedule")
def untolerated_taint(stage: Stage) -> None:
    closed(stage)


@provocation(ELIGIBILITY, a="excluded untolerated-taint", b="covered")
def control_plane_is_meant(stage: Stage) -> None:
    stage.node("a", taints=[taint("node-role.kubernetes.io/control-plane", "NoSchedule")])
    stage.node("b")
    stage.daemonset()
    stage.ready("b")


@provocation(ELIGIBILITY, a="covered")
def cordoned(stage: Stage) -> None:
    """Daemon pods tolerate a cordon."""
    stage.node("a")
    node = {"kind": "Node", "metadata": {"name": stage.on("a")}}
    stage.cluster.api.patch(node, {"spec": {"unschedulable": True}})
    stage.daemonset()
    stage.ready("a")


@provocation(ELIGIBILITY, a="excluded gap toleration-value-mismatch", b="covered")
def toleration_value_mismatch(stage: Stage) -> None:
    closed(stage, {"key": KEY, "operator": "Equal", "value": "cpu", "effect": "NoSchedule"})


@provocation(ELIGIBILITY, a="excluded gap toleration-effect-mismatch", b="covered")
def toleration_effect_mismatch(stage: Stage) -> None:
    closed(stage, {"key": KEY, "operator": "Exists", "effect": "NoSchedule"}, "NoExecute")


@provocation(ELIGIBILITY, a="excluded gap toleration-key-typo", b="covered")
def toleration_key_typo(stage: Stage) -> None:
    closed(stage, {"key": "example.com/dedicatde", "operator": "Exists"})


@provocation(ELIGIBILITY, a="- gap toleration-seconds-churn", b="covered")
def toleration_seconds_churn(stage: Stage) -> None:
    """The taint eviction controller takes the pod away, and the DaemonSet controller makes another one."""
    closed(stage, {"key": KEY, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2}, "NoExecute")
    stage.pod("a", but=stage.pod("a")["metadata"]["uid"])


@provocation(ELIGIBILITY, a="excluded node-selector-no-match", b="covered")
def node_selector_no_match(stage: Stage) -> None:
    stage.node("a", labels={"disk": "hdd"})
    stage.node("b", labels={"disk": "nvme"})
    stage.daemonset(pod={"nodeSelector": {"disk": "nvme"}})
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap node-selector-value-mismatch", b="covered")
def node_selector_value_mismatch(stage: Stage) -> None:
    stage.node("a", labels={"example.com/storage": "True"})
    stage.node("b", labels={"example.com/storage": "true"})
    stage.daemonset(pod={"nodeSelector": {"example.com/storage": "true"}})
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap node-label-missing", b="covered", c="covered")
def node_label_missing(stage: Stage) -> None:
    pool = {"cloud.google.com/gke-nodepool": "odd-one"}
    stage.node("a", labels=pool)
    for suffix in ("b", "c"):
        stage.node(suffix, labels={**pool, "example.com/logs": "on"})
    stage.daemonset(pod={"nodeSelector": {"example.com/logs": "on"}})
    stage.ready("b", "c")


@provocation(ELIGIBILITY, a="excluded node-affinity-no-match", b="covered")
def node_affinity_no_match(stage: Stage) -> None:
    stage.node("a", labels={"topology.kubernetes.io/zone": "z1"})
    stage.node("b", labels={"topology.kubernetes.io/zone": "z2"})
    stage.daemonset(pod=required([entry("topology.kubernetes.io/zone", "In", "z2")]))
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded node-affinity-excludes", b="covered")
def node_affinity_excludes(stage: Stage) -> None:
    stage.node("a", labels={"example.com/no-agents": "yes"})
    stage.node("b")
    stage.daemonset(pod=required([entry("example.com/no-agents", "DoesNotExist")]))
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap affinity-gt-not-integer", b="covered")
def affinity_gt_not_integer(stage: Stage) -> None:
    stage.node("a", labels={"example.com/generation": "v7"})
    stage.node("b", labels={"example.com/generation": "7"})
    stage.daemonset(pod=required([entry("example.com/generation", "Gt", "4")]))
    stage.ready("b")


@provocation(ELIGIBILITY, a="covered unwanted affinity-terms-ored", b="covered")
def affinity_terms_ored(stage: Stage) -> None:
    stage.node("a", labels={"example.com/edge": "yes"})
    stage.node("b")
    stage.daemonset(
        pod=required([entry("example.com/edge", "NotIn", "yes")], [entry("example.com/lab", "DoesNotExist")])
    )
    stage.ready("a", "b")


@provocation(ELIGIBILITY, a="excluded gap template-node-name", b="covered")
def template_node_name(stage: Stage) -> None:
    stage.node("a")
    stage.node("b")
    stage.daemonset(pod={"nodeName": stage.on("b")})
    stage.ready("b")


@provocation(ELIGIBILITY, a="- unwanted unwanted-target", b="covered")
def unwanted_target(stage: Stage) -> None:
    virtual = taint("virtual-kubelet.io/provider", "NoSchedule", "azure")
    stage.node("a", fake=False, labels={"type": "virtual-kubelet"}, taints=[virtual])
    stage.node("b")
    stage.daemonset(pod={"tolerations": EVERYTHING})
    stage.ready("b")
    stage.pod("a")


@provocation(ELIGIBILITY, a="excluded gap startup-taint", b="covered")
def startup_taint(stage: Stage) -> None:
    """What lifts the taint is there and does not come up."""
    stage.node("a", fake=False, taints=[taint("node.cilium.io/agent-not-ready", "NoSchedule")])
    stage.node("b")
    stage.daemonset("cilium", pod={"tolerations": EVERYTHING})
    stage.play("a", play.crash_loop, of="cilium")
    stage.daemonset()
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap stale-readiness-taint", b="covered")
def stale_readiness_taint(stage: Stage) -> None:
    stage.node("a", taints=[taint("node.cilium.io/agent-not-ready", "NoSchedule")])
    stage.node("b")
    stage.daemonset("cilium", pod={"tolerations": EVERYTHING})
    stage.ready("a", of="cilium")
    stage.daemonset()
    stage.ready("b")


@provocation(ELIGIBILITY, a="excluded gap node-not-ready node-condition-taint", b="covered")
def node_condition_taint(stage: Stage) -> None:
    """The node lifecycle controller puts the taint."""
    stage.node("a", fake=False, conditions={"Ready": "False"})
    stage.node("b")
    stage.wait(lambda: bool(stage.cluster.api.get("Node", stage.on("a"))["spec"].get("taints")), "a taint")
    stage.daemonset()
    stage.ready("b")
