"""node-condition-taint: what the node lifecycle controller closes a node with."""

from typing import Any

import pytest
from engine.build import EVERYTHING, daemonset, lost_node, node, said, verdict
from engine.eligibility import advised, tolerating

SLUG = "node-condition-taint"
AGENT = daemonset()
NOT_READY = "node.kubernetes.io/not-ready:NoSchedule"
UNREACHABLE = "node.kubernetes.io/unreachable:NoSchedule"
NETWORK = "node.kubernetes.io/network-unavailable:NoSchedule"


@pytest.mark.parametrize(
    ("taint", "remover"),
    [
        (NOT_READY, "the node when it is Ready again"),
        (UNREACHABLE, "the node when its kubelet reports again"),
        (NETWORK, "the cloud routes or the network plugin"),
        ("node.kubernetes.io/disk-pressure:NoExecute", "the kubelet when disk is free again"),
        ("NodeWithImpairedVolumes:NoSchedule", "its owner"),
        ("status-taint.cluster-autoscaler.kubernetes.io/x:NoSchedule", "its owner"),
    ],
)
def test_speaks(taint: str, remover: str) -> None:
    ready = {NOT_READY: "False", UNREACHABLE: "Unknown"}.get(taint, "True")
    objects = AGENT, node("n1", taint, ready=ready), node("n2")
    assert said(SLUG, *objects) == [f"taint {taint} stands for a condition of the node"]
    assert advised(SLUG, *objects) == ("no-patch", f"mend the node: the taint is lifted by {remover}")
    assert verdict("n1", *objects).gap


def test_only_one_effect_of_a_lost_node_is_not_tolerated_of_itself() -> None:
    assert said(SLUG, AGENT, lost_node("n1"), node("n2")) == [
        "taint node.kubernetes.io/unreachable:NoSchedule stands for a condition of the node"
    ]


def test_a_toleration_of_the_other_effect_makes_it_no_slip() -> None:
    ds = tolerating("node.kubernetes.io/not-ready:NoExecute")
    assert verdict("n1", ds, node("n1", NOT_READY), node("n2")).causes == (SLUG,)


@pytest.mark.parametrize(
    ("ds", "taint"),
    [
        (daemonset(spec={"hostNetwork": True}), NETWORK),
        (AGENT, "node.kubernetes.io/not-ready:NoExecute"),
        (AGENT, "node.kubernetes.io/memory-pressure:NoSchedule"),
        (AGENT, "node.kubernetes.io/pid-pressure:NoSchedule"),
        (AGENT, "node.kubernetes.io/unschedulable:NoSchedule"),
        (AGENT, "dedicated=db:NoSchedule"),
        (AGENT, "node.cilium.io/agent-not-ready:NoSchedule"),
        (tolerating("node.kubernetes.io/not-ready"), NOT_READY),
        (daemonset(spec=EVERYTHING), NOT_READY),
    ],
)
def test_silent(ds: dict[str, Any], taint: str) -> None:
    assert said(SLUG, ds, node("n1", taint), node("n2")) == []
