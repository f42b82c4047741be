"""node-lost: nodes whose kubelet has stopped reporting."""

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    around,
    crashing,
    daemonset,
    findings,
    lost_node,
    node,
    pod,
    said,
    terminating,
    verdict,
)

SLUG = "node-lost"
DS, ALL = daemonset(), daemonset(spec=EVERYTHING)


def gone(ds: dict[str, Any]) -> dict[str, Any]:
    return pod(ds, "n1", ready=False)


@pytest.mark.parametrize(
    ("ds", "objects", "state", "words"),
    [
        (DS, [gone(DS)], "misscheduled", "dropped out of DESIRED"),
        (DS, [], "excluded", "dropped out of DESIRED"),
        (ALL, [gone(ALL)], "unhealthy", "DESIRED counts it still"),
        (ALL, [], "missing", "DESIRED counts it still"),
        (ALL, [terminating(gone(ALL))], "terminating", "its pod cannot finish terminating"),
        (ALL, [pod(ALL, "n1", bound=False)], "pending", "DESIRED counts it still"),
    ],
)
def test_speaks(ds: dict[str, Any], objects: list[dict[str, Any]], state: str, words: str) -> None:
    objects = around(ds, lost_node("n1"), *objects)
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    found = verdict("n1", *objects)
    assert (found.state, found.gap, found.causes[0]) == (state, True, SLUG)


def test_several_dead_nodes_are_one_finding() -> None:
    objects = around(ALL, lost_node("n1"), lost_node("n3"), gone(ALL), pod(ALL, "n3", ready=False))
    (finding,) = findings(SLUG, *objects)
    assert finding.nodes == ("n1", "n3")
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"


def test_the_old_words_of_its_pods_are_no_cause() -> None:
    assert verdict("n1", *around(ALL, lost_node("n1"), pod(ALL, "n1", crashing()))).causes == (SLUG,)


def test_a_node_that_never_reported() -> None:
    assert "has never reported" in said(SLUG, *around(ALL, lost_node("n1", reason="NodeStatusNeverUpdated")))[0]


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [pod(DS, "n1")]),
        (ALL, [node("n1", ready="False"), gone(ALL)]),
        (DS, [node("n1", "k:NoSchedule")]),
        (ALL, [pod(ALL, "n1", crashing())]),
    ],
)
def test_silent(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(ds, *objects)) == []


def test_silent_where_the_node_is_not_meant_anyway() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}})
    nodes = lost_node("n1"), node("n2", labels={"disk": "ssd"})
    assert said(SLUG, *around(ds, *nodes)) == []
    assert verdict("n1", *around(ds, *nodes)).gap is False
