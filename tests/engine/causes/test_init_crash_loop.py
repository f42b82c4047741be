"""init-crash-loop: init containers that keep failing."""

from typing import Any

import pytest
from engine.build import (
    around,
    crashing,
    daemonset,
    ended,
    findings,
    node,
    pod,
    running,
    said,
    status,
    verdict,
    waiting,
)

SLUG = "init-crash-loop"
DS = daemonset(inits=[{"name": "setup", "image": "s"}, {"name": "proxy", "image": "p", "restartPolicy": "Always"}])
MAIN = status(waiting("PodInitializing"))


def starting(*inits: dict[str, Any], main: dict[str, Any] = MAIN) -> dict[str, Any]:
    return pod(DS, "n1", main, inits=list(inits))


WELL = status(ended(0), name="setup", ready=True)
SIDECAR = status(running(), name="proxy", ready=True)


@pytest.mark.parametrize(
    ("inits", "words"),
    [
        ([crashing(1, "no headers", name="setup")], "setup keeps failing: exit code 1 (no headers)"),
        ([crashing(137, reason="OOMKilled", name="setup")], "OOMKilled, exit code 137"),
        ([crashing(127, name="setup")], "its command is not found"),
        ([status(ended(2), name="setup", restarts=7)], "exit code 2"),
        ([status(waiting("RunContainerError", "exec: x"), name="setup")], "cannot be started"),
        ([WELL, crashing(1, name="proxy")], "proxy keeps failing"),
    ],
)
def test_speaks(inits: list[dict[str, Any]], words: str) -> None:
    objects = around(DS, starting(*inits))
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_the_node_that_differs_is_shown() -> None:
    objects = around(DS, node("n1", info={"kernelVersion": "5.4.0"}), starting(crashing(1, name="setup")))
    (finding,) = findings(SLUG, *objects)
    assert "kernel 5.4.0 (6.1.119-generic where it runs)" in said(SLUG, *objects)[0]
    assert ("status.nodeInfo.kernelVersion", "5.4.0") in [(e.field, e.value) for e in finding.evidence]


@pytest.mark.parametrize(
    "made",
    [
        pod(DS, "n1"),
        starting(status(running(), name="setup")),
        starting(status(waiting("ImagePullBackOff"), name="setup")),
        starting(crashing(1, "exec format error", name="setup")),
        starting(WELL, SIDECAR, main=crashing(1)),
        starting(WELL, crashing(1, name="proxy"), main=status(running(), ready=True)),
        starting(status(running(), name="setup", restarts=1, last=ended(1))),
    ],
)
def test_silent(made: dict[str, Any]) -> None:
    assert said(SLUG, *around(DS, made)) == []
