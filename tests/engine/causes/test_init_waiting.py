"""init-waiting: init containers that wait, and for whom."""

from typing import Any

import pytest
from engine.build import (
    around,
    crashing,
    daemonset,
    ended,
    event,
    findings,
    lost_node,
    pod,
    running,
    said,
    status,
    verdict,
    waiting,
)

SLUG = "init-waiting"
DS = daemonset(inits=[{"name": "driver-validation", "image": "v", "command": ["wait-for", "toolkit"]}])
MAIN = status(waiting("PodInitializing"))


def starting(init: dict[str, Any], ds: dict[str, Any] = DS) -> dict[str, Any]:
    return pod(ds, "n1", MAIN, inits=[init])


WAITS = starting(status(running(), name="driver-validation"))
DRIVER = daemonset("gpu-driver")
TOOLKIT = daemonset("toolkit", namespace="other")


def test_it_waits_for_nobody_known() -> None:
    objects = around(DS, WAITS)
    assert said(SLUG, *objects) == ["init container driver-validation waits"]
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    ("others", "named"),
    [
        ([DRIVER, pod(DRIVER, "n1", crashing())], "system/gpu-driver"),
        ([DRIVER], "system/gpu-driver"),
        ([TOOLKIT, pod(TOOLKIT, "n1", crashing())], "other/toolkit"),
        ([TOOLKIT, DRIVER, pod(TOOLKIT, "n1", crashing()), pod(DRIVER, "n1", crashing())], "system/gpu-driver"),
        ([TOOLKIT, DRIVER, pod(TOOLKIT, "n1", crashing()), pod(DRIVER, "n1")], "other/toolkit"),
    ],
)
def test_it_waits_for_another_daemon(others: list[dict[str, Any]], named: str) -> None:
    (sentence,) = [text for text in said(SLUG, *around(DS, WAITS, *others)) if "driver-validation" in text]
    assert f"waits for {named}, which has no ready pod" in sentence


def test_a_daemon_that_is_well_is_not_waited_for() -> None:
    objects = around(DS, WAITS, DRIVER, pod(DRIVER, "n1"))
    assert said(SLUG, *objects) == ["init container driver-validation waits"]


def test_a_sidecar_that_does_not_get_started() -> None:
    ds = daemonset(inits=[{"name": "proxy", "image": "p", "restartPolicy": "Always"}])
    made = starting(status(running(), name="proxy"), ds)
    (finding,) = findings(SLUG, *around(ds, made, event(made, "Unhealthy", "Startup probe failed: connection refused")))
    assert dict(finding.facts)["probe"] == ": Startup probe failed: connection refused"


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [starting(crashing(1, name="driver-validation"))],
        [starting(status(waiting("ImagePullBackOff"), name="driver-validation"))],
        [starting(status(running("2026-05-12T09:29:00Z"), name="driver-validation", restarts=3, last=ended(1)))],
        [pod(DS, "n1", crashing(), inits=[status(ended(0), name="driver-validation", ready=True)])],
        [lost_node("n1"), WAITS],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
