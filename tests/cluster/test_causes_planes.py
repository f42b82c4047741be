"""Causes that need a control plane of their own: a part of it has stopped, or a node really falls silent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cluster import play
from cluster.api import Object
from cluster.handle import Cluster
from cluster.local.plane import MANAGER, SCHEDULER, Settings
from cluster.objects import taint
from cluster.provocations.nodes import change, taints
from cluster.provocations.report import report_of, wrongs
from cluster.provocations.stage import EVERYTHING, Provocation, Stage, is_ready, provocation

Planes = Callable[..., Cluster]

ELECTING = Settings(extra={MANAGER: ("--leader-elect=true",), SCHEDULER: ("--leader-elect=true",)})
#: A node is lost when nothing was heard of it for so long.
GRACE = 20

#: Made while all is well, then without a controller-manager; the second halves are in `STOPPED`.
BEFORE: list[Provocation] = []
STOPPED: list[Provocation] = []


@provocation(BEFORE)
def taint_goes(stage: Stage) -> None:
    stage.node("a", taints=[taint("example.com/shut", "NoSchedule")])
    stage.node("b")
    stage.daemonset()
    stage.ready("b")
    stage.wait(lambda: counters(stage)["numberReady"] == 1, "the counters")


@provocation(STOPPED, a="missing gap controller-not-running", b="covered", survey="stale-counters", says="last renewed")
def taint_goes_after(stage: Stage) -> None:
    """The node is open now, and no pod comes."""
    stage.cluster.api.patch({"kind": "Node", "metadata": {"name": stage.on("a")}}, {"spec": {"taints": []}})


@provocation(BEFORE)
def node_joins(stage: Stage) -> None:
    stage.node("b")
    stage.daemonset()
    stage.ready("b")
    stage.wait(lambda: counters(stage)["numberReady"] == 1, "the counters")


@provocation(
    STOPPED,
    a="excluded gap node-condition-taint controller-not-running",
    b="covered",
    says="not-ready:NoSchedule stands for a condition of the node, yet its condition Ready is True",
)
def node_joins_after(stage: Stage) -> None:
    """Admission gives the node a taint, which nobody lifts."""
    stage.node("a")


@provocation(BEFORE)
def controller_pending(stage: Stage) -> None:
    stage.node("a", taints=[taint("example.com/shut", "NoSchedule")])
    stage.node("b")
    stage.daemonset()
    stage.ready("b")


@provocation(
    STOPPED,
    a="missing gap controller-pending controller-not-running",
    b="outdated",
    survey="stale-counters",
    says="seen generation 1 of 2",
)
def controller_pending_after(stage: Stage) -> None:
    """The edit that lets the node in is not acted on."""
    made: Object = {"kind": "DaemonSet", "metadata": {"name": "agent", "namespace": stage.name}}
    stage.cluster.api.patch(made, {"spec": {"template": {"spec": {"tolerations": EVERYTHING}}}})


@provocation(BEFORE)
def controller_never(stage: Stage) -> None:
    stage.node("a")


@provocation(
    STOPPED,
    a="missing gap controller-pending controller-not-running",
    survey="stale-counters",
    says="the controller has never seen it",
)
def controller_never_after(stage: Stage) -> None:
    """A DaemonSet comes."""
    stage.daemonset()


@provocation(BEFORE)
def deleted_node(stage: Stage) -> None:
    for suffix in ("a", "b"):
        stage.node(suffix)
    stage.daemonset()
    stage.ready("a", "b")
    stage.wait(lambda: counters(stage)["numberReady"] == 2, "the counters")


@provocation(STOPPED, b="covered", survey="stale-counters", says="desiredNumberScheduled 2, computed 1")
def deleted_node_after(stage: Stage) -> None:
    stage.cluster.api.delete({"kind": "Node", "metadata": {"name": stage.on("a")}})


@provocation(BEFORE)
def duplicate_pods(stage: Stage) -> None:
    stage.node("a", fake=False)
    stage.daemonset()
    stage.play("a", play.ready)
    stage.wait(lambda: counters(stage).get("numberReady") == 1, "the counters")


@provocation(STOPPED, a="covered", survey="duplicate-pods", says="several live pods of its own")
def duplicate_pods_after(stage: Stage) -> None:
    twin(stage)


@provocation(BEFORE)
def strays(stage: Stage) -> None:
    duplicate_pods(stage)


@provocation(STOPPED, a="covered", survey="duplicate-pods", says="belong to a DaemonSet that is gone")
def strays_after(stage: Stage) -> None:
    """What a DaemonSet leaves that is deleted without its pods and made anew under another name."""
    twin(stage, uid="11111111-2222-3333-4444-555555555555", name="gone")


def twin(stage: Stage, **owner: str) -> None:
    """A second pod like the daemon's, of the same owner but for these fields."""
    first = stage.pod("a")
    meta = first["metadata"]
    owners = [meta["ownerReferences"][0] | owner]
    metadata = {"name": "twin", "namespace": stage.name, "labels": meta["labels"], "ownerReferences": owners}
    spec = {"nodeName": stage.on("a"), "containers": [{"name": "agent", "image": "registry.example/agent:1.0.0"}]}
    made = stage.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    play.write(stage.cluster.api, made, play.ready(made))


def counters(stage: Stage) -> Object:
    """The status of the DaemonSet."""
    found: Object = stage.cluster.api.get("DaemonSet", "agent", stage.name)["status"]
    return found


def after(name: str) -> Provocation:
    """The case of that name as it is when the controller-manager has stopped, under the name it began with."""
    late = next(case for case in STOPPED if case.name == f"{name}-after")
    return Provocation(name=name, make=late.make, pairs=late.pairs, survey=late.survey, says=late.says)


def renewed(cluster: Cluster, name: str) -> bool:
    """Whether a component has taken its lease."""
    return cluster.exists("Lease", name, "kube-system")


def test_without_a_controller_manager(new_cluster: Planes) -> None:
    cluster = new_cluster(ELECTING)
    assert cluster.plane is not None
    for case in BEFORE:
        stage = Stage(cluster, case.name)
        stage.open()
        case.make(stage)
    cluster.plane.kill(MANAGER)
    cases = [after(case.name) for case in BEFORE]
    for case in cases:
        case.make(Stage(cluster, case.name))
    report = report_of(cluster)
    assert {case.name: wrong for case in cases if (wrong := wrongs(report, case))} == {}


def absent(name: str, says: str) -> Provocation:
    """A pod that no scheduler takes up."""
    cases: list[Provocation] = []

    @provocation(cases, a="pending gap scheduler-absent", says=says)
    def made(stage: Stage) -> None:
        stage.node("a")
        stage.daemonset()
        stage.pod("a", bound=False)

    return Provocation(name=name, make=made, pairs=cases[0].pairs, says=says)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (Settings(), "no condition and no event tells of a try"),
        (ELECTING, "the lease of kube-scheduler was last renewed"),
    ],
    ids=["by its silence", "by its lease"],
)
def test_without_a_scheduler(new_cluster: Planes, settings: Settings, says: str) -> None:
    cluster = new_cluster(settings)
    assert cluster.plane is not None
    stage, case = Stage(cluster, "no-scheduler"), absent("no-scheduler", says)
    stage.open()
    if settings is ELECTING:
        stage.wait(lambda: renewed(cluster, SCHEDULER), "a lease")
    cluster.plane.kill(SCHEDULER)
    case.make(stage)
    assert wrongs(report_of(cluster), case) == []


def test_a_node_that_falls_silent(new_cluster: Planes) -> None:
    """The node lifecycle controller finds it lost, and a rollout comes to stand before it; the others live on."""
    cluster = new_cluster(Settings(node_grace=f"{GRACE}s"))
    stage = Stage(cluster, "silent")
    stage.open()
    for suffix in ("a", "b", "c"):
        stage.node(suffix, fake=False)
        play.renew_lease(cluster.api, stage.on(suffix))
    made = stage.daemonset(pod={"tolerations": EVERYTHING})
    for suffix in ("a", "b", "c"):
        stage.play(suffix, play.ready)

    def lost() -> bool:
        alive(stage)
        return len(taints(stage, "a")) == 2 and not any(map(is_ready, stage.pods("a")))

    stage.wait(lost, "the loss of the node")
    cases: list[Provocation] = []
    provocation(cases, a="unhealthy gap node-lost", b="covered", c="covered", says="has stopped reporting")(silent)
    assert wrongs(report_of(cluster), cases[0]) == []

    alive(stage)
    change(stage, made)
    stage.wait(lambda: alive(stage) and all("deletionTimestamp" in p["metadata"] for p in stage.pods("a")), "a rollout")
    told, stuck = "terminating gap node-lost predecessor-terminating", "its node does not report"
    provocation(cases, a=told, b="outdated", c="outdated", survey="rollout-blocked", says=stuck)(silent)
    assert wrongs(report_of(cluster), cases[1]) == []


def silent(stage: Stage) -> None:
    """The name of the case, whose making is written out in its test."""


def alive(stage: Stage) -> bool:
    """Heartbeats of the other nodes."""
    for suffix in ("b", "c"):
        play.renew_lease(stage.cluster.api, stage.on(suffix))
    return True
