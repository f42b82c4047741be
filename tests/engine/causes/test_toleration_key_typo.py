"""toleration-key-typo: the key of a toleration is the taint's but for a slip of the pen."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import LIST, all_cured, cured, spoken, tolerating

SLUG = "toleration-key-typo"


@pytest.mark.parametrize(
    ("wrong", "taint"),
    [
        ("capactiy", "capacity=spot:NoSchedule"),
        ("dedicate", "dedicated=db:NoSchedule"),
        ("Dedicated", "dedicated=db:NoSchedule"),
        ("nvidia.com/gpus", "nvidia.com/gpu=present:NoSchedule"),
        ("nvidia.co/gpu", "nvidia.com/gpu:NoSchedule"),
        ("hub.example.com/dedicated", "hub.example.com_dedicated=user:NoSchedule"),
        ("node-role.kubernetes.io/controle-plane", "node-role.kubernetes.io/control-plane:NoSchedule"),
        ("node-roles.kubernetes.io/control-plane", "node-role.kubernetes.io/control-plane:NoSchedule"),
    ],
)
@pytest.mark.parametrize("effect", ["", ":NoSchedule"])
def test_speaks(wrong: str, taint: str, effect: str) -> None:
    objects = tolerating("other", wrong + effect), node("n1", taint), node("n2")
    assert said(SLUG, *objects) == [
        f"taint {taint} is not tolerated; the toleration of {wrong} looks like a slip of the pen"
    ]
    key = taint.partition(":")[0].partition("=")[0]
    assert cured(SLUG, *objects) == ([{"op": "replace", "path": f"{LIST}/1/key", "value": key}], {"n1"})
    assert verdict("n1", *objects).gap
    (finding,) = spoken(SLUG, *objects)
    assert finding.confidence == "inferred"


@pytest.mark.parametrize(
    ("toleration", "taints"),
    [
        ("gpu", ["nvidia.com/gpu:NoSchedule"]),
        ("zone-1", ["zone-2:NoSchedule"]),
        ("dedicated", ["delegated=db:NoSchedule"]),
        ("capactiy:NoExecute", ["capacity:NoSchedule"]),
        ("capactiy=on-demand:NoSchedule", ["capacity=spot:NoSchedule"]),
        ("capactiy", ["capacity:NoSchedule", "capactiy:NoSchedule"]),
        ("node-role.kubernetes.io/master", ["node-role.kubernetes.io/mastr:NoSchedule"]),
        ("capacity", ["capacity:NoSchedule"]),
        ("capactiy", ["capacity:PreferNoSchedule"]),
        ("", ["capacity:NoSchedule"]),
    ],
)
def test_silent(toleration: str, taints: list[str]) -> None:
    objects: list[dict[str, Any]] = [tolerating(toleration), node("n0")]
    objects += [node(f"n{i}", taint) for i, taint in enumerate(taints, start=1)]
    assert said(SLUG, *objects) == []


def test_silent_without_tolerations() -> None:
    assert said(SLUG, daemonset(), node("n1", "capacity:NoSchedule")) == []


def test_many_values_are_one_finding() -> None:
    objects = tolerating("tennant"), *(node(f"n{v}", f"tenant={v}:NoSchedule") for v in "abc"), node("n0")
    assert cured(SLUG, *objects)[1] == {"na", "nb", "nc"}


def test_the_other_effect_gets_a_toleration_of_its_own() -> None:
    objects = tolerating("dedicatd=db:NoSchedule"), node("n1", "dedicated=db:NoSchedule", "dedicated=db:NoExecute")
    assert set(verdict("n1", *objects).causes) == {SLUG, "untolerated-taint"}
    assert all_cured(*objects) == {"n1"}
