"""preempted: pods that had to go for others."""

import pytest
from engine.build import Json, around, condition, daemonset, event, findings, pod, rejected, said, terminating, verdict
from engine.waiting import left, priority_class, refusal, tenant

SLUG = "preempted"
DS = daemonset(container={"resources": {"requests": {"cpu": "300m"}}})
CPU = refusal("Insufficient cpu")
BIG = tenant("checkout", requests={"cpu": "3900m"}, priority=1000)


def victim(message: str, name: str = "agent-abcde") -> Json:
    gone = pod(DS, "n1")
    gone["metadata"]["name"] = name
    return event(gone, "Preempted", message, kind="Normal")


@pytest.mark.parametrize(
    ("message", "by"),
    [
        ("Preempted by pod pod-checkout-n1 on node n1", "ReplicaSet shop/checkout"),
        ("Preempted by a pod on node n1", None),
        ("Preempted by shop/checkout-x on node n1", "ReplicaSet shop/checkout"),
        ("Preempted by pod 0000 on node n1", "pod 0000"),
    ],
)
def test_events_of_pods_that_are_gone(message: str, by: str | None) -> None:
    objects = around(DS, left(DS, CPU), BIG, victim(message))
    assert said(SLUG, *objects) == [f"the daemon's pod was preempted by {by or 'another pod'}"]
    assert verdict("n1", *objects).gap


def test_the_remedy_is_a_priority_above() -> None:
    classes = [priority_class("low", 10), priority_class("high", 5000)]
    told = victim("Preempted by pod pod-checkout-n1 on node n1")
    (finding,) = findings(SLUG, *around(DS, left(DS, CPU), BIG, told, *classes))
    assert finding.remedy is not None
    assert finding.remedy.patch[0]["value"] == "high"


def test_a_pod_on_its_way_out() -> None:
    target = condition("DisruptionTarget", "True", reason="PreemptionByScheduler")
    going = terminating(pod(DS, "n1", ready=False, conditions=[target]))
    assert said(SLUG, *around(DS, going)) == ["the daemon's pod was preempted by a pod of higher priority"]


def test_the_kubelet_makes_room_too() -> None:
    failed = rejected(DS, "n1", "Preempting", "Preempted in order to admit critical pod")
    assert said(SLUG, *around(DS, failed)) == ["the daemon's pod was preempted by a critical pod"]


@pytest.mark.parametrize(
    "told",
    [
        victim("Preempted by pod x on node n2"),
        victim("Preempted by pod x on node n1", "agent-other-abcde"),
        victim("Preempted by pod x on node n11"),
        victim("Preempted in another way"),
    ],
    ids=["another node", "another daemon", "a longer name", "another text"],
)
def test_silent_about_others(told: Json) -> None:
    assert said(SLUG, *around(DS, left(DS, CPU), BIG, told)) == []


def test_silent_where_the_pod_is_back() -> None:
    told = victim("Preempted by pod x on node n1")
    assert said(SLUG, *around(DS, told, well=("n1", "n2"))) == []


def test_silent_about_other_disruptions() -> None:
    target = condition("DisruptionTarget", "True", reason="DeletionByTaintManager")
    assert said(SLUG, *around(DS, terminating(pod(DS, "n1", ready=False, conditions=[target])))) == []
