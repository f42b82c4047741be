"""node-affinity-no-match: terms that a node does not meet, on purpose or by a slip."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import REQUIRED, TERMS, all_cured, asks, cured, gaps, selecting, spoken

SLUG = "node-affinity-no-match"
HOST = "kubernetes.io/hostname"
A, B, C = (node(f"node-{x}.internal", labels={HOST: f"node-{x}"}) for x in "abc")


def values(*listed: str, at: str = "0/matchExpressions/0") -> list[dict[str, Any]]:
    return [{"op": "replace", "path": f"{TERMS}/{at}/values", "value": list(listed)}]


@pytest.mark.parametrize(
    "wanted",
    [
        ["node-a.internal", "node-b.internal"],
        ["node-a.example.com", "node-b.example.com"],
        ["NODE-A", "node-b.internal"],
    ],
)
def test_names_of_nodes_where_the_label_holds_another(wanted: list[str]) -> None:
    objects = selecting(asks(HOST, "In", *wanted)), A, B, C
    assert cured(SLUG, *objects) == (values("node-a", "node-b"), {"node-a.internal", "node-b.internal"})
    assert gaps(*objects) == {"node-a.internal", "node-b.internal"}


def test_short_names_where_the_label_holds_the_long_one() -> None:
    objects = selecting(asks(HOST, "In", "n1", "n2")), node("n1.internal"), node("n2.internal"), node("n3.internal")
    assert cured(SLUG, *objects) == (values("n1.internal", "n2.internal"), {"n1.internal", "n2.internal"})


def test_some_names_are_right() -> None:
    objects = selecting(asks(HOST, "In", "node-a", "node-b.internal")), A, B, C
    assert cured(SLUG, *objects) == (values("node-a", "node-b"), {"node-b.internal"})


@pytest.mark.parametrize(
    ("wanted", "value"), [("SSD", "ssd"), ("nvme_ssd", "nvme-ssd"), ("true", ""), ("sotrage", "storage")]
)
def test_another_spelling(wanted: str, value: str) -> None:
    objects = selecting(asks("disk", "In", wanted)), node("n1", labels={"disk": value}), node("n2")
    assert cured(SLUG, *objects) == (values(value), {"n1"})


def test_a_spelling_that_other_nodes_have_stays() -> None:
    objects = (
        selecting(asks("disk", "In", "ssd")),
        node("n1", labels={"disk": "SSD"}),
        node("n2", labels={"disk": "ssd"}),
    )
    assert cured(SLUG, *objects) == (values("ssd", "SSD"), {"n1"})


@pytest.mark.parametrize("wanted", ["ssd ", '"ssd"', "'SSD'"])
def test_a_value_that_no_label_can_have(wanted: str) -> None:
    ds = selecting([asks("zone", "In", "a"), asks("disk", "In", wanted)])
    objects = ds, node("n1", labels={"disk": "ssd", "zone": "a"}), node("n2", labels={"disk": "ssd"}), node("n3")
    assert gaps(*objects) == {"n1"}
    assert cured(SLUG, *objects) == (values("ssd", at="0/matchExpressions/1"), {"n1"})


@pytest.mark.parametrize(
    "entry",
    [asks("node-role.kubernetes.io/master", "Exists"), asks("node-role.kubernetes.io/master", "In", "", "true")],
)
def test_a_retired_key(entry: dict[str, Any]) -> None:
    new = "node-role.kubernetes.io/control-plane"
    objects = selecting(entry), node("n1", labels={new: ""}), node("n2")
    patch = [{"op": "replace", "path": f"{TERMS}/0/matchExpressions/0/key", "value": new}]
    assert cured(SLUG, *objects) == (patch, {"n1"})
    assert gaps(*objects) == {"n1"}


def test_of_several_terms_the_one_that_is_missed_by_a_slip_counts() -> None:
    ds = selecting(asks("zone", "In", "x"), asks("disk", "In", "SSD"))
    objects = ds, node("n1", labels={"disk": "ssd"}), node("n2")
    assert cured(SLUG, *objects) == (values("ssd", at="1/matchExpressions/0"), {"n1"})


def test_two_slips_in_one_term_need_both_patches() -> None:
    ds = selecting([asks("disk", "In", "SSD"), asks("node-role.kubernetes.io/master", "Exists")])
    objects = ds, node("n1", labels={"disk": "ssd", "node-role.kubernetes.io/control-plane": ""}), node("n2")
    assert len(spoken(SLUG, *objects)) == 2
    assert all_cured(*objects) == {"n1"}


def named(value: str, operator: str = "In") -> dict[str, Any]:
    term = {"matchFields": [{"key": "metadata.name", "operator": operator, "values": [value]}]}
    return daemonset(spec={"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}})


@pytest.mark.parametrize("wanted", ["node-a", "NODE-A", "Node-A.internal"])
def test_a_node_named_in_another_way(wanted: str) -> None:
    objects = named(wanted), A, B, C
    assert said(SLUG, A, named(wanted)) == [
        f"the node affinity asks for metadata.name={wanted}; the node's name is node-a.internal"
    ]
    assert gaps(*objects) == {"node-a.internal"}
    assert cured(SLUG, *objects) == (values("node-a.internal", at="0/matchFields/0"), {"node-a.internal"})


@pytest.mark.parametrize(
    ("wanted", "nodes"),
    [
        ("node-a", ["node-a", "node-a.internal"]),
        ("node-a", ["node-a.internal", "node-a.lan"]),
        ("node-a.lan", ["node-a.internal"]),
        ("node-x", ["node-a.internal"]),
        ("", ["node-a.internal"]),
    ],
)
def test_a_name_that_is_no_slip_for_one_node(wanted: str, nodes: list[str]) -> None:
    objects = named(wanted), *(node(name) for name in nodes)
    assert gaps(*objects) == set()
    assert f"the node affinity asks for metadata.name={wanted}" in said(SLUG, *objects)


def test_a_name_meant_to_be_excluded() -> None:
    assert gaps(named("node-a.internal", "NotIn"), A, B) == set()


MEANT = [
    (selecting(asks("disk", "In", "ssd")), {}, "disk in (ssd)"),
    (selecting(asks("disk", "In", "ssd")), {"disk": "hdd"}, "disk in (ssd)"),
    (selecting(asks("disk", "Exists")), {}, "disk"),
    (selecting(asks("zone", "In", "eu-1a")), {"zone": "eu-1b"}, "zone in (eu-1a)"),
    (selecting(asks("cores", "Gt", "16")), {"cores": "8"}, "cores>16"),
    (selecting(asks("cores", "Gt", "16")), {}, "cores>16"),
    (selecting({}), {}, "nothing that a node has: the term is empty and selects nothing"),
    (selecting([asks("disk", "In", "SSD"), asks("zone", "In", "a")]), {"disk": "ssd", "zone": "b"}, "zone in (a)"),
]


@pytest.mark.parametrize(("ds", "labels", "entry"), MEANT)
def test_meant(ds: dict[str, Any], labels: dict[str, str], entry: str) -> None:
    objects = ds, node("n1", labels=labels)
    assert f"the node affinity asks for {entry}" in said(SLUG, *objects)
    assert gaps(*objects) == set()


def test_no_term_at_all() -> None:
    ds = daemonset(spec={"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}})
    assert said(SLUG, ds, node("n1")) == [
        "the node affinity asks for nothing that a node has: there is no term, so nothing matches"
    ]


def test_a_slip_beside_an_exclusion_is_meant() -> None:
    ds = selecting([asks("disk", "In", "SSD"), asks("zone", "NotIn", "a")])
    assert gaps(
        ds, node("n1", labels={"disk": "ssd", "zone": "a"}), node("n2", labels={"disk": "ssd", "zone": "b"})
    ) == {"n2"}


@pytest.mark.parametrize(
    ("ds", "labels"),
    [
        (daemonset(), {}),
        (selecting(asks("disk", "In", "ssd")), {"disk": "ssd"}),
        (selecting(asks("disk", "In", "ssd"), asks("zone", "In", "a")), {"zone": "a"}),
        (selecting(asks("disk", "NotIn", "ssd")), {"disk": "ssd"}),
        (selecting(asks("disk", "DoesNotExist")), {"disk": "ssd"}),
        (selecting({}, asks("disk", "In", "ssd")), {"disk": "ssd"}),
        (selecting(asks("cores", "Gt", "16Gi")), {"cores": "32"}),
        (selecting(asks("cores", "Gt", "16")), {"cores": "32Gi"}),
    ],
)
def test_silent(ds: dict[str, Any], labels: dict[str, str]) -> None:
    assert said(SLUG, ds, node("n1", labels=labels)) == []


def test_preferred_affinity_never_excludes() -> None:
    preferred = [{"weight": 1, "preference": {"matchExpressions": [asks("disk", "In", "ssd")]}}]
    ds = daemonset(spec={"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}})
    assert verdict("n1", ds, node("n1")).should_run
