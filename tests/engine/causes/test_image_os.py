"""image-os: daemons on nodes of another operating system."""

from typing import Any

import pytest
from engine.build import (
    around,
    crashing,
    daemonset,
    event,
    findings,
    node,
    pod,
    rejected,
    said,
    status,
    verdict,
    waiting,
)

SLUG = "image-os"
DS = daemonset()
WINDOWS = node("n1", info={"operatingSystem": "windows"})
BACK_OFF = pod(DS, "n1", status(waiting("ImagePullBackOff")), phase="Pending")


@pytest.mark.parametrize(
    "objects",
    [
        [BACK_OFF],
        [BACK_OFF, event(BACK_OFF, "Failed", "Failed to pull image x: no match for platform in manifest")],
        [
            rejected(
                DS, "n1", "PodOSNotSupported", "Pod was rejected: Failed to admit pod as the OS field doesn't match"
            )
        ],
        [rejected(DS, "n1", "PodOSSelectorNodeLabelDoesNotMatch")],
        [pod(DS, "n1", status(waiting("RunContainerError", "not a valid Win32 application")))],
    ],
)
def test_speaks(objects: list[dict[str, Any]]) -> None:
    objects = around(DS, WINDOWS, *objects)
    assert said(SLUG, *objects) == ["the image is for linux, the node runs windows"]
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted, found.expected) == (False, True, False)
    assert found.causes[0] == SLUG or SLUG in found.causes
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.patch == (
        {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"kubernetes.io/os": "linux"}},
    )


def test_a_windows_daemon_on_linux() -> None:
    ds = daemonset(spec={"os": {"name": "windows"}})
    objects = around(
        ds, pod(ds, "n1", status(waiting("ErrImagePull"))), node("n2", info={"operatingSystem": "windows"})
    )
    assert said(SLUG, *objects) == ["the image is for windows, the node runs linux"]


@pytest.mark.parametrize(
    "objects",
    [
        [BACK_OFF],
        [WINDOWS, pod(DS, "n1")],
        [WINDOWS, pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")],
        [WINDOWS, BACK_OFF, node("n3", info={"operatingSystem": "windows"}), pod(DS, "n3")],
        [node("n1", ready="Unknown", info={"operatingSystem": "windows"}), pod(DS, "n1", crashing())],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []


def test_silent_where_the_template_names_both() -> None:
    ds = daemonset(spec={"tolerations": [{"key": "os", "value": "windows", "effect": "NoSchedule"}]})
    assert said(SLUG, *around(ds, WINDOWS, pod(ds, "n1", status(waiting("ErrImagePull"))))) == []
