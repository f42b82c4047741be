"""toleration-value-mismatch: the key is right, the value is not."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import LIST, all_cured, cured, gaps, spoken, tolerating

SLUG = "toleration-value-mismatch"
CONTROL = "node-role.kubernetes.io/control-plane"
BARE = {"key": CONTROL, "effect": "NoSchedule"}
EXISTS = [
    {"op": "replace", "path": f"{LIST}/0/operator", "value": "Exists"},
    {"op": "remove", "path": f"{LIST}/0/value"},
]


def replaced(value: str) -> list[dict[str, Any]]:
    return [{"op": "replace", "path": f"{LIST}/0/value", "value": value}]


@pytest.mark.parametrize(
    ("toleration", "taints", "patch"),
    [
        ("gpu=present:NoSchedule", ["gpu=true:NoSchedule"], replaced("true")),
        ("gpu=present", ["gpu=true:NoExecute"], replaced("true")),
        ("gpu=present", ["gpu:NoSchedule"], replaced("")),
        (BARE, [f"{CONTROL}=true:NoSchedule"], [{"op": "add", "path": f"{LIST}/0/operator", "value": "Exists"}]),
        ("gpu=present", ["gpu=true:NoSchedule", "gpu:NoSchedule"], EXISTS),
        ("gpu=true", ["gpu=yes:NoSchedule"], replaced("yes")),
        ({"key": "gpu", "value": "present", "effect": ""}, ["gpu=true:NoSchedule"], replaced("true")),
        ("maintenance=disk", ["example:NoSchedule", "maintenance=disc:NoSchedule"], replaced("disc")),
    ],
)
def test_speaks(toleration: str | dict[str, Any], taints: list[str], patch: list[dict[str, Any]]) -> None:
    meant = [taint for taint in taints if "example" not in taint]
    objects = tolerating(toleration), *(node(f"n{i}", taint) for i, taint in enumerate(meant, start=1)), node("n0")
    got, gained = cured(SLUG, *objects)
    assert got == patch
    assert gained == {f"n{i}" for i in range(1, len(meant) + 1)}
    assert len(said(SLUG, *objects)) == 1


def test_the_sentence() -> None:
    objects = tolerating("gpu=present:NoSchedule"), node("n1", "gpu=true:NoSchedule"), node("n2")
    assert said(SLUG, *objects) == [
        "taint gpu=true:NoSchedule is not met by the toleration gpu=present:NoSchedule: the value differs"
    ]
    assert verdict("n1", *objects).gap


def test_another_spelling_that_some_nodes_have_makes_it_exists() -> None:
    objects = tolerating(BARE), node("n1", f"{CONTROL}=true:NoSchedule"), node("n2", f"{CONTROL}:NoSchedule")
    patch, gained = cured(SLUG, *objects)
    assert (patch, gained) == ([{"op": "add", "path": f"{LIST}/0/operator", "value": "Exists"}], {"n1"})


def test_a_toleration_that_does_its_work_elsewhere_is_left_alone() -> None:
    objects = (
        tolerating("dedicated=db:NoSchedule"),
        node("n1", "dedicated=web:NoSchedule"),
        node("n2", "dedicated=db:NoSchedule"),
    )
    exact = {"effect": "NoSchedule", "key": "dedicated", "operator": "Equal", "value": "web"}
    assert cured(SLUG, *objects) == ([{"op": "add", "path": f"{LIST}/-", "value": exact}], {"n1"})


def test_the_taint_of_another_system_is_not_let_in_with_exists() -> None:
    windows = node("win", "dedicated=win:NoSchedule", info={"operatingSystem": "windows"})
    objects = tolerating("dedicated=database:NoSchedule"), node("n1", "dedicated=db:NoSchedule"), windows, node("n0")
    assert all_cured(*objects) == {"n1"}
    assert gaps(*objects) == {"n1"}


def test_both_effects_of_one_value_are_met_by_one_patch() -> None:
    objects = (
        tolerating("dedicated=database"),
        node("n1", "dedicated=db:NoSchedule", "dedicated=db:NoExecute"),
        node("n2"),
    )
    assert cured(SLUG, *objects) == (replaced("db"), {"n1"})


def test_value_of_one_node_and_effect_of_another() -> None:
    objects = tolerating("k=a:NoSchedule"), node("n1", "k=b:NoSchedule"), node("n2", "k=a:NoExecute"), node("n3")
    assert all_cured(*objects) == {"n1", "n2"}


@pytest.mark.parametrize(
    ("toleration", "taint"),
    [
        ("gpu=true:NoSchedule", "gpu=true:NoSchedule"),
        ("gpu:NoSchedule", "gpu=true:NoSchedule"),
        ({"key": "gpu"}, "gpu:NoSchedule"),
        ("gpu=present:NoExecute", "gpu=true:NoSchedule"),
        ("gpu:NoExecute", "gpu=true:NoSchedule"),
        ("Gpu=present:NoSchedule", "gpu=true:NoSchedule"),
        ("gpu=present:NoSchedule", "gpu=true:PreferNoSchedule"),
        ({"key": "gpu", "operator": "Gt", "value": "5"}, "gpu=3:NoSchedule"),
        ("karpenter.sh/disrupted=x", "karpenter.sh/disrupted:NoSchedule"),
        ("virtual-kubelet.io/provider=azure", "virtual-kubelet.io/provider=alibaba:NoSchedule"),
        ("node.kubernetes.io/not-ready=x", "node.kubernetes.io/not-ready:NoSchedule"),
    ],
)
def test_silent(toleration: str | dict[str, Any], taint: str) -> None:
    assert spoken(SLUG, tolerating(toleration), node("n1", taint), node("n2")) == []


def test_silent_without_tolerations() -> None:
    assert said(SLUG, daemonset(), node("n1", "gpu=true:NoSchedule")) == []
