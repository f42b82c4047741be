"""service-account-missing: accounts that are not there, or were not."""

import pytest
from engine.build import Json, around, daemonset, findings, said, verdict
from engine.waiting import denied

SLUG = "service-account-missing"
DS = daemonset(spec={"serviceAccountName": "agent"})
LOOKUP = 'error looking up service account system/agent: serviceaccount "agent" not found'


def account(name: str, namespace: str = "system") -> Json:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}


@pytest.mark.parametrize(
    "text",
    [
        LOOKUP,
        "service account system/agent was not found, retry after the service account is created",
        'no API token found for service account "agent", retry after the token is created and added to it',
    ],
)
def test_refusals(text: str) -> None:
    objects = around(DS, denied(DS, text))
    (finding,) = findings(SLUG, *objects)
    assert dict(finding.facts)["account"] == "agent"
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.summary[:34]) == ("policy", "create ServiceAccount system/agent")
    assert verdict("n1", *objects).gap


def test_an_account_that_is_there_now_is_no_gap_for_long() -> None:
    objects = around(DS, denied(DS, LOOKUP), account("agent"))
    assert said(SLUG, *objects)
    assert not verdict("n1", *objects).gap


def test_so_is_a_refusal_of_an_older_template() -> None:
    ds = daemonset(spec={"serviceAccountName": "other"})
    assert not verdict("n1", *around(ds, denied(ds, LOOKUP))).gap


def test_the_accounts_of_the_namespace_speak_where_no_event_is_left() -> None:
    (finding,) = findings(SLUG, *around(DS, account("default")))
    assert finding.confidence == "inferred"


@pytest.mark.parametrize(
    ("ds", "accounts"),
    [
        (DS, []),
        (DS, [account("default", "other")]),
        (DS, [account("default"), account("agent")]),
        (daemonset(), [account("builder")]),
    ],
)
def test_silent_where_nothing_is_missing(ds: Json, accounts: list[Json]) -> None:
    assert said(SLUG, *around(ds, *accounts)) == []


def test_silent_where_another_refuses() -> None:
    told = denied(DS, "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1")
    assert said(SLUG, *around(DS, told, account("default"))) == []
