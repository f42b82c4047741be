"""pod-security: levels of namespaces, and policies of old."""

import pytest
from engine.build import around, daemonset, findings, said, verdict
from engine.waiting import denied, namespace

SLUG = "pod-security"
HOST = daemonset(spec={"hostNetwork": True})
ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ('violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)', "baseline:latest"),
        ('violates PodSecurity "restricted:v1.30": allowPrivilegeEscalation != false (...)', "restricted:v1.30"),
        ("unable to validate against any pod security policy: [spec.hostNetwork: Invalid value: true]", "a policy"),
        ("PodSecurityPolicy: unable to admit pod: [spec.volumes[0]: Invalid value]", "a policy"),
        (
            (
                'admission webhook "pod-security-webhook.kubernetes.io" denied the request: violates PodSecurity '
                '"baseline:latest": hostPath volumes'
            ),
            "baseline:latest",
        ),
    ],
)
def test_refusals(text: str, level: str) -> None:
    objects = around(HOST, denied(HOST, text))
    (finding,) = findings(SLUG, *objects)
    assert dict(finding.facts)["level"] == level
    assert finding.remedy is not None
    assert finding.remedy.kind == "policy"
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"hostNetwork": True}, "hostNetwork"),
        ({"hostPID": True}, "hostPID"),
        ({"volumes": [{"name": "e", "emptyDir": {}}, {"name": "v", "hostPath": {"path": "/var"}}]}, "volumes[1]"),
    ],
)
def test_label_and_template_speak_where_no_event_is_left(spec: dict, field: str) -> None:
    ds = daemonset(spec=spec)
    (finding,) = findings(SLUG, *around(ds, namespace(labels={ENFORCE: "baseline"})))
    assert finding.confidence == "inferred"
    assert field in finding.evidence[1].field


def test_a_privileged_container() -> None:
    ds = daemonset(container={"securityContext": {"privileged": True}})
    assert said(SLUG, *around(ds, namespace(labels={ENFORCE: "restricted"})))


@pytest.mark.parametrize(
    ("ds", "labels"),
    [
        (HOST, {}),
        (HOST, {ENFORCE: "privileged"}),
        (HOST, {"pod-security.kubernetes.io/warn": "restricted"}),
        (daemonset(), {ENFORCE: "baseline"}),
    ],
)
def test_silent_where_nothing_is_forbidden(ds: dict, labels: dict) -> None:
    assert said(SLUG, *around(ds, namespace(labels=labels))) == []


def test_silent_where_another_refuses() -> None:
    told = denied(HOST, "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1")
    assert said(SLUG, *around(HOST, told, namespace(labels={ENFORCE: "baseline"}))) == []
