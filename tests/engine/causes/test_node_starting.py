"""node-starting: nodes that have only just joined."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, around, crashing, daemonset, node, pod, said, status, verdict, waiting

SLUG = "node-starting"
DS = daemonset(spec=EVERYTHING)
PLAIN = daemonset()
YOUNG = node("n1", created=ago(3))
UNREADY = node("n1", "node.kubernetes.io/not-ready:NoSchedule", ready="False", created=ago(3))


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [YOUNG]),
        (DS, [UNREADY]),
        (PLAIN, [UNREADY]),
        (DS, [UNREADY, pod(DS, "n1", crashing(), created=ago(2))]),
        (DS, [YOUNG, pod(DS, "n1", status(waiting("ContainerCreating")), created=ago(2), phase="Pending")]),
        (DS, [YOUNG, pod(DS, "n1", bound=False, created=ago(2))]),
    ],
)
def test_speaks(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    objects = around(ds, *objects)
    assert said(SLUG, *objects)
    found = verdict("n1", *objects)
    assert found.gap is False
    assert SLUG in found.causes


@pytest.mark.parametrize(
    "objects",
    [
        [node("n1")],
        [YOUNG, pod(DS, "n1")],
        [node("n1", created=ago(20))],
        [YOUNG, pod(DS, "n1", crashing(), created=ago(2))],
        [YOUNG, pod(DS, "n1", status(waiting("ImagePullBackOff")), created=ago(2), phase="Pending")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
