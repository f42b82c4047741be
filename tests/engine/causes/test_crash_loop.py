"""crash-loop: containers that keep ending, by exit code, reason and last words."""

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    around,
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

SLUG = "crash-loop"
PORTS = {"ports": [{"containerPort": 9100, "hostPort": 9100}], "resources": {"limits": {"memory": "64Mi"}}}
DS = daemonset(container=PORTS)
PROXY = daemonset(inits=[{"name": "proxy", "image": "p", "restartPolicy": "Always"}])
IN_USE = "listen tcp :9100: bind: address already in use"


@pytest.mark.parametrize(
    ("container", "words"),
    [
        (crashing(1, "cannot read config"), "main keeps ending: exit code 1 (cannot read config)"),
        (crashing(0), "exit code 0, it ends without an error"),
        (crashing(126), "cannot be executed"),
        (crashing(127), "not found"),
        (crashing(137), "exit code 137, it was killed"),
        (crashing(139), "segmentation fault"),
        (crashing(143), "told to stop"),
        (crashing(137, reason="OOMKilled"), "OOMKilled, exit code 137, at its memory limit of 64Mi"),
        (crashing(1, "first\nlast words\n\n"), "(last words)"),
        (status(ended(2), restarts=3), "exit code 2"),
        (status(running("2026-05-12T09:29:00Z"), restarts=3, last=ended(1)), "exit code 1"),
        (status(waiting("RunContainerError", 'exec: "/agent": not found')), "RunContainerError, it cannot be started"),
        (status(waiting("CreateContainerError", "x")), "CreateContainerError, it cannot be started"),
        (status(waiting("PostStartHookError", "x")), "PostStartHookError"),
        (status(waiting("SomethingNew", "x")), "SomethingNew, it cannot be started"),
    ],
)
def test_speaks(container: dict[str, Any], words: str) -> None:
    objects = around(DS, pod(DS, "n1", container))
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    ("reason", "message", "probe"),
    [
        ("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500", "liveness"),
        ("Killing", "Container main failed liveness probe, will be restarted", "liveness"),
        ("Unhealthy", "Startup probe failed: connection refused", "startup"),
    ],
)
def test_the_probe_that_kills_is_named(reason: str, message: str, probe: str) -> None:
    made = pod(DS, "n1", crashing(137))
    (sentence,) = said(SLUG, *around(DS, made, event(made, reason, message)))
    assert f"exit code 137, killed since its {probe} probe fails" in sentence


def test_a_port_that_no_pod_holds_is_held_outside() -> None:
    objects = around(DS, pod(DS, "n1", crashing(1, IN_USE)))
    (sentence,) = said(SLUG, *objects)
    assert "port 9100 is held by a process outside Kubernetes" in sentence
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert "free port 9100" in finding.remedy.summary


@pytest.mark.parametrize(
    ("message", "port"),
    [
        ("bind: address already in use: [::]:9100", "9100"),
        ("Error: listen EADDRINUSE: address already in use 0.0.0.0:8080", "8080"),
        ("port 8125 failed: Address already in use", "8125"),
        ("bind() failed (98: Address already in use)", "9100"),
    ],
)
def test_the_port_is_read_from_the_words(message: str, port: str) -> None:
    assert f"port {port} is held by" in said(SLUG, *around(DS, pod(DS, "n1", crashing(1, message))))[0]


def test_a_port_that_a_pod_holds() -> None:
    other = daemonset("other", container=PORTS)
    objects = around(DS, pod(DS, "n1", crashing(1, IN_USE)), other, pod(other, "n1"))
    assert "port 9100 is held by pod system/other-n1" in said(SLUG, *objects)[0]


def test_a_sidecar_beside_a_running_container() -> None:
    made = pod(PROXY, "n1", status(running(), ready=True), inits=[crashing(1, name="proxy")], phase="Running")
    assert said(SLUG, *around(PROXY, made)) == ["container proxy keeps ending: exit code 1"]


def test_nodes_with_one_fault_are_one_finding() -> None:
    objects = around(DS, node("n3"), pod(DS, "n1", crashing(1)), pod(DS, "n3", crashing(1, restarts=7)))
    assert [finding.nodes for finding in findings(SLUG, *objects)] == [("n1", "n3")]


def test_what_is_odd_about_the_node() -> None:
    objects = around(DS, node("n1", info={"osImage": "Flatcar"}), pod(DS, "n1", crashing(1)))
    assert said(SLUG, *objects)[0].endswith("OS image Flatcar (Debian GNU/Linux 12 (bookworm) where it runs)")


def test_hostile_words_are_only_words() -> None:
    assert "{reason} %s" in said(SLUG, *around(DS, pod(DS, "n1", crashing(1, "{reason} %s"))))[0]


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [pod(DS, "n1", status(running()))],
        [pod(DS, "n1", status(running(), restarts=1, last=ended(1)))],
        [pod(DS, "n1", status(waiting("ImagePullBackOff")))],
        [pod(DS, "n1", status(waiting("CreateContainerConfigError")))],
        [pod(DS, "n1", crashing(1, "exec format error"))],
        [pod(DS, "n1", status(waiting("PodInitializing")), inits=[crashing(1, name="setup")])],
        [node("n1", info={"operatingSystem": "windows"}), pod(DS, "n1", crashing(1))],
        [pod(DS, "n1", phase="Failed", status={"reason": "Evicted"})],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []


def test_silent_on_a_lost_node() -> None:
    ds = daemonset(spec=EVERYTHING)
    assert said(SLUG, *around(ds, lost_node("n1"), pod(ds, "n1", crashing(1)))) == []


def test_the_pods_of_another_daemonset_are_not_blamed() -> None:
    first, second = (daemonset(name, selector={"app": "same"}) for name in ("first", "second"))
    objects = around(first, second, pod(first, "n1"), pod(second, "n1", crashing(1)), pod(second, "n2"))
    assert verdict("n1", *objects, of="first").causes == ()
    assert verdict("n1", *objects, of="second").causes == (SLUG,)


def test_out_of_memory_without_a_limit() -> None:
    ds = daemonset()
    (finding,) = findings(SLUG, *around(ds, pod(ds, "n1", crashing(137, reason="OOMKilled"))))
    assert finding.remedy is not None
    assert finding.remedy.summary == "free memory of the node, or let container main request what it needs"
