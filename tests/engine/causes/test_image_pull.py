"""image-pull: images that cannot be had."""

from typing import Any

import pytest
from engine.build import (
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

SLUG = "image-pull"
DS = daemonset()


def pulling(reason: str, message: str = "") -> dict[str, Any]:
    return pod(DS, "n1", status(waiting(reason, message)), phase="Pending")


BACK_OFF = pulling("ImagePullBackOff", 'Back-off pulling image "registry.example.com/agent:2"')
CREATING = pulling("ContainerCreating")
WINDOWS = node("n1", info={"operatingSystem": "windows"})


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("pull access denied, authorization failed: 401 Unauthorized", "refuses the node's credentials", "policy"),
        ("toomanyrequests: You have reached your pull rate limit", "limits pulls", "no-patch"),
        ("rpc error: code = NotFound desc = registry.example.com/agent:2: not found", "no such image", "no-patch"),
        ("dial tcp: lookup registry.example.com: no such host", "does not get through", "no-patch"),
        ("x509: certificate signed by unknown authority", "does not get through", "no-patch"),
        ("write /var/lib/containerd/x: no space left on device", "disk is full", "no-patch"),
        ("something else", "the pull fails", "no-patch"),
    ],
)
def test_what_the_registry_said(text: str, words: str, kind: str) -> None:
    told = event(BACK_OFF, "Failed", f'Failed to pull image "registry.example.com/agent:2": {text}')
    objects = around(DS, BACK_OFF, told)
    (finding,) = findings(SLUG, *objects)
    assert words in said(SLUG, *objects)[0]
    assert finding.remedy is not None
    assert finding.remedy.kind == kind
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    "reason",
    [
        "ErrImagePull",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    ],
)
def test_every_reason_of_the_kubelet(reason: str) -> None:
    (sentence,) = said(SLUG, *around(DS, pulling(reason, "why")))
    assert reason in sentence


def test_an_init_containers_image() -> None:
    ds = daemonset(inits=[{"name": "setup", "image": "registry.example.com/setup:1"}])
    inits = [status(waiting("ImagePullBackOff"), name="setup")]
    (sentence,) = said(SLUG, *around(ds, pod(ds, "n1", status(waiting("PodInitializing")), inits=inits)))
    assert "registry.example.com/setup:1" in sentence


def test_a_pull_that_takes_long() -> None:
    (sentence,) = said(SLUG, *around(DS, CREATING, event(CREATING, "Pulling", "Pulling image x", kind="Normal")))
    assert "not done yet" in sentence


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [CREATING],
        [pod(DS, "n1", crashing())],
        [BACK_OFF, event(BACK_OFF, "Failed", "Failed to pull image x: no match for platform in manifest")],
        [WINDOWS, BACK_OFF],
        [lost_node("n1"), BACK_OFF],
        [CREATING, event(CREATING, "Pulling", "Pulling image x"), event(CREATING, "Pulled", "Successfully pulled")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
