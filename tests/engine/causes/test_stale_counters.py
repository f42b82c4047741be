"""stale-counters: a status that is not what the controller would write now."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, findings, pod, said

SLUG = "stale-counters"
FULL = {
    "desiredNumberScheduled": 2,
    "currentNumberScheduled": 2,
    "numberReady": 2,
    "updatedNumberScheduled": 2,
    "numberAvailable": 2,
}


def two(**status: int) -> dict[str, Any]:
    return daemonset(status={**FULL, **status})


def test_speaks() -> None:
    ds = two(desiredNumberScheduled=3, numberUnavailable=1)
    objects = around(ds, pod(ds, "n1"))
    (sentence,) = said(SLUG, *objects)
    assert "desiredNumberScheduled 3, computed 2" in sentence
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.confidence) == ("info", "inferred")


def test_one_finding_for_each_reason() -> None:
    ds = two(desiredNumberScheduled=3, numberUnavailable=1, numberReady=1)
    assert len(said(SLUG, *around(ds, pod(ds, "n1")))) == 2


def test_a_controller_that_is_behind() -> None:
    ds = two(numberReady=1)
    ds["metadata"]["generation"] = 3
    (sentence,) = said(SLUG, *around(ds, pod(ds, "n1")))
    assert "generation 2 of 3" in sentence


@pytest.mark.parametrize(
    ("status", "made"),
    [
        ({}, pod(two(), "n1")),
        ({"numberReady": 1, "numberAvailable": 1, "numberUnavailable": 1}, pod(two(), "n1", crashing())),
    ],
)
def test_silent(status: dict[str, int], made: dict[str, Any]) -> None:
    assert said(SLUG, *around(two(**status), made)) == []
