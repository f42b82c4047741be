"""node-condition-taint: taints of the node lifecycle controller, and those that its conditions do not bear out."""

import pytest
from engine.build import LOST, around, condition, daemonset, findings, node, said, verdict

SLUG = "node-condition-taint"
DS = daemonset()
NETWORK = "node.kubernetes.io/network-unavailable:NoSchedule"


@pytest.mark.parametrize(
    "closed",
    [
        node("n1", "node.kubernetes.io/not-ready:NoSchedule", ready="False"),
        node("n1", *LOST, ready="Unknown"),
        node("n1", NETWORK, conditions=[condition("NetworkUnavailable", "True")]),
        node("n1", NETWORK),
    ],
    ids=["not ready", "lost", "no network", "nothing said of the network"],
)
def test_a_condition_that_bears_the_taint_out(closed: dict[str, object]) -> None:
    found = findings(SLUG, *around(DS, closed))
    assert found
    for finding in found:
        assert finding.remedy is not None
        assert finding.remedy.summary.startswith("mend the node")
    assert all("yet" not in text for text in said(SLUG, *around(DS, closed)))
    assert verdict("n1", *around(DS, closed)).gap


@pytest.mark.parametrize(
    ("closed", "words"),
    [
        (node("n1", "node.kubernetes.io/not-ready:NoSchedule"), "yet its condition Ready is True"),
        (node("n1", *LOST[:1]), "yet its condition Ready is True"),
        (
            node("n1", NETWORK, conditions=[condition("NetworkUnavailable", "False")]),
            "yet its condition NetworkUnavailable is False",
        ),
    ],
)
def test_a_condition_that_says_the_contrary(closed: dict[str, object], words: str) -> None:
    (finding,) = findings(SLUG, *around(DS, closed))
    assert said(SLUG, *around(DS, closed))[0].endswith(words)
    assert finding.remedy is not None
    assert "kube-controller-manager does not lift the taint" in finding.remedy.summary


@pytest.mark.parametrize("key", ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"])
def test_silent_about_taints_that_daemons_tolerate(key: str) -> None:
    assert said(SLUG, *around(DS, node("n1", f"node.kubernetes.io/{key}:NoSchedule"))) == []
