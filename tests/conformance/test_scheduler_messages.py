"""The written table of scheduler messages: each becomes the cause of a pending pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.asked import SCHEDULING_CAUSES
from conformance.command import diagnose, pairs
from conformance.tables import lines
from conformance.world import LABELS, NOW, world

ROWS = lines("messages.jsonl")


def cluster(row: dict[str, Any]) -> dict[str, Any]:
    """So many nodes as the message counts, all with a ready pod but n1, whose pod carries the message."""
    names = [f"n{number}" for number in range(1, row["nodeCount"] + 1)]
    first = {"name": "n1", "taints": row.get("taints", []), "allocatable": row.get("allocatable", {})}
    pending = {"name": "p1", "aimed": ["n1"], "phase": "Pending", "ready": None, "message": row["message"]}
    pods = [pending, *({"name": f"p{name}", "node": name} for name in names[1:])]
    made = world({**row, "nodes": [first, *names[1:]], "pods": pods}, {})
    if "hostPort" in row:
        made["items"].append(holder(row["hostPort"]))
    return made


def holder(port: int) -> dict[str, Any]:
    """A pod of somebody else on n1 that holds the host port."""
    container = {"name": "c", "image": "i", "ports": [{"containerPort": port, "hostPort": port, "protocol": "TCP"}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "holder", "namespace": "other", "uid": "holder", "labels": {**LABELS, "app": "holder"}},
        "spec": {"nodeName": "n1", "containers": [container]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def test_all_rows_are_there() -> None:
    assert [row["id"] for row in ROWS] == [f"S{number:02}" for number in range(1, 7)]


@pytest.mark.skipif(not SCHEDULING_CAUSES, reason="diagnose does not read scheduler messages yet")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(cluster(row)))
    report = diagnose(path, NOW, "--kubernetes-version", "v1.36.3")
    verdict = pairs(report)["default/d", "n1"]
    assert verdict["causes"][: len(row["causes"])] == row["causes"], row["message"]


@pytest.mark.parametrize("row", [row for row in ROWS if "taints" not in row], ids=lambda row: row["id"])
def test_the_pair_is_pending_and_the_others_are_covered(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(cluster(row)))
    states = {node: verdict["state"] for (_, node), verdict in pairs(diagnose(path, NOW)).items()}
    assert states.pop("n1") == "pending"
    assert states == {f"n{number}": "covered" for number in range(2, row["nodeCount"] + 1)}
