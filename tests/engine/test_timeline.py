"""Since when a gap is there: the trace that its beginning left, else what must have been there before it."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import NOW, ago, crashing, daemonset, event, judged, lost_node, node, pod, revision, terminating
from engine.evidence import name_of, unproved

from dscov.model.findings import Finding, Since
from dscov.model.grace import Grace, parse_duration, span_text
from dscov.model.policy import Settings

Json = dict[str, Any]
DS = daemonset()


def since(*objects: Json) -> Since:
    """The timeline of the first finding; its claims hold in the objects."""
    finding = judged(*objects).coverage[0].findings[0]
    assert finding.since is not None
    claims = Finding(finding.cause, "error", (), evidence=finding.since.evidence)
    assert list(unproved(claims, objects)) == []
    assert finding.since.evidence
    return finding.since


def tainted(minutes: float) -> Json:
    made = node("n1", "dedicated=db:NoExecute")
    made["spec"]["taints"][0]["timeAdded"] = ago(minutes)
    return made


@pytest.mark.parametrize(
    ("objects", "change", "time", "exact"),
    [
        ([DS, tainted(50)], "taint-added", ago(50), True),
        ([DS, node("n1", "dedicated=db:NoSchedule")], "daemonset-created", ago(days=60), False),
        ([DS, node("n1", "dedicated=db:NoSchedule", created=ago(90))], "node-joined", ago(90), False),
        ([DS, revision(DS), lost_node("n1"), pod(DS, "n1", ready=False)], "node-condition", ago(hours=2), True),
        ([DS, revision(DS), node("n1"), terminating(pod(DS, "n1"))], "pod-deleted", ago(hours=5), True),
        ([DS, revision(DS), node("n1"), pod(DS, "n1", crashing())], "pod-created", ago(hours=5), True),
    ],
)
def test_since(objects: list[Json], change: str, time: str, exact: bool) -> None:
    found = since(*objects)
    assert (found.change, found.time.strftime("%Y-%m-%dT%H:%M:%SZ"), found.exact) == (change, time, exact)


def test_a_crash_loop_began_with_its_first_event() -> None:
    made = pod(DS, "n1", crashing())
    told = event(made, "BackOff", "Back-off restarting failed container")
    found = since(DS, revision(DS), node("n1"), made, told)
    assert (found.change, found.time.strftime("%H:%M")) == ("first-event", "08:30")
    assert found.evidence[0].object == name_of(told)


def test_what_changed_shortly_before_is_told() -> None:
    changed = revision(DS)
    changed["metadata"]["creationTimestamp"] = ago(52)
    found = since(DS, changed, tainted(50))
    assert (found.change, found.after) == ("taint-added", "template-changed")


def test_the_first_of_several_nodes_counts() -> None:
    other = tainted(80)
    other["metadata"]["name"] = "n2"
    assert since(DS, tainted(50), other).node == "n2"


def test_what_is_no_gap_has_no_beginning() -> None:
    one = judged(DS, revision(DS), node("n1"), pod(DS, "n1")).coverage[0]
    assert all(finding.since is None for finding in one.findings)


@pytest.mark.parametrize(("minutes", "gap"), [("3m", True), ("10m", False)])
def test_grace_periods(minutes: str, gap: bool) -> None:
    from engine.build import snapshot

    from dscov.diagnosis import diagnose

    settings = Settings(grace=Grace(node=parse_duration(minutes)))
    found = diagnose(snapshot(DS, revision(DS), node("n1", created=ago(5))), now=NOW, settings=settings)
    assert found.coverage[0].pairs[0].verdict.gap is gap


@pytest.mark.parametrize(
    ("text", "words"),
    [("0", "0 s"), ("90s", "1 min 30 s"), ("1h30m", "1 h 30 min"), ("1.5h", "1 h 30 min"), ("50h", "2 d 2 h")],
)
def test_durations(text: str, words: str) -> None:
    assert span_text(parse_duration(text)) == words


@pytest.mark.parametrize("text", ["", "5", "-5m", "5x", "m", "1h 5m"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)
