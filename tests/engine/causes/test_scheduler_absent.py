"""scheduler-absent: pods that no scheduler takes up."""

import pytest
from engine.build import Json, ago, around, daemonset, event, findings, said, verdict
from engine.waiting import lease, left, refusal

SLUG = "scheduler-absent"
DS = daemonset(spec={"schedulerName": "default-scheduler"})
CUSTOM = daemonset(spec={"schedulerName": "binpacker"})


@pytest.mark.parametrize(("ds", "kind"), [(DS, "no-patch"), (CUSTOM, "patch"), (daemonset(), "no-patch")])
def test_without_a_word(ds: Json, kind: str) -> None:
    objects = around(ds, left(ds))
    (finding,) = findings(SLUG, *objects)
    assert (finding.remedy and finding.remedy.kind) == kind
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_the_default_scheduler_is_put_into_the_template() -> None:
    (finding,) = findings(SLUG, *around(CUSTOM, left(CUSTOM)))
    assert finding.remedy is not None
    want = {"op": "replace", "path": "/spec/template/spec/schedulerName", "value": "default-scheduler"}
    assert finding.remedy.patch == (want,)


def test_a_name_that_admission_wrote_is_not_the_templates() -> None:
    (finding,) = findings(SLUG, *around(DS, left(DS, spec={"schedulerName": "injected"})))
    assert (finding.remedy and finding.remedy.kind) == "no-patch"


def test_a_lease_that_nobody_renews_outweighs_old_words() -> None:
    objects = around(DS, left(DS, refusal("Insufficient cpu")), lease("kube-scheduler", ago(hours=6)))
    assert set(verdict("n1", *objects).causes) == {SLUG, "insufficient-resources"}


def test_claims_do_not_excuse_a_scheduler_that_is_not_there() -> None:
    claims = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpus"}]}
    assert said(SLUG, *around(CUSTOM, left(CUSTOM, spec=claims)))


@pytest.mark.parametrize(
    "objects",
    [
        [left(DS, refusal("Insufficient cpu"))],
        [left(DS, "whatever else")],
        [left(DS), event(left(DS), "FailedScheduling", refusal("Too many pods"))],
        [left(DS, created=ago(0))],
        [left(DS, spec={"schedulingGates": [{"name": "g"}]})],
        [left(DS, spec={"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpus"}]})],
        [left(DS, refusal("Too many pods")), lease("kube-scheduler", ago(0))],
        [left(CUSTOM, "no"), lease("kube-scheduler", ago(hours=6))],
    ],
    ids=[
        "words",
        "other words",
        "an event",
        "just made",
        "gated",
        "held for claims",
        "a fresh lease",
        "another scheduler's pod",
    ],
)
def test_silent(objects: list[Json]) -> None:
    ds = CUSTOM if objects[0]["spec"].get("schedulerName") == "binpacker" else DS
    assert said(SLUG, *around(ds, *objects)) == []
