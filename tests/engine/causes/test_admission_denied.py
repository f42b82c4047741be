"""admission-denied: whatever else the API server has against the pods."""

import pytest
from engine.build import around, daemonset, event, findings, said, verdict
from engine.waiting import denied, namespace, priority_class

SLUG = "admission-denied"
DS = daemonset()


@pytest.mark.parametrize(
    "text",
    [
        "no PriorityClass with name no-such-class was found",
        "maximum cpu usage per Container is 1, but limit is 2",
        "minimum memory usage per Pod is 64Mi, but request is 16Mi",
        "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist",
        "pod node label selector conflicts with its namespace node label selector",
        'pod rejected: RuntimeClass "kata" not found',
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: hostPath is not allowed",
        "the integer value of priority (0) must not be provided in pod spec",
    ],
)
def test_refusals(text: str) -> None:
    objects = around(DS, denied(DS, text))
    assert said(SLUG, *objects) == [f"no pod is made: {text}"]
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    "message",
    [
        'Error creating: Pod "agent-x2k4p" is invalid: spec.containers[0].image: Required value',
        "Error creating: Timeout: request did not complete within requested timeout - context deadline exceeded",
        "Error creating: etcdserver: request timed out",
    ],
)
def test_texts_of_other_forms(message: str) -> None:
    assert said(SLUG, *around(DS, event(DS, "FailedCreate", message)))


def test_a_namespace_that_goes_is_no_gap() -> None:
    objects = around(DS, namespace(phase="Terminating"))
    assert said(SLUG, *objects) == ["no pod is made: namespace system is being deleted"]
    assert not verdict("n1", *objects).gap


def test_a_class_that_is_not_among_those_seen() -> None:
    ds = daemonset(spec={"priorityClassName": "agents"})
    (finding,) = findings(SLUG, *around(ds, priority_class("system-node-critical", 2_000_001_000)))
    assert (finding.confidence, finding.remedy and finding.remedy.kind) == ("inferred", "policy")


@pytest.mark.parametrize("classes", [["system-node-critical", "agents"], ["batch"], []])
def test_silent_where_the_class_may_be_there(classes: list[str]) -> None:
    ds = daemonset(spec={"priorityClassName": "agents"})
    assert said(SLUG, *around(ds, *(priority_class(name, 10) for name in classes))) == []


@pytest.mark.parametrize(
    "text",
    [
        "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
        'violates PodSecurity "baseline:latest": x',
        'admission webhook "w.example.io" denied the request: no',
        'error looking up service account system/x: serviceaccount "x" not found',
        "insufficient quota to match these scopes: [{PriorityClass In [x]}]",
        "unable to validate against any security context constraint: []",
    ],
)
def test_silent_where_a_page_of_its_own_speaks(text: str) -> None:
    assert said(SLUG, *around(DS, denied(DS, text), namespace())) == []
