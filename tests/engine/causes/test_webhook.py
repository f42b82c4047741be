"""webhook: policies that refuse, and webhooks that do not answer."""

import pytest
from engine.build import around, daemonset, event, findings, said, verdict
from engine.waiting import denied

SLUG = "webhook"
DS = daemonset()
DOWN = 'failed calling webhook "inject.example.io": failed to call webhook: Post "https://x.y.svc:443/m?timeout=10s": '


@pytest.mark.parametrize(
    ("text", "name", "does"),
    [
        (
            'admission webhook "validate.kyverno.svc-fail" denied the request: policy x',
            "validate.kyverno.svc-fail",
            "refuses",
        ),
        (
            'admission webhook "validation.gatekeeper.sh" denied the request: [psp] no',
            "validation.gatekeeper.sh",
            "refuses",
        ),
        (f"{DOWN}dial tcp 10.0.0.1:443: connect: connection refused", "inject.example.io", "cannot be asked"),
        (f"{DOWN}context deadline exceeded", "inject.example.io", "cannot be asked"),
        (f"{DOWN}no endpoints available for service", "inject.example.io", "cannot be asked"),
        (f"{DOWN}x509: certificate signed by unknown authority", "inject.example.io", "cannot be asked"),
        (
            'admission webhook "w.example.io" denied the request: exceeded quota: x; violates PodSecurity',
            "w.example.io",
            "refuses",
        ),
    ],
)
def test_refusals(text: str, name: str, does: str) -> None:
    for told in (denied(DS, text), event(DS, "FailedCreate", f"Error creating: Internal error occurred: {text}")):
        objects = around(DS, told)
        (finding,) = findings(SLUG, *objects)
        facts = dict(finding.facts)
        assert (facts["webhook"], facts["does"]) == (name, does)
        assert finding.remedy is not None
        assert finding.remedy.kind == "policy"
        assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    "text",
    [
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
        'violates PodSecurity "baseline:latest": x',
        'serviceaccount "webhook" not found',
    ],
)
def test_silent_on_other_refusals(text: str) -> None:
    assert said(SLUG, *around(DS, denied(DS, text))) == []


def test_silent_without_events() -> None:
    assert said(SLUG, *around(DS)) == []
