"""config-missing: ConfigMaps, Secrets and keys that are not there."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, event, findings, lost_node, pod, said, status, verdict, waiting

SLUG = "config-missing"
DS = daemonset()
CREATING = pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")
MOUNT = 'MountVolume.SetUp failed for volume "cfg" : '


def unable(message: str) -> dict[str, Any]:
    return pod(DS, "n1", status(waiting("CreateContainerConfigError", message)), phase="Pending")


@pytest.mark.parametrize(
    ("objects", "kind", "summary"),
    [
        ([unable('secret "token" not found')], "policy", "create Secret system/token"),
        ([unable('configmap "agent" not found')], "policy", "create ConfigMap system/agent"),
        (
            [unable("couldn't find key url in Secret system/token")],
            "policy",
            "put the key url into Secret system/token",
        ),
        ([unable("couldn't find key a in ConfigMap system/c")], "policy", "put the key a into ConfigMap system/c"),
        (
            [unable("container has runAsNonRoot and image will run as root")],
            "no-patch",
            "correct the container's settings",
        ),
        ([unable("")], "no-patch", "correct the container's settings"),
        (
            [CREATING, event(CREATING, "FailedMount", f'{MOUNT}secret "tls" not found')],
            "policy",
            "create Secret system/tls",
        ),
        (
            [CREATING, event(CREATING, "FailedMount", f"{MOUNT}references non-existent secret key: ca.crt")],
            "policy",
            "put the key ca.crt into the Secret",
        ),
    ],
)
def test_speaks(objects: list[dict[str, Any]], kind: str, summary: str) -> None:
    objects = around(DS, *objects)
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.summary) == (kind, summary)
    assert verdict("n1", *objects).gap
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [CREATING],
        [CREATING, event(CREATING, "FailedMount", f"{MOUNT}hostPath type check failed")],
        [pod(DS, "n1", crashing(1, 'secret "token" not found'))],
        [lost_node("n1"), unable('secret "token" not found')],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
