"""quota: quotas that are used up or demand what the template lacks."""

import pytest
from engine.build import Json, ago, around, daemonset, findings, node, pod, revision, said, verdict
from engine.waiting import created, denied

SLUG = "quota"
DS = daemonset()
EXCEEDED = "exceeded quota: compute, requested: pods=1, used: pods=40, limited: pods=40"


def quota(used: str, hard: str, **spec: object) -> Json:
    meta = {"name": "compute", "namespace": "system"}
    amounts = {"hard": {"pods": hard}, "used": {"pods": used}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": spec, "status": amounts}


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (EXCEEDED, "raise the quota compute of namespace system"),
        ("exceeded quota: a, requested: limits.cpu=1, used: limits.cpu=4, limited: limits.cpu=4", "raise the quota a"),
        ("[exceeded quota: a, requested: x=1, used: x=4, limited: x=4, exceeded quota: b.c, requested: y=1]", "a, b.c"),
        (
            "failed quota: compute: must specify limits.cpu,limits.memory",
            "give every container limits.cpu,limits.memory",
        ),
        (
            "failed quota: compute: must specify limits.cpu for: main; requests.cpu for: main",
            "in the template or by a L",
        ),
        ("insufficient quota to consume: pods", "give namespace system a quota"),
        ("status unknown for quota: compute, resources: pods", "raise the quota compute"),
    ],
)
def test_refusals(text: str, summary: str) -> None:
    objects = around(DS, denied(DS, text))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "policy"
    assert summary in finding.remedy.summary
    assert finding.nodes == ("n1",)
    assert verdict("n1", *objects).gap


def test_the_form_of_many_similar_events() -> None:
    again = denied(DS, EXCEEDED)
    again["message"] = f"(combined from similar events): {again['message']}"
    assert said(SLUG, *around(DS, again)) == [f"no pod is made: {EXCEEDED}"]


def test_the_other_form_of_events() -> None:
    told = denied(DS, EXCEEDED)
    told |= {"firstTimestamp": None, "lastTimestamp": None, "eventTime": ago(50)}
    told["series"] = {"count": 9, "lastObservedTime": ago(2)}
    assert said(SLUG, *around(DS, created(DS, last=ago(20)), told))


def test_only_the_newest_refusal_counts() -> None:
    older = denied(DS, 'error looking up service account system/x: serviceaccount "x" not found', last=ago(30))
    objects = around(DS, older, denied(DS, EXCEEDED, last=ago(2)))
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(("minutes", "speaks"), [(10, True), (3, True), (2, False), (0, False)])
def test_a_later_success_undoes_it(minutes: float, speaks: bool) -> None:
    objects = around(DS, denied(DS, EXCEEDED, last=ago(3)), created(DS, last=ago(minutes)))
    assert bool(said(SLUG, *objects)) is speaks


@pytest.mark.parametrize(
    ("used", "hard", "spec", "speaks"),
    [
        ("40", "40", {}, True),
        ("1k", "1000", {}, True),
        ("39", "40", {}, False),
        ("40", "40", {"scopes": ["BestEffort"]}, False),
        ("many", "40", {}, False),
    ],
)
def test_a_full_quota_speaks_for_itself(used: str, hard: str, spec: Json, speaks: bool) -> None:
    found = findings(SLUG, *around(DS, quota(used, hard, **spec)))
    assert [finding.confidence for finding in found] == ["inferred"] * speaks


def test_silent_where_the_event_is_of_another_object_of_that_name() -> None:
    old = denied({**DS, "metadata": {**DS["metadata"], "uid": "older"}}, EXCEEDED)
    assert said(SLUG, *around(DS, old)) == []


def test_silent_where_every_node_has_its_pod() -> None:
    everywhere = [node("n1"), DS, revision(DS), pod(DS, "n1"), denied(DS, EXCEEDED), quota("40", "40")]
    assert said(SLUG, *everywhere) == []


def test_silent_on_a_young_node() -> None:
    assert said(SLUG, *around(DS, node("n1", created=ago(3)), denied(DS, EXCEEDED))) == []


def test_silent_where_another_refuses() -> None:
    assert said(SLUG, *around(DS, denied(DS, "no PriorityClass with name exceeded was found"))) == []
