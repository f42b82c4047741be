"""toleration-effect-mismatch: the key is right, the effect is not."""

from typing import Any

import pytest
from engine.build import node, said, verdict
from engine.eligibility import LIST, all_cured, cured, gaps, tolerating

SLUG = "toleration-effect-mismatch"


def replaced(effect: str) -> list[dict[str, Any]]:
    return [{"op": "replace", "path": f"{LIST}/0/effect", "value": effect}]


WIDENED = [{"op": "remove", "path": f"{LIST}/0/effect"}]


@pytest.mark.parametrize(
    ("toleration", "taints", "patch"),
    [
        ("dedicated:NoExecute", ["dedicated=db:NoSchedule"], replaced("NoSchedule")),
        ("dedicated=db:NoSchedule", ["dedicated=db:NoExecute"], replaced("NoExecute")),
        ("dedicated:PreferNoSchedule", ["dedicated:NoSchedule"], replaced("NoSchedule")),
        ("dedicated:PreferNoSchedule", ["dedicated:NoSchedule", "dedicated:NoExecute"], WIDENED),
        ("dedicated:NoSchedule", ["dedicated=db:NoSchedule", "dedicated=db:NoExecute"], WIDENED),
        (
            {"key": "dedicated", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60},
            ["dedicated=db:NoSchedule"],
            [
                {
                    "op": "add",
                    "path": f"{LIST}/-",
                    "value": {"effect": "NoSchedule", "key": "dedicated", "operator": "Exists"},
                }
            ],
        ),
        (
            ":NoExecute",
            ["dedicated=db:NoSchedule"],
            [
                {
                    "op": "add",
                    "path": f"{LIST}/-",
                    "value": {"effect": "NoSchedule", "key": "dedicated", "operator": "Equal", "value": "db"},
                }
            ],
        ),
        (
            "node-role.kubernetes.io/control-plane:NoExecute",
            ["node-role.kubernetes.io/control-plane:NoSchedule"],
            replaced("NoSchedule"),
        ),
        (
            "node.cilium.io/agent-not-ready:NoSchedule",
            ["node.cilium.io/agent-not-ready:NoExecute"],
            replaced("NoExecute"),
        ),
    ],
)
def test_one_node(toleration: str | dict[str, Any], taints: list[str], patch: list[dict[str, Any]]) -> None:
    objects = tolerating(toleration), node("n1", *taints), node("n2", "spot=x:PreferNoSchedule"), node("n3")
    assert len(said(SLUG, *objects)) == 1
    assert cured(SLUG, *objects) == (patch, {"n1"})
    assert verdict("n1", *objects).gap


def test_the_sentence() -> None:
    objects = tolerating("dedicated:NoExecute"), node("n1", "dedicated=db:NoSchedule"), node("n2")
    assert said(SLUG, *objects) == [
        "taint dedicated=db:NoSchedule is not met by the toleration dedicated Exists:NoExecute: the effect differs"
    ]


def test_nodes_with_one_effect_each() -> None:
    objects = tolerating("dedicated:NoSchedule"), node("n1", "dedicated:NoSchedule"), node("n2", "dedicated:NoExecute")
    assert cured(SLUG, *objects) == (WIDENED, {"n2"})


def test_a_toleration_without_key_was_not_made_for_the_control_plane() -> None:
    objects = tolerating(":NoExecute"), node("n1", "node-role.kubernetes.io/control-plane:NoSchedule"), node("n2")
    assert gaps(*objects) == set()
    assert verdict("n1", *objects).causes == (SLUG,)


def test_no_patch_ever_tolerates_everything() -> None:
    taints = ("dedicated=db:NoSchedule", "gpu:NoSchedule")
    objects = tolerating(":NoExecute"), node("n1", *taints), node("n2", "spot:NoSchedule"), node("n3")
    assert all_cured(*objects) == {"n1", "n2"}


@pytest.mark.parametrize(
    ("toleration", "taint"),
    [
        ("dedicated", "dedicated=db:NoExecute"),
        ("dedicated:NoSchedule", "dedicated=db:NoSchedule"),
        ("dedicated=web:NoExecute", "dedicated=db:NoSchedule"),
        ("other:NoExecute", "dedicated=db:NoSchedule"),
        ("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/not-ready:NoSchedule"),
        ("node.kubernetes.io/out-of-service:NoSchedule", "node.kubernetes.io/out-of-service=x:NoExecute"),
        ("virtual-kubelet.io/provider:NoExecute", "virtual-kubelet.io/provider=azure:NoSchedule"),
        (":NoExecute", "virtual-kubelet.io/provider=azure:NoSchedule"),
        (":NoExecute", "ToBeDeletedByClusterAutoscaler=1:NoSchedule"),
        ("dedicated:NoExecute", "dedicated=db:PreferNoSchedule"),
    ],
)
def test_silent(toleration: str, taint: str) -> None:
    assert said(SLUG, tolerating(toleration), node("n1", taint), node("n2")) == []
