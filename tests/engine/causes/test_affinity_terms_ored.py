"""affinity-terms-ored: exclusions in terms of their own, and terms that may be alternatives."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import TERMS, asks, gaps, selecting, spoken, tolerating

SLUG = "affinity-terms-ored"
LAB, GPU = node("lab", labels={"zone": "lab"}), node("gpu", labels={"pool": "gpu"})
NOT_LAB, NOT_GPU = asks("zone", "NotIn", "lab"), asks("pool", "NotIn", "gpu")


@pytest.mark.parametrize(
    ("terms", "nodes"),
    [
        ([NOT_LAB, NOT_GPU], ("lab", "gpu")),
        ([NOT_LAB, asks("pool", "DoesNotExist")], ("lab", "gpu")),
        ([NOT_LAB, NOT_GPU, asks("disk", "NotIn", "hdd")], ("lab", "gpu")),
        ([NOT_LAB, asks("zone", "NotIn", "test")], ("lab",)),
        ([[NOT_LAB, asks("disk", "DoesNotExist")], NOT_GPU], ("lab", "gpu")),
    ],
)
def test_exclusions(terms: list[Any], nodes: tuple[str, ...]) -> None:
    objects = selecting(*terms), node("n1"), LAB, GPU
    found = spoken(SLUG, *objects)
    assert {name for finding in found for name in finding.nodes} == set(nodes)
    for finding in found:
        assert finding.remedy is not None
        assert (finding.remedy.kind, finding.remedy.effect.loses, finding.remedy.effect.gains) == (
            "patch",
            tuple(sorted(nodes)),
            (),
        )
        assert [operation["path"] for operation in finding.remedy.patch] == [TERMS]
    for name in nodes:
        found_there = verdict(name, *objects)
        assert (found_there.unwanted, found_there.gap, found_there.expected) == (True, False, False)
    assert verdict("n1", *objects).unwanted is False


def test_a_taint_on_an_excluded_node_is_no_gap() -> None:
    tainted = node("gpu", "nvidia.com/gpu:NoSchedule", labels={"pool": "gpu"})
    assert gaps(selecting(NOT_LAB, NOT_GPU), node("n1"), tainted) == set()
    assert gaps(selecting(asks("kind", "NotIn", "x"), NOT_LAB), node("n1"), tainted) == {"gpu"}


EDGE = tolerating("dedicated=edge:NoSchedule")
EDGE["metadata"]["name"] = "edge-proxy"
EDGE["spec"]["template"]["spec"] |= selecting(asks("role", "In", "edge"), asks("disk", "In", "ssd"))["spec"][
    "template"
]["spec"]
STORAGE = node("n1", labels={"disk": "ssd"})


def test_terms_that_ask_are_told_of_where_the_daemon_is_called_by_another() -> None:
    objects = EDGE, STORAGE, node("n2", labels={"role": "edge"})
    assert said(SLUG, *objects) == [
        "role in (edge) does not keep the pod away from disk=ssd: another term lets the node in"
    ]
    assert spoken(SLUG, *objects) == []
    found = verdict("n1", *objects)
    assert SLUG in found.causes
    assert (found.unwanted, found.expected) == (False, True)


@pytest.mark.parametrize(
    ("ds", "made"),
    [
        (daemonset(), LAB),
        (selecting(NOT_LAB), LAB),
        (selecting([NOT_LAB, NOT_GPU]), LAB),
        (selecting(NOT_LAB, NOT_GPU), node("n1", labels={"zone": "lab", "pool": "gpu"})),
        (selecting(NOT_LAB, asks("pool", "In", "gpu")), node("n1", labels={"zone": "lab", "pool": "gpu"})),
        (selecting(asks("role", "In", "edge"), asks("disk", "In", "ssd")), STORAGE),
        (selecting(asks("node-role.kubernetes.io/master", "Exists"), asks("disk", "In", "ssd")), STORAGE),
        (EDGE, node("n2", labels={"role": "edge"})),
        (EDGE, node("n2", labels={"role": "edge", "disk": "ssd"})),
    ],
)
def test_silent(ds: dict[str, Any], made: dict[str, Any]) -> None:
    assert said(SLUG, ds, made) == []
