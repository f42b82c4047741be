"""node-leaving: nodes that something takes away."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, around, crashing, daemonset, lost_node, node, pod, said, terminating, verdict

SLUG = "node-leaving"
DS = daemonset(spec=EVERYTHING)
BAD = pod(DS, "n1", crashing())


@pytest.mark.parametrize(
    "leaving",
    [
        node("n1", metadata={"deletionTimestamp": ago(1)}),
        node("n1", "ToBeDeletedByClusterAutoscaler=1778578000:NoSchedule"),
        node("n1", "karpenter.sh/disrupted:NoSchedule"),
        node("n1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
        node("n1", "aws-node-termination-handler/spot-itn=x:NoSchedule"),
        node("n1", ready="False", since=ago(10), spec={"unschedulable": True}),
        lost_node("n1", since=ago(10), spec={"unschedulable": True}),
    ],
)
@pytest.mark.parametrize("made", [BAD, pod(DS, "n1", bound=False), terminating(pod(DS, "n1", ready=False)), None])
def test_speaks(leaving: dict[str, Any], made: dict[str, Any] | None) -> None:
    objects = around(DS, leaving, *([made] if made else []))
    assert said(SLUG, *objects)
    assert verdict("n1", *objects).gap is False


@pytest.mark.parametrize(
    "objects",
    [
        [BAD],
        [node("n1", metadata={"deletionTimestamp": ago(1)}), pod(DS, "n1")],
        [node("n1", spec={"unschedulable": True}), BAD],
        [node("n1", "node.kubernetes.io/unschedulable:NoSchedule", spec={"unschedulable": True}), BAD],
        [
            node("n1", "DeletionCandidateOfClusterAutoscaler=1:PreferNoSchedule", spec={"unschedulable": True}),
            pod(DS, "n1"),
        ],
        [lost_node("n1", spec={"unschedulable": True}), BAD],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
