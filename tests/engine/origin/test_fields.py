"""What a patch changes, and the same change in values that look otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import daemonset
from engine.origin.played import GPU, SPOT
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.origin.fields import (
    Field,
    Spot,
    changed,
    emptied,
    is_named_like,
    is_of_another,
    is_plain,
    merge_patch,
    nested,
    ranked,
    renewed,
    spots_in,
    together,
    walk,
    with_nulls,
)

TOLERATIONS = Field("tolerations", [SPOT], [SPOT, GPU])
SELECTOR = Field("nodeSelector", {"disk": "ssd", "zone": "a"}, {"disk": "nvme"})
PRIORITY = Field("priorityClassName", "low", "system-node-critical")


def test_changed() -> None:
    before = daemonset(spec={"tolerations": [SPOT], "hostNetwork": True})
    after = daemonset(spec={"hostNetwork": True, "nodeSelector": {"a": "b"}}, strategy={"type": "OnDelete"})
    found = {field.name: field for field in changed(before, after)}
    assert set(found) == {"tolerations", "nodeSelector", "updateStrategy"}
    assert found["tolerations"] == Field("tolerations", [SPOT], None)
    assert found["nodeSelector"] == Field("nodeSelector", None, {"a": "b"})
    assert found["updateStrategy"].above == ("spec",)


@pytest.mark.parametrize(
    ("tree", "ways"),
    [
        ({"a": {"x": [SPOT]}}, [("a", "x")]),
        ({"tolerations": []}, [("tolerations",)]),
        ({"agentTolerations": None}, [("agentTolerations",)]),
        ({"tolerations": "all"}, []),
        ({"tolerations": {"a": 1}}, []),
        ({"a": [{"tolerations": [SPOT]}]}, []),
        ({"a": [GPU]}, []),
        ([{"tolerations": []}], []),
        (None, []),
    ],
)
def test_spots(tree: Any, ways: list[Any]) -> None:
    assert [spot.way for spot in spots_in(tree, TOLERATIONS)] == ways


@pytest.mark.parametrize(
    ("key", "field", "is_alike"),
    [
        ("affinity", "affinity", True),
        ("podAntiAffinity", "affinity", False),
        ("nodeAffinity", "affinity", False),
        ("priorityClass", "priorityClassName", True),
        ("priorityClassName", "priorityClassName", True),
        ("nodeSelectorTerms", "nodeSelector", False),
    ],
)
def test_named_like(key: str, field: str, is_alike: bool) -> None:
    assert is_named_like(key, Field(field, None, {})) is is_alike


def test_a_text_alone_is_no_match() -> None:
    tree = {"tier": "low", "daemon": {"priorityClassName": "low"}}
    assert spots_in(tree, PRIORITY) == [Spot(("daemon", "priorityClassName"), "low", exact=True)]


@pytest.mark.parametrize(
    ("ways", "name", "first"),
    [
        ([("controller", "tolerations"), ("node", "tolerations")], "csi-node", ("node", "tolerations")),
        ([("tolerations",), ("nodeExporter", "tolerations")], "node-exporter", ("nodeExporter", "tolerations")),
        ([("webhook", "tolerations"), ("daemon", "tolerations")], "agent", ("daemon", "tolerations")),
        ([("tolerations",), ("deployment", "tolerations")], "agent", ("tolerations",)),
        (
            [
                ("controlPlaneTolerations",),
                ("csiNodeDriverDaemonSet", "tolerations"),
                ("calicoNodeDaemonSet", "tolerations"),
            ],
            "calico-node",
            ("calicoNodeDaemonSet", "tolerations"),
        ),
    ],
)
def test_likeness(ways: list[Any], name: str, first: Any) -> None:
    assert ranked([Spot(way, None) for way in ways], TOLERATIONS, name)[0].way == first


@pytest.mark.parametrize(
    ("way", "name", "is_so"),
    [
        (("controller", "tolerations"), "agent", True),
        (("controllerTolerations",), "agent", True),
        (("webhooks", "tolerations"), "agent", True),
        (("controlPlaneTolerations",), "agent", True),
        (("controller", "tolerations"), "ingress-nginx-controller", False),
        (("dataPlane", "tolerations"), "agent", False),
        (("observer", "tolerations"), "agent", False),
        (("tolerations",), "agent", False),
    ],
)
def test_other_workloads(way: Any, name: str, is_so: bool) -> None:
    assert is_of_another(way, name) is is_so


def test_an_equal_value_beats_every_name() -> None:
    spots = [Spot(("agent", "tolerations"), []), Spot(("x", "y"), [SPOT], exact=True)]
    assert ranked(spots, TOLERATIONS, "agent")[0].way == ("x", "y")


@pytest.mark.parametrize(
    ("present", "field", "value"),
    [
        (None, TOLERATIONS, [SPOT, GPU]),
        ([], TOLERATIONS, [SPOT, GPU]),
        ([SPOT], TOLERATIONS, [SPOT, GPU]),
        ([{"key": "own"}], TOLERATIONS, [{"key": "own"}, GPU]),
        ([GPU], TOLERATIONS, [GPU]),
        ([{"key": "own"}, SPOT], Field("tolerations", [SPOT], None), [{"key": "own"}]),
        ([{"key": "own"}, SPOT], Field("tolerations", [SPOT], [GPU]), [{"key": "own"}, GPU]),
        ({"disk": "ssd", "own": "x"}, SELECTOR, {"own": "x", "disk": "nvme"}),
        ("high", PRIORITY, "system-node-critical"),
    ],
)
def test_renewed(present: Any, field: Field, value: Any) -> None:
    assert renewed(present, field) == value


def test_helm_takes_out_by_null() -> None:
    assert with_nulls(SELECTOR.old, SELECTOR.new) == {"disk": "nvme", "zone": None}
    assert with_nulls({"a": "b"}, None) == {"a": None}
    assert with_nulls([SPOT], None) == []
    assert with_nulls("low", None) is None


def test_what_goes_is_empty_in_a_manifest() -> None:
    assert emptied(Field("tolerations", [SPOT], None)) == []
    assert emptied(Field("nodeSelector", {"a": "b"}, None)) == {}
    assert emptied(Field("priorityClassName", "low", None)) is None


def test_trees() -> None:
    trees = [nested(("a", "b"), 1), nested(("a", "c"), [2]), nested(("d",), 3)]
    assert together(trees) == {"a": {"b": 1, "c": [2]}, "d": 3}


def test_a_search_is_bounded() -> None:
    deep: Any = {"tolerations": [SPOT]}
    for _ in range(200):
        deep = {"a": deep}
    assert spots_in(deep, TOLERATIONS) == []
    wide = {str(number): {} for number in range(60_000)}
    assert sum(1 for _ in walk(wide, stop=lambda *_: False)) <= 20_000


@pytest.mark.parametrize(
    ("tree", "is_so"), [({"a": [1, {"b": None}]}, True), ([], False), (None, False), ({"a": object()}, False)]
)
def test_plain_data(tree: Any, is_so: bool) -> None:
    assert is_plain(tree) is is_so


def test_aliases_that_swell_are_no_plain_data() -> None:
    tree: Any = {"a": "x"}
    for _ in range(40):
        tree = {"a": tree, "b": tree}
    assert is_plain(tree) is False


JSON = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=1) | st.lists(st.integers(0, 2), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386, section 2."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merged(target.get(key), value)
    return target


@settings(derandomize=True, max_examples=300)
@given(JSON, JSON)
def test_a_merge_patch_makes_the_new_of_the_old(old: Any, new: Any) -> None:
    assert merged(old, merge_patch(old, new)) == new


@settings(derandomize=True, max_examples=300)
@given(JSON, JSON)
def test_nulls_make_the_new_of_the_old(old: Any, new: Any) -> None:
    assert merged(old, with_nulls(old, new)) == new
