"""sandbox-failed: pods whose sandbox cannot be made."""

from typing import Any

import pytest
from engine.build import (
    ago,
    around,
    crashing,
    daemonset,
    event,
    findings,
    lost_node,
    node,
    pod,
    said,
    status,
    verdict,
    waiting,
)

SLUG = "sandbox-failed"
DS = daemonset()
STUCK = pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")
CNI = (
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "4fd1": plugin '
    'type="calico" failed (add): stat /var/lib/calico/nodename: no such file or directory'
)
PLUGIN = daemonset("calico-node", spec={"hostNetwork": True})


@pytest.mark.parametrize(
    ("reason", "message", "words"),
    [
        ("FailedCreatePodSandBox", CNI, "no such file or directory"),
        ("FailedCreatePodSandBox", 'rpc error: desc = no runtime for "kata" is configured', 'no runtime for "kata"'),
        (
            "NetworkNotReady",
            "network is not ready: container runtime network not ready: cni plugin not initialized",
            "cni",
        ),
        ("FailedPrepareDynamicResources", "Failed to prepare dynamic resources: claim not allocated", "claim"),
    ],
)
def test_speaks(reason: str, message: str, words: str) -> None:
    objects = around(DS, STUCK, event(STUCK, reason, message))
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).gap
    assert verdict("n1", *objects).causes == (SLUG,)


def test_the_network_plugin_is_the_root() -> None:
    objects = around(DS, STUCK, event(STUCK, "FailedCreatePodSandBox", CNI), PLUGIN, pod(PLUGIN, "n1", crashing()))
    (sentence,) = said(SLUG, *objects)
    assert sentence.endswith("system/calico-node, the network plugin, has a gap there")


def test_a_plugin_that_is_well_is_not() -> None:
    objects = around(DS, STUCK, event(STUCK, "FailedCreatePodSandBox", CNI), PLUGIN, pod(PLUGIN, "n1"))
    assert "calico-node" not in said(SLUG, *objects)[0]


def test_nothing_is_left_unexplained() -> None:
    for stuck in (STUCK, pod(DS, "n1", phase="Pending")):
        (finding,) = findings(SLUG, *around(DS, stuck))
        assert finding.confidence == "unknown"


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending", created=ago(1))],
        [STUCK, event(STUCK, "FailedMount", 'MountVolume.SetUp failed for volume "x" : y')],
        [STUCK, event(STUCK, "Pulling", "Pulling image x")],
        [pod(DS, "n1", crashing()), event(STUCK, "FailedCreatePodSandBox", CNI)],
        [node("n1", labels={"type": "virtual-kubelet"}), pod(DS, "n1", phase="Pending")],
        [
            pod(DS, "n1", phase="Pending"),
            event(DS, "FailedDaemonPod", "Found failed daemon pod system/before on node n1, will try to kill it"),
            event({"kind": "Pod", "metadata": {"name": "before", "namespace": "system"}}, "OutOfcpu", "no cpu"),
        ],
        [lost_node("n1"), STUCK, event(STUCK, "FailedCreatePodSandBox", CNI)],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
