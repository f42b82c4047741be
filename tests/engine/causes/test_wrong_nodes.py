"""wrong-nodes: daemons for special hardware that are placed without regard to it."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, findings, node, pod, said, status, verdict, waiting

SLUG = "wrong-nodes"
DS = daemonset("gpu-exporter")
GPU = node("n2", labels={"nvidia.com/gpu.present": "true"})


@pytest.mark.parametrize("other", [node("n1"), node("n1", labels={"nvidia.com/gpu.present": "false"})])
def test_speaks(other: dict[str, Any]) -> None:
    objects = around(DS, GPU, other, pod(DS, "n1", crashing()))
    assert said(SLUG, *objects) == ["it crashes on exactly the nodes without nvidia.com/gpu.present=true"]
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "patch"
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted) == (False, True)


PLAIN = daemonset("log-agent")
SELECTS = daemonset("gpu-exporter", spec={"nodeSelector": {"nvidia.com/gpu.present": "true"}})
BOTH = node("n1", labels={"nvidia.com/gpu.present": "true"})


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [GPU, pod(DS, "n1")]),
        (DS, [pod(DS, "n1", crashing())]),
        (DS, [GPU, BOTH, pod(DS, "n1", crashing())]),
        (DS, [GPU, node("n3"), pod(DS, "n3"), pod(DS, "n1", crashing())]),
        (DS, [GPU, pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")]),
        (PLAIN, [GPU, pod(PLAIN, "n1", crashing())]),
        (SELECTS, [GPU, BOTH, pod(SELECTS, "n1", crashing())]),
    ],
)
def test_silent(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(ds, *objects)) == []
