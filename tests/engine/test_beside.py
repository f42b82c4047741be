"""A surge: the old pod serves, and the new pod beside it tells why the update does not go on."""

import pytest
from engine.build import (
    EVERYTHING,
    NOW,
    Json,
    ago,
    around,
    crashing,
    daemonset,
    findings,
    lost_node,
    node,
    pod,
    rolling,
    said,
    snapshot,
    terminating,
    verdict,
)
from engine.surges import DS, PORT, PORTS, TAKEN, beside, crowded, full
from engine.waiting import left, refusal, tenant

from dscov.model.surge import SUMMARY
from dscov.planner import propose


def test_no_room_for_the_new_pod() -> None:
    new = left(DS, refusal("Too many pods"), suffix="-b")
    objects = beside(DS, new, full(), tenant("t0"))
    found = verdict("n1", *objects)
    assert (found.state, found.gap, found.causes) == ("outdated", False, ("too-many-pods",))
    (finding,) = findings("too-many-pods", *objects)
    assert (finding.severity, finding.nodes) == ("warning", ("n1",))


def test_the_new_pod_crashes() -> None:
    objects = beside(DS, pod(DS, "n1", crashing(), suffix="-b"))
    found = verdict("n1", *objects)
    assert (found.state, found.gap, found.causes) == ("outdated", False, ("crash-loop",))
    assert [finding.severity for finding in findings("crash-loop", *objects)] == ["warning"]


def test_each_pod_has_its_say() -> None:
    new = left(DS, refusal("Too many pods"), suffix="-b")
    objects = around(DS, pod(DS, "n1", crashing(), revision="h1"), new, full(), tenant("t0"))
    found = verdict("n1", *objects)
    assert (found.state, found.gap) == ("unhealthy", True)
    assert found.causes == ("too-many-pods", "crash-loop")


def test_the_port_of_the_old_pod_is_told_once() -> None:
    objects = beside(PORTS, left(PORTS, TAKEN, suffix="-b"))
    assert said("host-port-conflict", *objects) == []
    assert len(said("surge-host-port", *objects)) == 1


def test_the_port_of_a_stranger_is_told() -> None:
    stranger = tenant("t0", spec={"containers": [{"name": "web", **PORT}]})
    objects = around(PORTS, left(PORTS, TAKEN), stranger)
    assert len(said("host-port-conflict", *objects)) == 1


@pytest.mark.parametrize(
    "new", [pod(DS, "n1", suffix="-b"), pod(DS, "n1", ready=False, created="2026-05-12T09:29:00Z", suffix="-b")]
)
def test_nothing_is_wrong_with_the_new_pod(new: Json) -> None:
    assert verdict("n1", *beside(DS, new)).causes == ()


SURGELESS = {"maxUnavailable": 1, "maxSurge": 0}


def test_a_surge_that_waits_for_its_own_room_goes_on_without() -> None:
    (finding,) = findings("rollout-blocked", *crowded("1"))
    assert finding.remedy is not None
    assert [one["value"] for one in finding.remedy.patch] == [SURGELESS]
    (finding,) = findings("insufficient-resources", *crowded("1"))
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.summary) == ("no-patch", SUMMARY)
    assert finding.remedy.actions[0].endswith("--set-max-surge 0 --set-max-unavailable 1 --from test")
    assert said("rollout-blocked", *crowded("1")) == [
        "1 old pod waits: maxSurge 1 is used up by n1 (no room for its new pod beside the old one)"
    ]
    (proposal,) = propose(snapshot(*crowded("1")), now=NOW)[1]
    assert [option.summary for option in proposal.options] == [SUMMARY]


@pytest.mark.parametrize(
    "objects", [crowded("1600m"), crowded("1", old="100m"), crowded("3")], ids=["more than both", "little", "too large"]
)
def test_room_that_the_old_pod_does_not_hold(objects: list[Json]) -> None:
    (finding,) = findings("insufficient-resources", *objects)
    assert finding.remedy is not None
    assert "surge" not in finding.remedy.summary
    assert said("rollout-blocked", *objects) == []


def going(cpu: str) -> Json:
    return terminating(tenant("t1", requests={"cpu": cpu}), since=ago(0.1))


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        (crowded("1", lost=True), "its node does not report"),
        (crowded("1", spec={"nodeSelector": {"disk": "ssd"}}), "2 pods"),
    ],
    ids=["a node that does not report", "a selector of admission"],
)
def test_what_no_surge_less_update_mends(objects: list[Json], words: str) -> None:
    third = [node("n2"), pod(objects[1], "n2", revision="h1")]
    (finding,) = findings("rollout-blocked", *objects, *third)
    assert words in dict(finding.facts)["by"]
    assert finding.remedy is not None
    assert finding.remedy.summary != SUMMARY


def test_pods_that_are_going_leave_room() -> None:
    (finding,) = findings("insufficient-resources", *crowded("1", going("1"), allocatable="3"))
    assert finding.remedy is not None
    assert finding.remedy.summary == "wait: pods of the node are going, and leave room enough"
    assert said("rollout-blocked", *crowded("1", going("1"), allocatable="3")) == []


NINE = {"ports": [{"containerPort": 9100 + i, "hostPort": 9100 + i} for i in (0, 1)]}
BOTH = daemonset(spec=EVERYTHING, container=NINE, strategy=rolling(0, 1))
STRANGER = tenant("t0", spec={"containers": [{"name": "web", "ports": NINE["ports"][1:]}]})


@pytest.mark.parametrize(
    ("objects", "holder"),
    [
        (around(BOTH, pod(PORTS, "n1", revision="h1"), left(BOTH, TAKEN, suffix="-b"), STRANGER), "ReplicaSet shop/t0"),
        (around(BOTH, pod(DS, "n1", revision="h1"), left(BOTH, TAKEN, suffix="-b"), STRANGER), "ReplicaSet shop/t0"),
        (beside(PORTS, pod(PORTS, "n1", crashing(), suffix="-b")), ""),
        (beside(PORTS, pod(PORTS, "n1", ready=False, created=ago(0.3), suffix="-b")), ""),
    ],
    ids=["own and a stranger's", "a stranger's", "crashing", "starting"],
)
def test_a_new_pod_that_does_not_wait_for_the_port_of_the_old_one(objects: list[Json], holder: str) -> None:
    assert said("surge-host-port", *objects) == []
    assert [dict(one.facts)["holder"] for one in findings("host-port-conflict", *objects)] == [holder] * bool(holder)
    assert all(not option.patch for one in propose(snapshot(*objects), now=NOW)[1] for option in one.options)


def test_trouble_beside_a_pod_that_is_about_to_serve() -> None:
    ds = daemonset(spec=EVERYTHING, strategy=rolling(0, 1), min_ready=600)
    objects = around(ds, pod(ds, "n1", revision="h1", ready_since=ago(1)), pod(ds, "n1", crashing(), suffix="-b"))
    found = verdict("n1", *objects)
    assert (found.state, found.gap, "crash-loop" in found.causes) == ("starting", False, True)
    assert [one.severity for one in findings("crash-loop", *objects)] == ["warning"]


def test_the_port_of_an_old_pod_on_a_node_that_does_not_report() -> None:
    objects = around(
        PORTS, lost_node("n1"), pod(PORTS, "n1", revision="h1", ready=False), left(PORTS, TAKEN, suffix="-b")
    )
    assert said("surge-host-port", *objects) == []
    (finding,) = findings("host-port-conflict", *objects)
    assert finding.remedy is not None
    assert finding.remedy.summary.startswith("have the older pod on the node end")
