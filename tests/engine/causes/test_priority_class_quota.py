"""priority-class-quota: classes that only some namespaces may use."""

import pytest
from engine.build import around, daemonset, event, findings, said, verdict
from engine.waiting import denied

SLUG = "priority-class-quota"
DS = daemonset(spec={"priorityClassName": "system-node-critical"})
SCOPES = "insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]"


@pytest.mark.parametrize("ds", [DS, daemonset()], ids=["named", "default"])
def test_with_and_without_the_pods_name(ds: dict) -> None:
    for told in (denied(ds, SCOPES), event(ds, "FailedCreate", f"Error creating: {SCOPES}")):
        objects = around(ds, told)
        (finding,) = findings(SLUG, *objects)
        assert finding.remedy is not None
        assert finding.remedy.kind == "policy"
        assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    "text",
    [
        "exceeded quota: critical, requested: pods=1, used: pods=9, limited: pods=9",
        "insufficient quota to consume: pods",
        "no PriorityClass with name system-node-critical was found",
    ],
)
def test_silent_on_other_refusals(text: str) -> None:
    assert said(SLUG, *around(DS, denied(DS, text))) == []


def test_silent_without_events() -> None:
    assert said(SLUG, *around(DS)) == []
