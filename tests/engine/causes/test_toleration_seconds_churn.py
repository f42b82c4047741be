"""toleration-seconds-churn: NoExecute taints that are tolerated for a while."""

from typing import Any

import pytest
from engine.build import around, node, pod, said, verdict
from engine.eligibility import LIST, spoken, tolerating

SLUG = "toleration-seconds-churn"
TAINT = "maintenance=firmware:NoExecute"


def ending(seconds: int, key: str = "maintenance", **more: str) -> dict[str, Any]:
    named = {"key": key} if key else {}
    return {**named, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds, **more}


FOR_EVER = {"key": "maintenance", "operator": "Exists"}


@pytest.mark.parametrize("seconds", [3600, 60, 0, -1])
@pytest.mark.parametrize(
    ("before", "after"), [([], []), ([{"key": "other", "operator": "Exists"}], [FOR_EVER]), ([], [FOR_EVER])]
)
def test_speaks(seconds: int, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    ds = tolerating(*before, ending(seconds), *after)
    objects = around(ds, node("n1", TAINT), pod(ds, "n1"))
    assert said(SLUG, *objects) == [
        f"taint {TAINT} is tolerated for {seconds} s only: the pod is evicted and made anew, for ever"
    ]
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "patch"
    path = f"{LIST}/{len(before)}/tolerationSeconds"
    assert finding.remedy.patch == ({"op": "remove", "path": path},)
    found = verdict("n1", *objects)
    assert (found.state, found.gap) == ("covered", True)


def test_taints_of_one_toleration_are_one_finding() -> None:
    ds = tolerating(ending(60, key=""))
    objects = around(ds, node("n1", "a=x:NoExecute"), node("n3", "b:NoExecute"), pod(ds, "n1"), pod(ds, "n3"))
    (finding,) = spoken(SLUG, *objects)
    assert finding.nodes == ("n1", "n3")


def test_what_the_controller_adds_stands_before_an_equal_one_of_the_template() -> None:
    ds = tolerating(ending(30, key="node.kubernetes.io/not-ready"), ending(30, key="node.kubernetes.io/unreachable"))
    taints = "node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/unreachable:NoExecute"
    assert said(SLUG, *around(ds, node("n1", *taints), pod(ds, "n1"))) == []


@pytest.mark.parametrize(
    ("tolerations", "taint"),
    [
        ([FOR_EVER], TAINT),
        ([FOR_EVER, ending(60)], TAINT),
        ([ending(60)], "maintenance=firmware:NoSchedule"),
        ([ending(60)], "other:NoExecute"),
        ([{**ending(60), "operator": "Equal", "value": "disk"}], TAINT),
        ([ending(60, key="node.kubernetes.io/out-of-service")], "node.kubernetes.io/out-of-service=x:NoExecute"),
        ([ending(60, key="")], "aws-node-termination-handler/spot-itn=x:NoExecute"),
        ([ending(60)], "maintenance:PreferNoSchedule"),
    ],
)
def test_silent(tolerations: list[dict[str, Any]], taint: str) -> None:
    ds = tolerating(*tolerations)
    assert said(SLUG, *around(ds, node("n1", taint), pod(ds, "n1"))) == []
