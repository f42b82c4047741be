"""security-context-constraint: OpenShift's rights of service accounts."""

import pytest
from engine.build import around, daemonset, findings, said, verdict
from engine.waiting import denied

SLUG = "security-context-constraint"
TEXT = (
    'unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or '
    "serviceaccount, provider restricted-v2: .spec.securityContext.hostNetwork: Invalid value: true]"
)


@pytest.mark.parametrize(
    ("spec", "container", "action"),
    [
        ({"hostNetwork": True}, {}, "add-scc-to-user hostnetwork-v2 -z agent -n system"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}, {}, "add-scc-to-user hostmount-anyuid"),
        ({}, {"securityContext": {"privileged": True}}, "add-scc-to-user privileged"),
        ({"hostPID": True}, {}, "add-scc-to-user hostaccess"),
        ({}, {"ports": [{"containerPort": 1, "hostPort": 1}]}, "add-scc-to-user hostnetwork-v2"),
        ({}, {}, "add-scc-to-user nonroot-v2"),
    ],
)
def test_the_narrowest_constraint_is_named(spec: dict, container: dict, action: str) -> None:
    ds = daemonset(spec={"serviceAccountName": "agent", **spec}, container=container)
    objects = around(ds, denied(ds, TEXT))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert (finding.remedy.kind, len(finding.remedy.actions)) == ("policy", 1)
    assert action in finding.remedy.actions[0]
    assert verdict("n1", *objects).gap


def test_the_default_account_gets_no_rights() -> None:
    ds = daemonset(spec={"hostNetwork": True})
    (finding,) = findings(SLUG, *around(ds, denied(ds, TEXT)))
    assert finding.remedy is not None
    assert not any("-z default" in action for action in finding.remedy.actions)


@pytest.mark.parametrize(
    "text", ['violates PodSecurity "baseline:latest": x', "exceeded quota: scc, requested: pods=1"]
)
def test_silent_on_other_refusals(text: str) -> None:
    ds = daemonset()
    assert said(SLUG, *around(ds, denied(ds, text))) == []


def test_silent_without_events() -> None:
    assert said(SLUG, *around(daemonset(spec={"hostNetwork": True}))) == []
