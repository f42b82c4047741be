"""readiness-failing: containers that run and are not ready."""

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    ago,
    around,
    condition,
    crashing,
    daemonset,
    ended,
    event,
    findings,
    lost_node,
    node,
    pod,
    running,
    said,
    status,
    verdict,
    waiting,
)

SLUG = "readiness-failing"
DS = daemonset(spec=EVERYTHING)
UP = pod(DS, "n1", status(running(), started=True))
ALL_UP = status(running(), ready=True)


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([UP], "container main runs and is not ready"),
        (
            [UP, event(UP, "Unhealthy", "Readiness probe failed: statuscode: 500")],
            "Readiness probe failed: statuscode: 500",
        ),
        ([UP, event(UP, "Unhealthy", "Startup probe failed: refused")], "Startup probe failed: refused"),
        ([pod(DS, "n1", status(running(), restarts=1, last=ended(1)))], "container main runs"),
        ([pod(DS, "n1", {**ALL_UP, "name": "log"}, status(running()), ready=False)], "container main runs"),
    ],
)
def test_speaks(objects: list[dict[str, Any]], words: str) -> None:
    objects = around(DS, *objects)
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_a_readiness_gate() -> None:
    gate = condition("Ready", "False", reason="ReadinessGatesNotReady", message='gate "lb" not True')
    made = pod(DS, "n1", ALL_UP, ready=False)
    made["status"]["conditions"] = [gate]
    (finding,) = findings(SLUG, *around(DS, made))
    assert dict(finding.facts)["words"] == ': ReadinessGatesNotReady gate "lb" not True'


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [pod(DS, "n1", crashing())],
        [pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")],
        [pod(DS, "n1", status(waiting("PodInitializing")), inits=[status(running(), name="setup")])],
        [pod(DS, "n1", status(running(ago(1)), restarts=9, last=ended(1)))],
        [lost_node("n1"), pod(DS, "n1", ALL_UP, ready=False)],
        [node("n1", ready="False"), pod(DS, "n1", ALL_UP, ready=False)],
        [pod(DS, "n1", status(running(ago(1))), created=ago(1))],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
