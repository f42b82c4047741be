"""runtimeclass-selector-not-in-template: selectors of RuntimeClasses."""

import pytest
from engine.build import Json, around, daemonset, findings, node, said, verdict
from engine.waiting import left, namespace, refusal

SLUG = "runtimeclass-selector-not-in-template"
NO_MATCH = refusal("node(s) didn't match Pod's node affinity/selector")
DS = daemonset(spec={"runtimeClassName": "sandbox"})


def runtime(**selector: str) -> Json:
    scheduling = {"scheduling": {"nodeSelector": selector}} if selector else {}
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "sandbox"},
        "handler": "s",
        **scheduling,
    }


def added(**selector: str) -> Json:
    return left(DS, NO_MATCH, spec={"nodeSelector": selector})


def test_the_class_selects_nodes() -> None:
    objects = around(DS, added(sandbox="on"), runtime(sandbox="on"))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    want = ({"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"sandbox": "on"}},)
    assert (finding.confidence, finding.remedy.patch) == ("observed", want)
    got = verdict("n1", *objects)
    assert (got.gap, got.unwanted, got.causes) == (False, True, (SLUG,))


def test_a_class_that_was_not_seen() -> None:
    (finding,) = findings(SLUG, *around(DS, added(sandbox="on")))
    assert finding.confidence == "inferred"


def test_two_origins_are_told_apart() -> None:
    annotated = namespace(annotations={"scheduler.alpha.kubernetes.io/node-selector": "realm=test"})
    objects = around(DS, added(sandbox="on", realm="test"), runtime(sandbox="on"), annotated)
    assert set(verdict("n1", *objects).causes) == {SLUG, "namespace-selector-not-in-template"}


@pytest.mark.parametrize(
    "objects",
    [
        [added(sandbox="on"), runtime(sandbox="on"), node("n1", labels={"sandbox": "on"})],
        [added(realm="test"), runtime()],
        [left(DS, NO_MATCH), runtime(sandbox="on")],
        [left(DS, refusal("Insufficient cpu")), runtime(sandbox="on")],
    ],
    ids=["the node has the label", "the class selects nothing", "nothing was added", "other words"],
)
def test_silent(objects: list[Json]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []


def test_silent_without_a_class() -> None:
    ds = daemonset()
    waits = left(ds, NO_MATCH, spec={"nodeSelector": {"sandbox": "on"}})
    assert said(SLUG, *around(ds, waits, runtime(sandbox="on"))) == []
