"""The generator of saved clusters: the same arguments give the same bytes, and its counters are what we compute."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conformance.command import diagnose
from conformance.world import COUNTERS

MAKE = Path(__file__).parent.parent.parent / "tools" / "make_cluster.py"
NOW = "2026-05-12T09:30:00Z"


def made(folder: Path, *args: str) -> Path:
    path = folder / "cluster.json"
    subprocess.run([sys.executable, str(MAKE), *args, "--out", str(path)], check=True, timeout=120)
    return path


@pytest.mark.parametrize(
    ("seed", "faults"),
    [("0", "all"), ("1", "all"), ("2", "none"), ("3", "lost,terminating"), ("4", "missing,outdated")],
)
def test_its_counters_are_ours(seed: str, faults: str, tmp_path: Path) -> None:
    path = made(tmp_path, "--nodes", "230", "--daemonsets", "40", "--seed", seed, "--faults", faults)
    report = diagnose(path, NOW, "--kubernetes-version", "v1.31.6")
    assert len(report["daemonsets"]) == 40
    wrong: dict[str, Any] = {}
    for found in report["daemonsets"]:
        counters = found["counters"]
        computed, reported = ([counters[side].get(name, 0) for name in COUNTERS] for side in ("computed", "reported"))
        if computed != reported or counters["disagreements"]:
            wrong[found["name"]] = (computed, reported, counters["disagreements"])
    assert wrong == {}


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    first = made(tmp_path, "--nodes", "40", "--daemonsets", "20", "--seed", "5").read_bytes()
    assert made(tmp_path, "--nodes", "40", "--daemonsets", "20", "--seed", "5").read_bytes() == first
    assert made(tmp_path, "--nodes", "40", "--daemonsets", "20", "--seed", "6").read_bytes() != first


def test_it_writes_what_kubectl_writes(tmp_path: Path) -> None:
    text = made(tmp_path, "--nodes", "40", "--daemonsets", "20").read_text()
    whole = json.loads(text)
    assert json.dumps(whole, indent=4, sort_keys=True) + "\n" == text


def test_it_grows_with_the_number_of_nodes(tmp_path: Path) -> None:
    kinds = []
    for nodes in ("100", "400"):
        items = json.loads(made(tmp_path, "--nodes", nodes, "--daemonsets", "20").read_text())["items"]
        kinds.append(Counter(item["kind"] for item in items))
    small, large = kinds
    assert large["Node"] == 4 * small["Node"]
    assert 3.5 < large["Pod"] / small["Pod"] < 4.5
