"""unexplained: gaps that no other cause speaks of stay visible."""

import pytest
from engine.build import Json, ago, around, daemonset, event, findings, node, pod, revision, said, verdict
from engine.waiting import denied, lease, left

SLUG = "unexplained"
DS = daemonset()
OTHER = daemonset("other")
BUSY = [OTHER, revision(OTHER), pod(OTHER, "n1"), pod(OTHER, "n2")]
TICK = event(node("n2"), "NodeReady", "Node n2 status is now: NodeReady", kind="Normal")


def test_a_pod_that_is_not_there_for_no_reason_that_was_read() -> None:
    objects = around(DS, *BUSY, TICK)
    assert said(SLUG, *objects) == ["the controller has made no pod, and no event and no object that was read says why"]
    (finding,) = findings(SLUG, *objects)
    assert (finding.confidence, finding.remedy and finding.remedy.kind) == ("unknown", "no-patch")
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_without_events_that_is_said() -> None:
    assert said(SLUG, *around(DS, *BUSY)) == [
        "the controller has made no pod, and no event and no object that was read says why"
    ]


@pytest.mark.parametrize(
    "objects",
    [
        [denied(DS, "no PriorityClass with name x was found")],
        [lease("kube-controller-manager", ago(hours=7))],
        [left(DS, "whatever the scheduler says")],
        [left(DS)],
        [node("n1", "dedicated=db:NoSchedule")],
        [node("n1", created=ago(2))],
    ],
    ids=["refused", "controller down", "pending", "no scheduler", "excluded", "young"],
)
def test_silent_where_another_cause_speaks_or_nothing_is_wrong(objects: list[Json]) -> None:
    assert said(SLUG, *around(DS, *BUSY, TICK, *objects)) == []


def test_silent_where_the_pods_are_there() -> None:
    assert said(SLUG, *around(DS, TICK, well=("n1", "n2"))) == []
