"""misscheduled: pods on nodes where they would not be placed."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, findings, lost_node, node, pod, said, verdict

SLUG = "misscheduled"
DS = daemonset()
ON = pod(DS, "n1")


@pytest.mark.parametrize(
    ("taint", "severity"),
    [
        ("dedicated=db:NoSchedule", "warning"),
        ("ToBeDeletedByClusterAutoscaler=1:NoSchedule", "info"),
        ("node-role.kubernetes.io/control-plane:NoSchedule", "info"),
        ("dedicated=db:NoExecute", "warning"),
    ],
)
def test_speaks(taint: str, severity: str) -> None:
    objects = around(DS, node("n1", taint), ON)
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == (severity, ("n1",))
    assert f"taint {taint}" in said(SLUG, *objects)[0]
    found = verdict("n1", *objects)
    assert (found.state, found.gap) == ("misscheduled", False)
    assert SLUG in found.causes


def test_a_label_that_went() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}})
    objects = around(ds, node("n2", labels={"disk": "ssd"}), pod(ds, "n1"))
    assert "disk" in said(SLUG, *objects)[0]


def test_a_pod_that_fails_there_is_a_gap() -> None:
    assert verdict("n1", *around(DS, node("n1", "dedicated=db:NoSchedule"), pod(DS, "n1", crashing()))).gap


@pytest.mark.parametrize(
    "objects",
    [
        [ON],
        [node("n1", "dedicated=db:NoSchedule")],
        [node("n1", "dedicated=db:PreferNoSchedule"), ON],
        [node("n1", "node.kubernetes.io/unschedulable:NoSchedule", spec={"unschedulable": True}), ON],
        [lost_node("n1"), pod(DS, "n1", ready=False)],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
