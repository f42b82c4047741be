"""A surge: the old pod serves, and the new pod beside it tells why the update does not go on."""

import pytest
from engine.build import (
    NOW,
    Json,
    around,
    crashing,
    findings,
    pod,
    said,
    snapshot,
    verdict,
)
from engine.surges import DS, PORT, PORTS, TAKEN, beside, crowded, full
from engine.waiting import left, refusal, tenant

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
    for slug in ("insufficient-resources", "rollout-blocked"):
        (finding,) = findings(slug, *crowded("1"))
        assert finding.remedy is not None
        assert [one["value"] for one in finding.remedy.patch] == [SURGELESS]
    assert said("rollout-blocked", *crowded("1")) == [
        "1 old pod waits: maxSurge 1 is used up by n1 (no room for its new pod beside the old one)"
    ]
    (proposal,) = propose(snapshot(*crowded("1")), now=NOW)[1]
    assert [option.summary for option in proposal.options] == ["update without surge: maxSurge 0, maxUnavailable 1"]


@pytest.mark.parametrize(
    "objects", [crowded("1600m"), crowded("1", old="100m"), crowded("3")], ids=["more than both", "little", "too large"]
)
def test_room_that_the_old_pod_does_not_hold(objects: list[Json]) -> None:
    (finding,) = findings("insufficient-resources", *objects)
    assert finding.remedy is not None
    assert "surge" not in finding.remedy.summary
    assert said("rollout-blocked", *objects) == []
