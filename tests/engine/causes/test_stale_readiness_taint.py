"""stale-readiness-taint: a startup taint on a node where what lifts it is at work."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, around, daemonset, node, pod, said, verdict
from engine.eligibility import advised, spoken, tolerating

SLUG = "stale-readiness-taint"
AGENT = daemonset()
CILIUM_TAINT = "node.cilium.io/agent-not-ready=true:NoExecute"
EBS_TAINT = "ebs.csi.aws.com/agent-not-ready:NoExecute"


def lifter(name: str) -> dict[str, Any]:
    return daemonset(name, namespace="kube-system", spec=EVERYTHING)


def cluster(taint: str, by: str, *, ready: bool = True, **more: Any) -> list[dict[str, Any]]:
    daemon = lifter(by)
    return [*around(AGENT, node("n1", taint, **more)), daemon, pod(daemon, "n1", ready=ready), pod(daemon, "n2")]


@pytest.mark.parametrize(
    ("taint", "by"),
    [
        (CILIUM_TAINT, "cilium"),
        (CILIUM_TAINT, "cni-agent"),
        (EBS_TAINT, "ebs-csi-node"),
        ("efs.csi.aws.com/agent-not-ready:NoSchedule", "efs-csi-node"),
        ("acme.example.com/agent-not-ready:NoSchedule", "acme-agent"),
        ("cilium-not-ready:NoSchedule", "cilium"),
    ],
)
def test_speaks(taint: str, by: str) -> None:
    objects = cluster(taint, by)
    assert said(SLUG, *objects) == [
        f"readiness taint {taint} is on a node where kube-system/{by}, which lifts it, is ready"
    ]
    assert verdict("n1", *objects, of="agent").gap
    wanted = f"restart {by} and drop the taint from the node group's settings"
    assert advised(SLUG, *objects) == ("no-patch", wanted)
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.actions == (f"kubectl -n kube-system rollout restart daemonset/{by}",)


@pytest.mark.parametrize(
    "objects",
    [
        cluster(CILIUM_TAINT, "cilium", ready=False),
        cluster(CILIUM_TAINT, "cilium", created=ago(4)),
        cluster(CILIUM_TAINT, "log-agent"),
        cluster(EBS_TAINT, "cni-agent"),
        cluster(EBS_TAINT, "efs-csi-node"),
        cluster("node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", "aws-cloud-controller-manager"),
        cluster("karpenter.sh/unregistered:NoExecute", "karpenter-agent"),
        cluster("dedicated=cilium:NoSchedule", "cilium"),
        around(AGENT, node("n1", CILIUM_TAINT)),
        [tolerating("node.cilium.io/agent-not-ready"), *cluster(CILIUM_TAINT, "cilium")[0:1]],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects) == []


def test_nodes_of_one_taint_are_told_apart_by_what_runs_on_them() -> None:
    daemon = lifter("cilium")
    objects = [
        *around(AGENT, node("n1", CILIUM_TAINT), node("n3", CILIUM_TAINT)),
        daemon,
        pod(daemon, "n1"),
        pod(daemon, "n3", ready=False),
    ]
    assert verdict("n1", *objects, of="agent").causes == (SLUG,)
    assert verdict("n3", *objects, of="agent").causes == ("startup-taint",)
