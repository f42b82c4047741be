"""too-many-pods: the number of pods that a node may have."""

import pytest
from engine.build import Json, around, daemonset, findings, node, said, verdict
from engine.waiting import left, priority_class, refusal, tenant

SLUG = "too-many-pods"
DS = daemonset()
MANY = refusal("Too many pods")
PODS = [tenant(f"t{i}") for i in range(3)]


def narrow(**labels: str) -> Json:
    made = node("n1", labels=labels)
    made["status"]["allocatable"]["pods"] = "3"
    return made


def test_the_number_and_the_holders() -> None:
    objects = around(DS, left(DS, MANY), narrow(), *PODS)
    assert said(SLUG, *objects) == [
        (
            "the node may have 3 pods and has 3: ReplicaSet shop/t0 (1 pod, priority 0), "
            "ReplicaSet shop/t1 (1 pod, priority 0), ReplicaSet shop/t2 (1 pod, priority 0)"
        )
    ]
    assert verdict("n1", *objects).gap


def test_a_node_that_does_not_say() -> None:
    silent = narrow()
    del silent["status"]["allocatable"]["pods"]
    (finding,) = findings(SLUG, *around(DS, left(DS, MANY), silent))
    assert dict(finding.facts)["most"] == "0"
    assert [shown.field for shown in finding.evidence] == ["status.conditions[0].message"]


def test_holders_that_were_not_seen() -> None:
    objects = around(DS, left(DS, MANY), narrow(), PODS[0])
    assert said(SLUG, *objects) == [
        "the node may have 3 pods and is full by the scheduler's count: ReplicaSet shop/t0 (1 pod, priority 0)"
    ]
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.why.startswith("who holds the node was not seen")


@pytest.mark.parametrize("word", ["Too many pods", "Insufficient pods"])
def test_old_and_new_words(word: str) -> None:
    objects = around(DS, left(DS, refusal(word)), narrow(), *PODS)
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    ("objects", "kind"),
    [
        ([narrow(), *PODS, priority_class("agents", 10)], "patch"),
        ([narrow(), *PODS], "policy"),
        ([narrow(**{"karpenter.sh/nodepool": "a"}), *PODS, priority_class("agents", 10)], "policy"),
        ([narrow(), *(tenant(f"d{i}", owner="DaemonSet") for i in range(3)), priority_class("agents", 10)], "policy"),
    ],
    ids=["class", "no class", "provisioned", "daemons only"],
)
def test_the_remedy(objects: list[Json], kind: str) -> None:
    (finding,) = findings(SLUG, *around(DS, left(DS, MANY), *objects))
    assert finding.remedy is not None
    assert finding.remedy.kind == kind


def test_silent_on_other_words() -> None:
    assert said(SLUG, *around(DS, left(DS, refusal("Insufficient cpu")), narrow(), *PODS)) == []


def test_silent_without_words() -> None:
    assert said(SLUG, *around(DS, left(DS), narrow(), *PODS)) == []


def test_silent_on_nodes_that_are_no_place_for_daemons() -> None:
    virtual = narrow(**{"eks.amazonaws.com/compute-type": "fargate"})
    assert said(SLUG, *around(DS, left(DS, MANY), virtual, *PODS)) == []


def test_silent_where_the_pod_is_bound() -> None:
    assert said(SLUG, *around(DS, narrow(), *PODS, well=("n1", "n2"))) == []
