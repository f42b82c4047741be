"""affinity-gt-not-integer: bounds and labels that are no integers."""

from typing import Any

import pytest
from engine.build import daemonset, node, said
from engine.eligibility import TERMS, asks, cured, gaps, selecting, spoken

SLUG = "affinity-gt-not-integer"


def nodes(*memory: str) -> list[dict[str, Any]]:
    return [*(node(f"n{value}", labels={"memory": value}) for value in memory), node("none")]


def number(value: str) -> list[dict[str, Any]]:
    return [{"op": "replace", "path": f"{TERMS}/0/matchExpressions/0/values", "value": [value]}]


def listed(*values: str) -> list[dict[str, Any]]:
    entry = {"key": "memory", "operator": "In", "values": list(values)}
    return [{"op": "replace", "path": f"{TERMS}/0/matchExpressions/0", "value": entry}]


@pytest.mark.parametrize(
    ("operator", "bound", "memory", "patch", "gained"),
    [
        ("Gt", "16Gi", ["8", "32", "64"], number("16"), {"n32", "n64"}),
        ("Gt", "16Gi", ["8Gi", "32Gi"], listed("32Gi"), {"n32Gi"}),
        ("Gt", "1.5", ["1", "2"], number("1"), {"n2"}),
        ("Lt", "1.5", ["1", "2"], number("2"), {"n1"}),
        ("Gt", "+5", ["4", "6"], number("5"), {"n6"}),
        ("Lt", "16G", ["8", "32"], number("16"), {"n8"}),
        ("Gt", "512Mi", ["1Gi", "256Mi"], listed("1Gi"), {"n1Gi"}),
        ("Gt", "16", ["8Gi", "32Gi", "64Gi"], listed("32Gi", "64Gi"), {"n32Gi", "n64Gi"}),
    ],
)
def test_what_it_was_meant_to_let_in(
    operator: str, bound: str, memory: list[str], patch: list[dict[str, Any]], gained: set[str]
) -> None:
    objects = selecting(asks("memory", operator, bound)), *nodes(*memory)
    assert gaps(*objects) == gained
    found = [finding for finding in spoken(SLUG, *objects) if finding.remedy]
    assert {tuple(map(repr, finding.remedy.patch)) for finding in found if finding.remedy} == {tuple(map(repr, patch))}
    assert set().union(*(finding.remedy.effect.gains for finding in found if finding.remedy)) == gained


def test_the_sentences() -> None:
    objects = selecting(asks("memory", "Gt", "16Gi")), *nodes("32")[:1]
    assert said(SLUG, *objects) == ["operator Gt needs an integer, not '16Gi' (memory)"]
    objects = selecting(asks("memory", "Gt", "16")), *nodes("32Gi")
    assert said(SLUG, *objects) == ["the label memory=32Gi is no integer (memory>16)"]


def test_a_bound_that_no_plain_integer_can_say_gets_no_patch() -> None:
    objects = selecting(asks("memory", "Gt", "-1")), *nodes("8")
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.patch) == ("patch", ())
    assert gaps(*objects) == {"n8"}


@pytest.mark.parametrize("bound", ["many", "0x10", "99999999999999999999"])
def test_a_bound_that_is_no_number_or_too_large(bound: str) -> None:
    assert said(SLUG, selecting(asks("memory", "Gt", bound)), node("n1", labels={"memory": "8"})) == [
        f"operator Gt needs an integer, not '{bound}' (memory)"
    ]


def test_the_rest_of_the_term_must_hold() -> None:
    ds = selecting([asks("memory", "Gt", "16Gi"), asks("zone", "In", "a")])
    here, there = (node(f"n{zone}", labels={"memory": "32", "zone": zone}) for zone in "ab")
    assert gaps(ds, here, there) == {"na"}


def test_another_term_that_is_nearer_by_count_does_not_hide_it() -> None:
    ds = selecting(asks("memory", "Gt", "16Gi"), asks("zone", "In", "a"))
    assert cured(SLUG, ds, *nodes("32"))[1] == {"n32"}


@pytest.mark.parametrize(
    ("ds", "memory"),
    [
        (daemonset(), "32"),
        (selecting(asks("memory", "Gt", "16")), "32"),
        (selecting(asks("memory", "Gt", "16")), "8"),
        (selecting(asks("memory", "Gt", "16"), asks("memory", "Exists")), "32Gi"),
        (selecting(asks("memory", "Gt", "16Gi"), asks("memory", "Exists")), "32"),
        (selecting(asks("memory", "In", "16Gi")), "32"),
        (selecting(asks("memory", "In", "16 Gi")), "32"),
    ],
)
def test_silent(ds: dict[str, Any], memory: str) -> None:
    assert said(SLUG, ds, node("n1", labels={"memory": memory})) == []


@pytest.mark.parametrize(("bound", "memory"), [("16Gi", "8"), ("16", "8Gi"), ("1.5", "1")])
def test_what_it_was_meant_to_keep_out(bound: str, memory: str) -> None:
    assert gaps(selecting(asks("memory", "Gt", bound)), *nodes(memory)) == set()
