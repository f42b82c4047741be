"""Saved clusters retold from public reports, each with what a good answer says about it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conformance.asked import point
from conformance.command import diagnose, pairs
from conformance.tables import DATA

CASES = sorted(folder.name for folder in (DATA / "cases").iterdir())

#: Where a case says the first, these states agree with it.
SAME_STATE = {
    "covered": {"covered", "outdated", "starting"},
    "unhealthy": {"unhealthy", "pending", "starting"},
    "missing": {"missing"},
    "excluded": {"excluded"},
    "misscheduled": {"misscheduled"},
    "terminating": {"terminating"},
}

over_all_cases = pytest.mark.parametrize("case", CASES)


@cache
def expected(case: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "cases" / case / "expected.json").read_text())
    return found


@cache
def report(case: str) -> dict[str, Any]:
    path: Path = DATA / "cases" / case / "cluster.json.gz"
    return diagnose(path, expected(case)["now"])


def verdicts(case: str) -> dict[tuple[str, str], dict[str, Any]]:
    return pairs(report(case))


def pair(row: dict[str, Any]) -> tuple[str, str]:
    return row["daemonset"], row["node"]


def findings(case: str, daemonset: str) -> list[dict[str, Any]]:
    named = [found for found in report(case)["daemonsets"] if f"{found['namespace']}/{found['name']}" == daemonset]
    return [finding for found in named for finding in found["findings"]]


def test_all_cases_are_there() -> None:
    assert len(CASES) == 40


@over_all_cases
@point("placement")
def test_placement(case: str) -> None:
    got = {key: (found["shouldRun"], found["shouldContinueRunning"]) for key, found in verdicts(case).items()}
    want = {pair(row): (row["controllerShouldRun"], row["shouldContinueRunning"]) for row in expected(case)["coverage"]}
    assert want
    assert {key: got.get(key) for key in want} == want


@over_all_cases
@point("state")
def test_state(case: str) -> None:
    got = verdicts(case)
    wrong = {
        pair(row): f"{got[pair(row)]['state']}, want {row['state']}"
        for row in expected(case)["coverage"]
        if got[pair(row)]["state"] not in SAME_STATE[row["state"]]
    }
    assert wrong == {}


@over_all_cases
@point("gaps")
def test_gaps(case: str) -> None:
    got = {key for key, found in verdicts(case).items() if found["gap"]}
    assert got == {pair(gap) for gap in expected(case)["gaps"]}


@over_all_cases
@point("gaps")
def test_causes_of_gaps(case: str) -> None:
    got = verdicts(case)
    wrong = {
        pair(gap): f"{got[pair(gap)]['causes']}, want {gap['cause']}"
        for gap in expected(case)["gaps"]
        if gap["cause"] not in got[pair(gap)]["causes"]
    }
    assert wrong == {}


@over_all_cases
@point("gaps")
def test_what_is_no_gap(case: str) -> None:
    """A pair that the case names as no gap is there, and is none."""
    got = verdicts(case)
    named = [row for row in expected(case)["not_gaps"] if "daemonset" in row and "node" in row]
    assert {pair(row): got[pair(row)]["gap"] for row in named} == {pair(row): False for row in named}


@over_all_cases
@point("unwanted")
def test_unwanted(case: str) -> None:
    got = verdicts(case)
    wrong = {
        pair(row): f"unwanted {got[pair(row)]['unwanted']} {got[pair(row)]['causes']}, want {row['cause']}"
        for row in expected(case)["unwanted"]
        if not (got[pair(row)]["unwanted"] and row["cause"] in got[pair(row)]["causes"])
    }
    assert wrong == {}


@over_all_cases
@point("problems")
def test_problems(case: str) -> None:
    for problem in expected(case)["problems"]:
        assert problem["cause"] in {found["cause"] for found in findings(case, problem["daemonset"])}


@over_all_cases
@point("remedy-kind")
def test_remedy_kind(case: str) -> None:
    want = expected(case)
    subjects = {row["daemonset"] for row in want["gaps"] + want["unwanted"] + want["problems"]}
    offered = {found["remedy"]["kind"] for name in subjects for found in findings(case, name) if found.get("remedy")}
    assert not subjects or want["remedy"]["kind"] in offered
