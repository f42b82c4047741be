"""namespace-selector-not-in-template: selectors that admission adds."""

import pytest
from engine.build import Json, around, daemonset, findings, node, said, verdict
from engine.waiting import left, namespace, refusal

SLUG = "namespace-selector-not-in-template"
UPSTREAM = "scheduler.alpha.kubernetes.io/node-selector"
NO_MATCH = refusal("node(s) didn't match Pod's node affinity/selector")
DS = daemonset()


def added(ds: Json = DS, message: str = NO_MATCH, **selector: str) -> Json:
    own = ds["spec"]["template"]["spec"].get("nodeSelector", {})
    return left(ds, message, spec={"nodeSelector": {**own, **(selector or {"realm": "test"})}})


def annotated(text: str, key: str = UPSTREAM) -> Json:
    return namespace(annotations={key: text})


@pytest.mark.parametrize("text", ["realm=test", "a=b, realm=test", "realm = test"])
def test_the_annotation_explains_it(text: str) -> None:
    objects = around(DS, added(), annotated(text))
    (finding,) = findings(SLUG, *objects)
    assert finding.confidence == "observed"
    got = verdict("n1", *objects)
    assert (got.gap, got.unwanted, got.expected, got.causes) == (False, True, False, (SLUG,))


def test_the_selector_goes_into_the_template() -> None:
    (finding,) = findings(SLUG, *around(DS, added(), annotated("realm=test")))
    assert finding.remedy is not None
    want = ({"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"realm": "test"}},)
    assert finding.remedy.patch == want


def test_beside_what_the_template_has() -> None:
    ds = daemonset(spec={"nodeSelector": {"kubernetes.io/os": "linux"}})
    waits = added(ds, **{"example.com/realm": "test"})
    (finding,) = findings(SLUG, *around(ds, waits, annotated("example.com/realm=test")))
    assert finding.remedy is not None
    path = "/spec/template/spec/nodeSelector/example.com~1realm"
    assert finding.remedy.patch == ({"op": "add", "path": path, "value": "test"},)


def test_a_selector_of_unknown_origin() -> None:
    objects = around(DS, added(), namespace())
    (finding,) = findings(SLUG, *objects)
    assert (finding.confidence, dict(finding.facts)["by"]) == ("inferred", "a cluster default or a webhook")
    assert verdict("n1", *objects).unwanted


@pytest.mark.parametrize(
    "objects",
    [
        [added(), node("n1", labels={"realm": "test"})],
        [left(DS, NO_MATCH)],
        [left(DS, refusal("Insufficient cpu"))],
        [left(DS)],
    ],
    ids=["the node has the label", "nothing was added", "other words", "no words"],
)
def test_silent(objects: list[Json]) -> None:
    assert said(SLUG, *around(DS, *objects, annotated("realm=test"))) == []


def test_silent_where_the_template_has_it_too() -> None:
    ds = daemonset(spec={"nodeSelector": {"realm": "test"}})
    assert said(SLUG, *around(ds, left(ds, NO_MATCH), annotated("realm=test"), well=())) == []


def test_silent_where_the_runtime_class_adds_it() -> None:
    ds = daemonset(spec={"runtimeClassName": "sandbox"})
    assert said(SLUG, *around(ds, added(ds), namespace())) == []
