"""Taints that a node starts with: the daemon that has to run before they are lifted tolerates them, and nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import NOW, daemonset, node, pod, snapshot

from dscov.model.proposals import Proposal
from dscov.planner import propose

Json = dict[str, Any]

UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"
NO_NETWORK = "node.kubernetes.io/network-unavailable:NoSchedule"
NOT_READY = "node.kubernetes.io/not-ready:NoSchedule"
CILIUM = "node.cilium.io/agent-not-ready=true:NoExecute"
EBS = "ebs.csi.aws.com/agent-not-ready:NoExecute"
DISK = "disk.csi.azure.com/agent-not-ready:NoExecute"
PD = "pd.csi.storage.gke.io/agent-not-ready:NoExecute"

PLUGIN = "a network plugin has to run before its node can get ready"
CLOUD = "a cloud controller has to run before nodes are initialised"
ITSELF = "the taint is lifted when this very daemon runs"


def driver(name: str, registered: str) -> Json:
    """The node plugin of a storage driver, with its registrar."""
    made = daemonset(name)
    path = f"/var/lib/kubelet/plugins/{registered}/csi.sock"
    registrar = {"name": "node-driver-registrar", "image": "registry.example.com/node-driver-registrar:2"}
    registrar["args"] = [f"--kubelet-registration-path={path}"]  # type: ignore[assignment]
    made["spec"]["template"]["spec"]["containers"].append(registrar)
    return made


def plugin_by_its_volume(name: str) -> Json:
    """A daemon that puts a network plugin on to the node, whatever it is called."""
    return daemonset(name, spec={"volumes": [{"name": "cni", "hostPath": {"path": "/etc/cni/net.d"}}]})


def proposal(ds: Json, taint: str, *others: Json) -> Proposal:
    """What is proposed for the first DaemonSet, where one node of two has the taint."""
    found = propose(
        snapshot(ds, pod(ds, "n2"), *others, node("n1", taint), node("n2")),
        now=NOW,
        wants=lambda one: one.name == ds["metadata"]["name"],
    )[1]
    return found[0]


@pytest.mark.parametrize(
    ("ds", "taint", "why"),
    [
        (daemonset("aws-cloud-controller-manager"), UNINITIALIZED, CLOUD),
        (daemonset("openstack-cloud-controller-manager"), UNINITIALIZED, CLOUD),
        (daemonset("cloud-node-manager"), UNINITIALIZED, CLOUD),
        (daemonset("ccm-linode"), UNINITIALIZED, CLOUD),
        (daemonset("vsphere-cpi"), UNINITIALIZED, CLOUD),
        (
            daemonset("cloud", container={"image": "registry.example.com/cloud-controller-manager:v1"}),
            UNINITIALIZED,
            CLOUD,
        ),
        (daemonset("aws-cloud-controller-manager"), NOT_READY, CLOUD),
        (daemonset("cilium"), NOT_READY, PLUGIN),
        (daemonset("cilium"), UNINITIALIZED, PLUGIN),
        (daemonset("calico-node"), NO_NETWORK, PLUGIN),
        (daemonset("kube-flannel-ds"), NO_NETWORK, PLUGIN),
        (plugin_by_its_volume("house-net"), NO_NETWORK, PLUGIN),
        (plugin_by_its_volume("house-net"), NOT_READY, PLUGIN),
        (daemonset("cilium"), CILIUM, ITSELF),
        (daemonset("ebs-csi-node"), EBS, ITSELF),
        (driver("ebs-csi-node", "ebs.csi.aws.com"), EBS, ITSELF),
        (driver("block-storage", "ebs.csi.aws.com"), EBS, ITSELF),
        (daemonset("csi-azuredisk-node"), DISK, ITSELF),
        (driver("pdcsi-node", "pd.csi.storage.gke.io"), PD, ITSELF),
    ],
    ids=lambda value: value["metadata"]["name"] if isinstance(value, dict) else None,
)
def test_the_daemon_that_has_to_run_first(ds: Json, taint: str, why: str) -> None:
    found = proposal(ds, taint)
    best = found.options[0]
    assert best.summary == f"tolerate {taint}"
    assert best.effect.gains == found.targets == ("n1",)
    assert f"{taint} may be tolerated here: {why}" in best.notes


EVERYONE = [
    daemonset("agent"),
    daemonset("fluent-bit"),
    daemonset("node-exporter"),
    daemonset("kube-proxy"),
    daemonset("nvidia-device-plugin"),
]


@pytest.mark.parametrize("taint", [UNINITIALIZED, NO_NETWORK, NOT_READY, CILIUM, EBS, DISK, PD])
@pytest.mark.parametrize("ds", EVERYONE, ids=lambda ds: ds["metadata"]["name"])
def test_everyone_else_waits(ds: Json, taint: str) -> None:
    found = proposal(ds, taint)
    assert found.options == ()
    assert found.targets == ()
    (left,) = {(one.nodes, one.remedy.kind) for one in found.left}
    assert left == (("n1",), "no-patch")


@pytest.mark.parametrize(
    ("ds", "taint", "others"),
    [
        (daemonset("cilium"), EBS, ()),
        (daemonset("calico-node"), CILIUM, (daemonset("cilium"),)),
        (driver("ebs-csi-node", "ebs.csi.aws.com"), NOT_READY, ()),
        (driver("ebs-csi-node", "ebs.csi.aws.com"), UNINITIALIZED, ()),
        (driver("ebs-csi-node", "ebs.csi.aws.com"), "efs.csi.aws.com/agent-not-ready:NoExecute", ()),
        (daemonset("ebs-csi-node"), EBS, (driver("block-storage", "ebs.csi.aws.com"),)),
        (daemonset("disk-scanner"), DISK, ()),
        (daemonset("storage-exporter"), PD, ()),
        (daemonset("aws-cloud-controller-manager"), CILIUM, ()),
        (daemonset("aws-cloud-controller-manager"), NO_NETWORK, ()),
        (daemonset("cloud-agent"), UNINITIALIZED, ()),
    ],
    ids=lambda value: value["metadata"]["name"] if isinstance(value, dict) else None,
)
def test_not_for_a_taint_that_another_lifts(ds: Json, taint: str, others: tuple[Json, ...]) -> None:
    found = proposal(ds, taint, *others)
    assert (found.options, found.targets) == ((), ())
    assert [one.nodes for one in found.left] == [("n1",)]


@pytest.mark.parametrize(
    ("ds", "taint"),
    [
        (daemonset("cilium"), CILIUM),
        (driver("block", "ebs.csi.aws.com"), EBS),
        (daemonset("cloud-controller-manager"), UNINITIALIZED),
    ],
)
def test_the_report_says_the_same(ds: Json, taint: str) -> None:
    """What the cause advises is what is planned."""
    (coverage,) = propose(snapshot(ds, node("n1", taint), node("n2")), now=NOW)[0].coverage
    (finding,) = [one for one in coverage.findings if one.cause == "startup-taint"]
    assert finding.remedy is not None
    assert finding.remedy.summary == f"tolerate {taint}"
    assert dict(finding.facts)["deadlock"] == ", which it keeps out itself"
