"""node-selector-value-mismatch: the label is there, with the same value written otherwise."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import TERMS, advised, all_cured, cured, gaps

SLUG = "node-selector-value-mismatch"
HOST = "kubernetes.io/hostname"


def selecting(key: str, value: str, **spec: Any) -> dict[str, Any]:
    return daemonset(spec={"nodeSelector": {key: value}, **spec})


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("true", ""),
        ("", "true"),
        ("true", "True"),
        ("yes", "true"),
        ("1", "enabled"),
        ("false", "False"),
        ("no", "false"),
        ("nvidia", "NVIDIA"),
        ("a_b", "a-b"),
        ('"ssd"', "ssd"),
        ("ssd ", "ssd"),
        ("storrage", "storage"),
        ("stroage", "storage"),
    ],
)
def test_speaks(wanted: str, value: str) -> None:
    objects = selecting("example.com/kind", wanted), node("n1", labels={"example.com/kind": value}), node("n2")
    assert said(SLUG, *objects) == [
        f'the nodeSelector asks for example.com/kind="{wanted}", nodes have example.com/kind="{value}"'
    ]
    patch = [{"op": "replace", "path": "/spec/template/spec/nodeSelector/example.com~1kind", "value": value}]
    assert cured(SLUG, *objects) == (patch, {"n1"})
    assert gaps(*objects) == {"n1"}


@pytest.mark.parametrize("wanted", ["node-a.internal", "node-a.example.com", "Node-A"])
def test_the_name_of_the_node_where_the_label_holds_its_short_one(wanted: str) -> None:
    named = node("node-a.internal", labels={HOST: "node-a"})
    objects = selecting(HOST, wanted), named, node("node-b.internal", labels={HOST: "node-b"})
    assert cured(SLUG, *objects)[1] == {"node-a.internal"}


def test_the_short_name_where_the_label_holds_the_long_one() -> None:
    objects = selecting(HOST, "node-a"), node("node-a.internal"), node("node-b.internal")
    assert cured(SLUG, *objects)[1] == {"node-a.internal"}


def test_nodes_with_several_spellings_are_met_by_an_affinity() -> None:
    objects = selecting("gpu", "True"), node("n1", labels={"gpu": ""}), node("n2", labels={"gpu": "true"}), node("n3")
    patch, gained = cured(SLUG, *objects)
    assert gained == {"n1", "n2"}
    assert patch[0] == {"op": "remove", "path": "/spec/template/spec/nodeSelector/gpu"}


def test_the_affinity_that_is_there_takes_the_values() -> None:
    term = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term, {}]}}
    ds = selecting("gpu", "True", affinity={"nodeAffinity": required})
    patch, gained = cured(SLUG, ds, node("n1", labels={"gpu": ""}), node("n2", labels={"gpu": "true"}), node("n3"))
    assert gained == {"n1", "n2"}
    entry = {"key": "gpu", "operator": "In", "values": ["", "true"]}
    assert patch[1:] == [{"op": "add", "path": f"{TERMS}/0/matchExpressions/-", "value": entry}]


def test_nodes_that_have_the_value_make_the_others_the_odd_ones() -> None:
    objects = selecting("gpu", "true"), node("n1", labels={"gpu": "True"}), node("n2", labels={"gpu": "true"})
    assert gaps(*objects) == {"n1"}
    assert advised(SLUG, *objects) == ("no-patch", "give these nodes the label gpu=true")


def test_the_taint_of_the_node_needs_its_own_patch_too() -> None:
    objects = selecting("gpu", "true"), node("n1", "gpu:NoSchedule", labels={"gpu": ""}), node("n2")
    assert set(verdict("n1", *objects).causes) == {SLUG, "untolerated-taint"}
    assert all_cured(*objects) == {"n1"}


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("true", "true"),
        ("true", "false"),
        ("ssd", "hdd"),
        ("large", "xlarge"),
        ("eu-1a", "eu-1b"),
        ("worker-a", "worker-b"),
        ("v1", "v2"),
        ("infra", "intra"),
        ("0", "1"),
    ],
)
def test_silent(wanted: str, value: str) -> None:
    assert said(SLUG, selecting("kind", wanted), node("n1", labels={"kind": value})) == []


def test_silent_where_another_node_has_the_name() -> None:
    objects = selecting(HOST, "a.x"), node("a.x"), node("a.y")
    assert said(SLUG, *objects) == []
    assert said(SLUG, daemonset(), node("n1")) == []


@pytest.mark.parametrize("count", [70])
def test_a_label_with_very_many_values(count: int) -> None:
    others = [node(f"m{i}.internal", labels={HOST: f"m{i}"}) for i in range(count)]
    objects = selecting(HOST, "M7.internal"), *others
    assert cured(SLUG, *objects)[1] == {"m7.internal"}
