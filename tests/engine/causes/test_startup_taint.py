"""startup-taint: taints of a starting node that are still there."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, around, daemonset, node, pod, verdict
from engine.eligibility import LIST, advised, cured, sentences, spoken, tolerating

SLUG = "startup-taint"
AGENT = daemonset()
YOUNG = ago(4)

TAINTS = [
    ("node.cilium.io/agent-not-ready=true:NoExecute", "Cilium when its agent starts"),
    ("ebs.csi.aws.com/agent-not-ready:NoExecute", "the node plugin of ebs.csi.aws.com"),
    ("efs.csi.aws.com/agent-not-ready:NoExecute", "the node plugin of efs.csi.aws.com"),
    (
        "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule",
        "the cloud-controller-manager when it has initialised the node",
    ),
    ("karpenter.sh/unregistered:NoExecute", "Karpenter when the node has registered"),
    ("readiness.k8s.io/network:NoSchedule", "the node readiness controller"),
    ("startup-taint.cluster-autoscaler.kubernetes.io/gpu:NoSchedule", "the component that put it"),
    ("example.com/bootstrap:NoSchedule", "the component that put it"),
]


@pytest.mark.parametrize(("taint", "remover"), TAINTS)
@pytest.mark.parametrize("ready", ["True", "False"])
def test_an_old_node(taint: str, remover: str, ready: str) -> None:
    objects = AGENT, node("n1", taint, ready=ready), node("n2")
    assert sentences(SLUG, *objects) == [f"startup taint {taint} has not been lifted by {remover}"]
    assert verdict("n1", *objects).gap
    assert advised(SLUG, *objects) == ("no-patch", f"see why {remover} has not lifted it")


@pytest.mark.parametrize("taint", [taint for taint, _ in TAINTS])
def test_a_young_node_is_no_gap(taint: str) -> None:
    objects = AGENT, node("n1", taint, created=YOUNG), node("n2")
    (finding,) = spoken(SLUG, *objects)
    assert finding.severity == "warning"
    assert verdict("n1", *objects).gap is False


def test_young_and_old_nodes_with_the_same_taint_are_told_apart() -> None:
    taint = "node.cilium.io/agent-not-ready=true:NoExecute"
    objects = AGENT, node("n1", taint, created=YOUNG), node("n2", taint), node("n3", taint, created=YOUNG)
    assert [verdict(name, *objects).gap for name in ("n1", "n2", "n3")] == [False, True, False]


CILIUM = daemonset("cilium", namespace="kube-system", spec=EVERYTHING)
TAINT = "node.cilium.io/agent-not-ready=true:NoExecute"


@pytest.mark.parametrize("its_pod", [[], [pod(CILIUM, "n1", ready=False)]])
def test_what_lifts_it_is_not_at_work_there(its_pod: list[dict[str, Any]]) -> None:
    objects = [*around(AGENT, node("n1", TAINT)), CILIUM, pod(CILIUM, "n2"), *its_pod]
    assert sentences(SLUG, *objects) == [f"startup taint {TAINT} has not been lifted by Cilium when its agent starts"]


@pytest.mark.parametrize(
    ("ds", "taint"),
    [
        (daemonset("cilium"), "node.cilium.io/agent-not-ready=true:NoExecute"),
        (daemonset("ebs-csi-node"), "ebs.csi.aws.com/agent-not-ready:NoExecute"),
    ],
)
@pytest.mark.parametrize("created", [YOUNG, ago(days=9)])
def test_the_daemon_that_lifts_it_keeps_itself_out(ds: dict[str, Any], taint: str, created: str) -> None:
    objects = ds, node("n1", taint, created=created), node("n2")
    key, _, value = taint.partition(":")[0].partition("=")
    exact = {"operator": "Equal", "value": value} if value else {"operator": "Exists"}
    wanted = [{"op": "add", "path": LIST, "value": [{"effect": "NoExecute", "key": key, **exact}]}]
    assert cured(SLUG, *objects) == (wanted, {"n1"})
    assert verdict("n1", *objects).gap is (created != YOUNG)


@pytest.mark.parametrize(
    ("ds", "taint"),
    [
        (daemonset(spec=EVERYTHING), TAINT),
        (tolerating("node.cilium.io/agent-not-ready"), TAINT),
        (AGENT, "node.cilium.io/agent-not-ready=true:PreferNoSchedule"),
        (AGENT, "node.kubernetes.io/not-ready:NoSchedule"),
        (AGENT, "dedicated=db:NoSchedule"),
        (AGENT, "karpenter.sh/disrupted:NoSchedule"),
        (AGENT, "node-role.kubernetes.io/control-plane:NoSchedule"),
    ],
)
def test_silent(ds: dict[str, Any], taint: str) -> None:
    assert SLUG not in verdict("n1", ds, node("n1", taint), node("n2")).causes


def test_silent_where_what_lifts_it_is_well() -> None:
    objects = [*around(AGENT, node("n1", TAINT)), CILIUM, pod(CILIUM, "n1")]
    assert SLUG not in verdict("n1", *objects, of="agent").causes
