"""misscheduled-at-risk: pods that will not come back once they go."""

from typing import Any

import pytest
from engine.build import ON_DELETE, ago, around, daemonset, lost_node, node, pod, revision, said, terminating

SLUG = "misscheduled-at-risk"
DS = daemonset()
TAINTED = node("n1", "dedicated=db:NoSchedule")
LATER = daemonset(strategy=ON_DELETE)


@pytest.mark.parametrize(
    ("ds", "objects", "words"),
    [
        (DS, [TAINTED, pod(DS, "n1")], "the next rollout, eviction or failure"),
        (DS, [node("n1", "dedicated=db:NoExecute"), pod(DS, "n1")], "the controller removes the pod"),
        (DS, [TAINTED, revision(DS, 1), pod(DS, "n1", revision="h1")], "the rolling update at work removes the pod"),
        (LATER, [TAINTED, revision(LATER, 1), pod(LATER, "n1", revision="h1")], "the next rollout"),
    ],
)
def test_speaks(ds: dict[str, Any], objects: list[dict[str, Any]], words: str) -> None:
    (sentence,) = said(SLUG, *around(ds, *objects))
    assert words in sentence


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [TAINTED],
        [TAINTED, pod(DS, "n1", bound=False)],
        [TAINTED, terminating(pod(DS, "n1"), since=ago(1))],
        [node("n1", "ToBeDeletedByClusterAutoscaler=1:NoSchedule"), pod(DS, "n1")],
        [node("n1", "node.kubernetes.io/network-unavailable:NoSchedule"), pod(DS, "n1")],
        [lost_node("n1"), pod(DS, "n1", ready=False)],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
