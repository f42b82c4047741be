"""image-architecture: images that are not for the node's architecture."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, event, findings, node, pod, said, status, verdict, waiting

SLUG = "image-architecture"
DS = daemonset()
ARM = node("n1", info={"architecture": "arm64"})
BACK_OFF = pod(DS, "n1", status(waiting("ImagePullBackOff")), phase="Pending")
START = waiting("RunContainerError", 'exec: "/agent": exec format error')
NO_MATCH = event(BACK_OFF, "Failed", "Failed to pull image x: no match for platform in manifest: not found")


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1", crashing(1, "exec /agent: exec format error"))],
        [pod(DS, "n1", status(START))],
        [BACK_OFF, NO_MATCH],
        [BACK_OFF, event(BACK_OFF, "Failed", "no matching manifest for linux/arm64 in the manifest list entries")],
        [pod(DS, "n1", crashing(255))],
        [pod(DS, "n1", crashing(1))],
    ],
)
def test_speaks(objects: list[dict[str, Any]]) -> None:
    objects = around(DS, ARM, *objects)
    (sentence,) = said(SLUG, *objects)
    assert sentence.startswith("the image is not for arm64")
    assert sentence.endswith("it runs on amd64")
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted) == (True, False)
    assert found.causes[0] == SLUG


@pytest.mark.parametrize("image", ["agent-amd64:2", "agent:2-x86_64", "registry.example.com/amd64/agent:2"])
def test_an_image_bound_to_an_architecture_is_not_meant_elsewhere(image: str) -> None:
    ds = daemonset(container={"image": image}, spec={"nodeSelector": {"kubernetes.io/os": "linux"}})
    objects = around(ds, ARM, pod(ds, "n1", crashing(1, "exec format error")))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.patch == (
        {"op": "add", "path": "/spec/template/spec/nodeSelector/kubernetes.io~1arch", "value": "amd64"},
    )
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted) == (False, True)


@pytest.mark.parametrize(
    "objects",
    [
        [ARM, pod(DS, "n1")],
        [pod(DS, "n1", crashing(1))],
        [ARM, pod(DS, "n1", crashing(1, "cannot read /etc/agent.yaml"))],
        [ARM, pod(DS, "n1", crashing(137, reason="OOMKilled"))],
        [ARM, pod(DS, "n1", crashing(1)), node("n3", info={"architecture": "arm64"}), pod(DS, "n3")],
        [node("n1", info={"operatingSystem": "windows"}), BACK_OFF, NO_MATCH],
        [ARM, BACK_OFF],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
