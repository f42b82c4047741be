"""A surge: the old pod serves, and the new pod beside it tells why the update does not go on."""

import pytest
from engine.build import EVERYTHING, Json, around, crashing, daemonset, findings, node, pod, rolling, said, verdict
from engine.waiting import left, refusal, tenant

DS = daemonset(spec=EVERYTHING, strategy=rolling(0, 1))
PORT = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
PORTS = daemonset(spec=EVERYTHING, container=PORT, strategy=rolling(0, 1))
TAKEN = refusal("node(s) didn't have free ports for the requested pod ports")


def full() -> Json:
    made = node("n1")
    made["status"]["allocatable"]["pods"] = "2"
    return made


def beside(ds: Json, new: Json, *more: Json) -> list[Json]:
    """An old pod on n1, which serves, and a new pod beside it."""
    return around(ds, pod(ds, "n1", revision="h1"), new, *more)


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
