"""misscheduled-transient: pods that count as misscheduled for a while."""

from typing import Any

import pytest
from engine.build import ago, around, daemonset, findings, lost_node, node, pod, said, terminating, verdict

SLUG = "misscheduled-transient"
DS = daemonset()
TAINTED = node("n1", "dedicated=db:NoExecute")


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([node("n1", "ToBeDeletedByClusterAutoscaler=1:NoSchedule"), pod(DS, "n1")], "the node is going away"),
        ([node("n1", "karpenter.sh/disrupted:NoSchedule"), pod(DS, "n1")], "the node is going away"),
        ([TAINTED, terminating(pod(DS, "n1"), since=ago(1))], "the pod is on its way out"),
        ([node("n1", "node.kubernetes.io/not-ready:NoSchedule"), pod(DS, "n1")], "the taint is lifted"),
        ([node("n1", "node.cilium.io/agent-not-ready:NoSchedule"), pod(DS, "n1")], "the taint is lifted"),
    ],
)
def test_speaks(objects: list[dict[str, Any]], words: str) -> None:
    objects = around(DS, *objects)
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert [finding.severity for finding in findings(SLUG, *objects)] == ["info"]


def test_what_comes_after_the_pod_is_a_gap_all_the_same() -> None:
    assert verdict("n1", *around(DS, TAINTED, terminating(pod(DS, "n1"), since=ago(1)))).gap
    assert not verdict("n1", *around(DS, node("n1", "karpenter.sh/disrupted:NoSchedule"), pod(DS, "n1"))).gap


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [TAINTED, pod(DS, "n1")],
        [node("n1", "ToBeDeletedByClusterAutoscaler=1:NoSchedule")],
        [lost_node("n1"), pod(DS, "n1", ready=False)],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
