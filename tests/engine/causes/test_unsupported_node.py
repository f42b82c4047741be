"""unsupported-node: nodes of an operating system that the daemon is not for."""

from typing import Any

import pytest
from engine.build import around, daemonset, findings, node, pod, said, status, verdict, waiting

SLUG = "unsupported-node"
DS = daemonset()
WINDOWS = node("n1", info={"operatingSystem": "windows"})
TAINTED = node("n1", "os=windows:NoSchedule", info={"operatingSystem": "windows"})


def test_a_taint_keeps_it_out_and_that_is_no_gap() -> None:
    objects = around(DS, TAINTED)
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("info", ("n1",))
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"
    found = verdict("n1", *objects)
    assert (found.state, found.expected, found.gap, found.unwanted) == ("excluded", False, False, False)


@pytest.mark.parametrize(
    "objects",
    [[], [pod(DS, "n1", bound=False)], [pod(DS, "n1", status(waiting("ContainerCreating")), phase="Pending")]],
)
def test_nothing_keeps_it_out(objects: list[dict[str, Any]]) -> None:
    objects = around(DS, WINDOWS, *objects)
    (finding,) = findings(SLUG, *objects)
    assert finding.severity == "error"
    assert finding.remedy is not None
    assert finding.remedy.patch[0]["value"] == {"kubernetes.io/os": "linux"}
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted) == (False, True)


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [node("n1", "k:NoSchedule")]),
        (DS, [WINDOWS, pod(DS, "n1")]),
        (daemonset(spec={"nodeSelector": {"kubernetes.io/os": "linux"}}), [WINDOWS]),
        (daemonset(spec={"tolerations": [{"key": "os", "value": "windows", "effect": "NoSchedule"}]}), [TAINTED]),
    ],
)
def test_silent(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(ds, *objects)) == []
