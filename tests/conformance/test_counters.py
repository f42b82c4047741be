"""The written counter table: seven numbers of `.status`, recomputed from a saved cluster through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.command import diagnose
from conformance.tables import lines
from conformance.world import COUNTERS, NOW, status_of, world

ROWS = lines("counters.jsonl")
MORE = lines("counters_more.jsonl")


def saved(folder: Path, row: dict[str, Any], status: dict[str, Any]) -> Path:
    """The world of a row as a folder of two files; an empty list of nodes says that there are none."""
    objects = world(row, status)
    nodes = [item for item in objects["items"] if item["kind"] == "Node"]
    others = [item for item in objects["items"] if item["kind"] != "Node"]
    (folder / "nodes.json").write_text(json.dumps({"apiVersion": "v1", "kind": "NodeList", "items": nodes}))
    (folder / "rest.json").write_text(json.dumps({**objects, "items": others}))
    return folder


def counters(folder: Path, row: dict[str, Any], status: list[int]) -> dict[str, Any]:
    path = saved(folder, row, status_of(status))
    report = diagnose(path, NOW, "--kubernetes-version", row.get("kubernetes", "v1.36.3"))
    (found,) = report["daemonsets"]
    got: dict[str, Any] = found["counters"]
    return got


def test_all_rows_are_there() -> None:
    assert [row["id"] for row in ROWS] == [f"C{number:02}" for number in range(1, 23)]
    assert [row["id"] for row in MORE] == [f"D{number:02}" for number in range(1, 16)]


@pytest.mark.parametrize("row", ROWS + MORE, ids=lambda row: row["id"])
def test_row(row: dict[str, Any], tmp_path: Path) -> None:
    got = counters(tmp_path, row, row["expect"])
    assert [got["computed"].get(name, 0) for name in COUNTERS] == row["expect"], row["situation"]
    assert [got["reported"].get(name, 0) for name in COUNTERS] == row["expect"]
    assert got["disagreements"] == []


@pytest.mark.parametrize("position", range(7), ids=COUNTERS)
def test_a_number_that_differs_is_named_with_a_why(position: int, tmp_path: Path) -> None:
    row = ROWS[0]
    reported = [count + (index == position) for index, count in enumerate(row["expect"])]
    got = counters(tmp_path, row, reported)
    assert [got["computed"].get(name, 0) for name in COUNTERS] == row["expect"]
    assert [found["counter"] for found in got["disagreements"]] == [COUNTERS[position]]
    assert got["disagreements"][0]["why"]
