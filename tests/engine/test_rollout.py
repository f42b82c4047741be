"""The next step of a rolling update, by the written table of situations, and of a surge."""

from __future__ import annotations

import pytest
from engine.build import (
    EVERYTHING,
    ago,
    daemonset,
    lost_node,
    node,
    pod,
    revision,
    rolling,
    terminating,
    world,
)

from dscov.kube.rollout import Entry, Step, next_step, next_surge_step
from dscov.model.rollout import rollout

OLD, NEW, OLD_DOWN, NEW_DOWN = Entry(old=(True,)), Entry(new=(True,)), Entry(old=(False,)), Entry(new=(False,))
NONE, BOTH = Entry(), Entry(old=(True,), new=(True,))

#: id, entries of n1, n2, ..., budget, counted, replaced at once, how many available old pods may go
TABLE = [
    ("R01", [OLD, OLD, OLD], 1, "", "", 1),
    ("R02", [NEW_DOWN, OLD, OLD], 1, "n1", "", 0),
    ("R03", [OLD_DOWN, OLD, OLD], 1, "n1", "n1", 0),
    ("R05", [OLD, OLD_DOWN], 1, "n2", "n2", 0),
    ("R06", [OLD, NONE], 1, "n2", "", 0),
    ("R07", [OLD, NONE], 2, "n2", "", 1),
    ("R08", [NEW, Entry(should_run=False, old=(True,))], 1, "", "", 1),
    ("R11", [BOTH, OLD], 1, "n1", "", 0),
    ("two old", [Entry(old=(True, True)), OLD], 1, "n1", "", 0),
    ("two new", [Entry(new=(True, True)), OLD], 1, "n1", "", 0),
    ("done", [NEW, NEW], 1, "", "", 0),
]


def names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def entries(rows: list[Entry]) -> dict[str, Entry]:
    return {f"n{place}": row for place, row in enumerate(rows, 1)}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_step(row: tuple[str, list[Entry], int, str, str, int]) -> None:
    _, rows, budget, counted, at_once, may_go = row
    step = next_step(entries(rows), budget)
    assert (step.counted, step.at_once, step.may_go) == (names(counted), names(at_once), may_go)


def test_before_1_28_old_pods_that_are_not_available_cost_nothing() -> None:
    step = next_step(entries([OLD_DOWN, OLD, OLD]), 1, counts_unavailable_old=False)
    assert (step.counted, step.at_once, step.may_go) == ((), ("n1",), 1)


@pytest.mark.parametrize(
    ("rows", "counted", "at_once", "candidates"),
    [
        ([OLD, OLD], "", "", "n1 n2"),
        ([Entry(old=(True,), new=(False,)), OLD], "n1", "", "n2"),
        ([BOTH, OLD], "", "", "n2"),
        ([OLD_DOWN, NEW], "", "n1", ""),
        ([Entry(should_run=False, old=(True,)), OLD], "", "", "n2"),
        ([Entry(new=(True, True)), OLD], "n1", "", "n2"),
    ],
)
def test_surge_step(rows: list[Entry], counted: str, at_once: str, candidates: str) -> None:
    assert next_surge_step(entries(rows), 1) == Step(1, names(counted), names(at_once), names(candidates))


DS = daemonset(spec=EVERYTHING)
BASE = (node("n1"), lost_node("n2"), DS, revision(DS), revision(DS, 1))


def step_of(*objects: dict[str, object], version: str = "v1.36.1") -> Step | None:
    seen = world(*objects, version=version)
    return rollout(seen, seen.snapshot.daemonsets[0])


def test_a_pod_that_is_being_deleted_is_not_there() -> None:
    gone = terminating(pod(DS, "n2", revision="h1"))
    assert step_of(*BASE, pod(DS, "n1", revision="h1"), gone) == Step(1, ("n2",), (), ("n1",))


def test_the_percentage_is_of_eligible_nodes() -> None:
    ds = daemonset(spec=EVERYTHING, strategy=rolling("50%"))
    pods = [pod(ds, f"n{place}", revision="h1") for place in (1, 2, 3)]
    step = step_of(*(node(f"n{place}") for place in (1, 2, 3)), ds, revision(ds), *pods)
    assert step is not None
    assert (step.budget, step.may_go) == (2, 2)


@pytest.mark.parametrize(
    "ds",
    [
        daemonset(strategy={"type": "OnDelete"}),
        daemonset(strategy=rolling("half")),
        daemonset(metadata={"generation": 3}),
        daemonset(metadata={"deletionTimestamp": ago(1)}),
    ],
)
def test_no_step_where_it_cannot_be_told(ds: dict[str, object]) -> None:
    assert step_of(node("n1"), ds, revision(ds), pod(ds, "n1", revision="h1")) is None


def test_no_step_without_revisions() -> None:
    assert step_of(node("n1"), DS, pod(DS, "n1", revision="h1")) is None
