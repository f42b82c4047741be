"""rollout-blocked: rollouts whose budget is used up, by whom, and how much room helps."""

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    ago,
    crashing,
    daemonset,
    findings,
    lost_node,
    node,
    pod,
    revision,
    rolling,
    said,
    terminating,
)

SLUG = "rollout-blocked"
DS = daemonset(spec=EVERYTHING)
NODES = [node(f"n{place}") for place in (1, 2, 3, 4)]


def cluster(ds: dict[str, Any], *pods: dict[str, Any], dead: int = 0) -> list[dict[str, Any]]:
    lost = [lost_node(f"n{place}") for place in range(1, dead + 1)]
    return [*lost, *NODES[dead:], ds, revision(ds), revision(ds, 1), *pods]


def old(ds: dict[str, Any], place: int, **more: Any) -> dict[str, Any]:
    return pod(ds, f"n{place}", revision="h1", **more)


def stuck(ds: dict[str, Any], dead: int) -> list[dict[str, Any]]:
    """Dead nodes with pods that cannot finish, old pods on the other nodes."""
    gone = [terminating(old(ds, place, ready=False)) for place in range(1, dead + 1)]
    return cluster(ds, *gone, *(old(ds, place) for place in range(dead + 1, 5)), dead=dead)


@pytest.mark.parametrize(
    ("limit", "dead", "value"),
    [(1, 1, 2), (2, 2, 3), (1, 3, 4), ("10%", 1, "26%"), ("50%", 2, "51%")],
)
def test_room_for_dead_nodes(limit: int | str, dead: int, value: int | str) -> None:
    ds = daemonset(spec=EVERYTHING, strategy=rolling(limit))
    (finding,) = findings(SLUG, *stuck(ds, dead))
    assert (finding.severity, finding.nodes) == ("error", tuple(f"n{place}" for place in range(1, dead + 1)))
    assert finding.remedy is not None
    assert finding.remedy.kind == "patch"
    path = "/spec/updateStrategy/rollingUpdate/maxUnavailable"
    assert finding.remedy.patch == ({"op": "replace", "path": path, "value": value},)
    # With that much room it goes on.
    roomy = daemonset(spec=EVERYTHING, strategy=rolling(value))
    assert said(SLUG, *stuck(roomy, dead)) == []


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (pod(DS, "n1", crashing()), "its new pod is not available"),
        (pod(DS, "n1", crashing(), revision="h1"), "its old pod is not available"),
        (None, "no pod"),
        (terminating(old(DS, 1, ready=False)), "its pod is terminating"),
    ],
)
def test_live_nodes_are_mended_not_given_room(first: dict[str, Any] | None, words: str) -> None:
    objects = cluster(DS, *([first] if first else []), *(old(DS, place) for place in (2, 3, 4)))
    (finding,) = findings(SLUG, *objects)
    assert words in said(SLUG, *objects)[0]
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"


@pytest.mark.parametrize(
    "first",
    [pod(DS, "n1", ready=False, created=ago(2)), terminating(old(DS, 1), since=ago(1))],
)
def test_a_rollout_at_work_is_only_told(first: dict[str, Any]) -> None:
    (finding,) = findings(SLUG, *cluster(DS, first, *(old(DS, place) for place in (2, 3, 4))))
    assert finding.severity == "info"


def test_a_surge_is_blocked_by_new_pods() -> None:
    ds = daemonset(spec=EVERYTHING, strategy=rolling(0, 1))
    pods = [old(ds, 1), pod(ds, "n1", crashing(), suffix="-b"), *(old(ds, place) for place in (2, 3, 4))]
    (sentence,) = said(SLUG, *cluster(ds, *pods))
    assert "maxSurge 1 is used up by n1 (2 pods)" in sentence


@pytest.mark.parametrize(
    "objects",
    [
        cluster(DS, *(old(DS, place) for place in (1, 2, 3, 4))),
        cluster(DS, *(pod(DS, f"n{place}") for place in (1, 2, 3, 4))),
        cluster(DS, pod(DS, "n1", crashing()), *(pod(DS, f"n{place}") for place in (2, 3, 4))),
        stuck(daemonset(spec=EVERYTHING, strategy={"type": "OnDelete"}), 1),
        stuck(daemonset(spec=EVERYTHING, metadata={"generation": 3}), 1),
        [*NODES, DS, pod(DS, "n1", crashing()), *(old(DS, place) for place in (2, 3, 4))],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects) == []
