"""volume-mount: volumes that cannot be mounted."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, event, findings, lost_node, pod, said, status, verdict, waiting

SLUG = "volume-mount"
SNAP = "/var/snap/microk8s/common/var/lib/kubelet/plugins"


def mounting(path: str) -> dict[str, Any]:
    return daemonset(spec={"volumes": [{"name": "dir", "hostPath": {"path": path, "type": "Directory"}}]})


DS = mounting(SNAP)
STUCK = pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")
FAILED = 'MountVolume.SetUp failed for volume "dir" : '
CHECK = event(STUCK, "FailedMount", f"{FAILED}hostPath type check failed: {SNAP} is not a directory")
VAGUE = event(
    STUCK,
    "FailedMount",
    "Unable to attach or mount volumes: unmounted volumes=[dir], timed out",
    last="2026-05-12T09:29:00Z",
)


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([CHECK], "hostPath type check failed"),
        ([CHECK, VAGUE], "hostPath type check failed"),
        ([VAGUE], "Unable to attach or mount volumes"),
        (
            [event(STUCK, "FailedAttachVolume", 'Multi-Attach error for volume "pvc-1" Volume is in use')],
            "Multi-Attach",
        ),
        ([event(STUCK, "FailedMapVolume", 'MapVolume.SetUpDevice failed for volume "pvc-1" : rpc error')], "rpc error"),
    ],
)
def test_speaks(events: list[dict[str, Any]], words: str) -> None:
    objects = around(DS, STUCK, *events)
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_the_path_of_another_distribution_is_a_matter_of_values() -> None:
    (finding,) = findings(SLUG, *around(DS, STUCK, CHECK))
    assert finding.remedy is not None
    assert finding.remedy.kind == "policy"
    assert finding.remedy.patch == (
        {"op": "replace", "path": "/spec/template/spec/volumes/0/hostPath/path", "value": "/var/lib/kubelet/plugins"},
    )


def test_a_path_of_no_distribution_has_no_patch() -> None:
    ds = mounting("/opt/agent")
    stuck = pod(ds, "n1", status(waiting("ContainerCreating")), phase="Pending")
    (finding,) = findings(
        SLUG, *around(ds, stuck, event(stuck, "FailedMount", f"{FAILED}hostPath type check failed: x"))
    )
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.patch) == ("policy", ())


def test_a_driver_that_is_not_registered_points_to_its_daemon() -> None:
    driver = daemonset("ebs-csi-node")
    text = "kubernetes.io/csi: driver name ebs.csi.aws.com not found in the list of registered CSI drivers"
    objects = around(DS, STUCK, event(STUCK, "FailedMount", f"{FAILED}{text}"), driver, pod(driver, "n1", crashing()))
    (sentence,) = said(SLUG, *objects)
    assert "system/ebs-csi-node has a gap there" in sentence


def test_mounts_that_the_host_does_not_share() -> None:
    text = 'failed to generate spec: path "/var/lib/kubelet" is mounted on "/" but it is not a shared mount'
    assert said(SLUG, *around(DS, pod(DS, "n1", status(waiting("CreateContainerError", text)))))


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [STUCK],
        [STUCK, event(STUCK, "FailedMount", f'{FAILED}configmap "cfg" not found')],
        [STUCK, event(STUCK, "FailedCreatePodSandBox", "rpc error: desc = network down")],
        [pod(DS, "n1", crashing()), CHECK],
        [lost_node("n1"), STUCK, CHECK],
        [STUCK, event({**STUCK, "metadata": {**STUCK["metadata"], "uid": "earlier"}}, "FailedMount", f"{FAILED}x")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
