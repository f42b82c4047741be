"""unschedulable: what the scheduler says beside all that."""

import pytest
from engine.build import Json, around, daemonset, findings, node, said, verdict
from engine.waiting import left, refusal

SLUG = "unschedulable"
DS = daemonset(spec={"tolerations": [{"key": "gpu", "operator": "Exists"}]})
TAINTED = node("n1", "gpu=a100:NoSchedule")


@pytest.mark.parametrize(
    "reason",
    [
        "cannot allocate all claims",
        "resourceclaim not available on the node",
        "node(s) didn't match Pod's required features",
        "node(s) didn't match scheduler-enforced node affinity",
        "something that a plugin of the house says",
    ],
)
def test_other_reasons(reason: str) -> None:
    objects = around(DS, left(DS, refusal(reason)))
    assert said(SLUG, *objects) == [f"the scheduler refuses the node: {reason}"]
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_an_error_of_the_scheduler() -> None:
    assert said(SLUG, *around(DS, left(DS, 'running "X" filter plugin: timed out')))


@pytest.mark.parametrize("field", ["resourceClaimName", "resourceClaimTemplateName"])
def test_a_pod_that_is_held_for_its_claims(field: str) -> None:
    """The scheduler writes no condition and no event then."""
    objects = around(DS, left(DS, spec={"resourceClaims": [{"name": "gpu", field: "gpus"}]}))
    assert said(SLUG, *objects) == [
        "the scheduler refuses the node: the pod is not tried before its resource claims exist: gpus"
    ]
    (finding,) = findings(SLUG, *objects)
    assert (finding.remedy and finding.remedy.kind) == "policy"
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize("reason", ["node(s) had untolerated taint {gpu: a100}", "node(s) had untolerated taint(s)"])
def test_a_toleration_that_admission_took_away(reason: str) -> None:
    waits = left(DS, refusal(reason), spec={"tolerations": []})
    (finding,) = findings(SLUG, *around(DS, waits, TAINTED))
    assert "gpu=a100:NoSchedule" in dict(finding.facts)["reason"]


def test_a_pod_that_is_older_than_the_template() -> None:
    waits = left(DS, refusal("node(s) didn't match Pod's node affinity/selector"), spec={"nodeSelector": {"a": "b"}})
    assert said(SLUG, *around(DS, waits)) == []


@pytest.mark.parametrize(
    "message",
    [
        "",
        refusal("Insufficient cpu"),
        refusal("Too many pods"),
        refusal("node(s) didn't have free ports for the requested pod ports"),
        refusal("node(s) exceed max volume count"),
        refusal("node(s) didn't match pod anti-affinity rules"),
        refusal("node(s) had untolerated taint {gpu: a100}"),
    ],
)
def test_silent_where_a_page_of_its_own_speaks(message: str) -> None:
    assert said(SLUG, *around(DS, left(DS, message), TAINTED)) == []


def test_every_word_has_a_cause() -> None:
    """Whatever the scheduler says of the pod's node, the pair is explained."""
    words = [
        "x",
        "Insufficient a/b",
        "node(s) didn't match pod topology spread constraints",
        "node(s) had taints that x",
    ]
    unexplained = [word for word in words if not verdict("n1", *around(DS, left(DS, refusal(word)))).causes]
    assert unexplained == []


def test_also_where_the_condition_has_no_words() -> None:
    made: Json = left(DS)
    made["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    full = node("n1")
    full["status"]["allocatable"]["pods"] = "0"
    assert verdict("n1", *around(DS, made, full)).causes == ("too-many-pods",)
