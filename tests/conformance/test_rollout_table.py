"""The written rollout table: the budget through the front door, the blocking nodes through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.asked import ROLLOUT_FINDINGS
from conformance.command import diagnose
from conformance.tables import lines
from conformance.world import NOW, daemonset, node, world

import dscov

ROWS = lines("rollout.jsonl")


def test_all_rows_are_there() -> None:
    assert [row["id"] for row in ROWS] == [f"R{number:02}" for number in range(1, 13)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_budget(row: dict[str, Any]) -> None:
    made = daemonset(row, {})
    desired = sum(dscov.placement(made, node(about)).should_run for about in row["nodes"])
    budget = dscov.rollout_budget(made, desired)
    assert (budget.max_unavailable, budget.max_surge) == (row["expect"]["budget"], 0), row["situation"]


@pytest.mark.skipif(not ROLLOUT_FINDINGS, reason="diagnose does not look for blocked rollouts yet")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_blocking_nodes(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(world(row, {})))
    report = diagnose(path, NOW, "--kubernetes-version", row.get("kubernetes", "v1.36.3"))
    found = [finding for finding in report["daemonsets"][0]["findings"] if finding["cause"] == "rollout-blocked"]
    named = sorted({name for finding in found for name in finding["nodes"]})
    assert named == row["expect"]["blockedBy"], row["situation"]
