"""The walk of `explain` through broken saved clusters: what holds of `diagnose` holds of it too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conformance.command import run
from fuzz.broken import HOSTILE, hostile_names, mutated
from fuzz.clusters import NOW, as_json, clusters, everything
from fuzz.judge import faults

MUTANTS = 400
BATCHES = 4
SHOWN = 8


def first(document: dict[str, Any], kind: str) -> dict[str, Any]:
    """The metadata of the first object of a kind."""
    found: dict[str, Any] = next(item["metadata"] for item in document["items"] if item["kind"] == kind)
    return found


def complaints(path: Path, daemonset: dict[str, Any], node: dict[str, Any]) -> list[str]:
    pair = [f"daemonset/{daemonset['name']}", f"node/{node['name']}", "-n", daemonset["namespace"]]
    try:
        result = run(["explain", *pair, "--from", str(path), "--now", NOW])
    except Exception as escaped:
        return [f"{type(escaped).__name__} escaped: {str(escaped)[:200]}"]
    # Exit 2 is an object that is not there: the message names it instead of the file.
    return faults(result, "" if result.code == 2 and result.stderr else path.name, "table")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_mutated(batch: int, tmp_path: Path) -> None:
    found = []
    whole = everything()
    for seed in range(batch, MUTANTS, BATCHES):
        document = whole[seed % len(whole)]
        path = tmp_path / f"mutant-{seed}.json"
        path.write_bytes(as_json(mutated(document, 10_000 + seed)))
        answers = complaints(path, first(document, "DaemonSet"), first(document, "Node"))
        found += [f"seed {seed}: {text}" for text in answers]
    assert not found, f"{len(found)} wrong answers:\n" + "\n".join(found[:SHOWN])


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_names(number: int, tmp_path: Path) -> None:
    """Every name holds the hostile text, and so do the arguments: the walk is made, and nothing of it comes out raw."""
    found = []
    for position, document in enumerate(clusters()):
        made = hostile_names(document, HOSTILE[number])
        path = tmp_path / f"hostile-{position}.json"
        path.write_bytes(as_json(made))
        answers = complaints(path, first(made, "DaemonSet"), first(made, "Node"))
        found += [f"cluster {position}: {text}" for text in answers]
    assert not found, f"{len(found)} wrong answers:\n" + "\n".join(found[:SHOWN])


def test_the_walk_is_made_where_nothing_is_broken(tmp_path: Path) -> None:
    for position, document in enumerate(clusters()):
        path = tmp_path / f"whole-{position}.json"
        path.write_bytes(as_json(document))
        daemonset, node = first(document, "DaemonSet"), first(document, "Node")
        pair = [f"daemonset/{daemonset['name']}", f"node/{node['name']}", "-n", daemonset["namespace"]]
        result = run(["explain", *pair, "--from", str(path), "--now", NOW])
        assert result.code in {0, 1}, result.stderr
        assert daemonset["name"] in result.stdout
        assert node["name"] in result.stdout
