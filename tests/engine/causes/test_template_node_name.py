"""template-node-name: a template that names its node."""

from typing import Any

import pytest
from engine.build import daemonset, node, said
from engine.eligibility import cured, gaps, selecting

SLUG = "template-node-name"
DS = daemonset(spec={"nodeName": "n1"})
PATCH = [{"op": "remove", "path": "/spec/template/spec/nodeName"}]


@pytest.mark.parametrize("named", ["n1", "gone"])
def test_speaks(named: str) -> None:
    objects = daemonset(spec={"nodeName": named}), node("n1"), node("n2"), node("n3")
    assert said(SLUG, *objects) == [f"the template's nodeName is {named}"]
    others = {"n1", "n2", "n3"} - {named}
    assert cured(SLUG, *objects) == (PATCH, others)
    assert gaps(*objects) == others


def test_a_selector_that_leaves_a_node_out_is_meant() -> None:
    ds = daemonset(spec={"nodeName": "n1", "nodeSelector": {"disk": "ssd"}})
    assert gaps(ds, node("n1", labels={"disk": "ssd"}), node("n2")) == set()


@pytest.mark.parametrize(
    "objects",
    [
        [DS, node("n1")],
        [daemonset(spec={"nodeName": ""}), node("n1")],
        [daemonset(), node("n1"), node("n2")],
        [daemonset(spec={"nodeSelector": {"kubernetes.io/hostname": "n1"}}), node("n1"), node("n2")],
        [selecting({"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}), node("n2")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects) == []
