"""The plans for the clusters retold from public reports, against the patches that a good answer gives."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dscov.model.proposals import Proposal
from dscov.planner import propose
from dscov.sources.saved import read_saved

CASES = Path(__file__).parent.parent / "data" / "cases"
#: The right patch is one for the source: an owner would undo it in the live object.
FOR_THE_SOURCE = {"607-addon-manager-reconcile"}


def read(case: Path) -> tuple[dict[str, Any], dict[str, Proposal]]:
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text())
    snapshot = read_saved(str(case / "cluster.json.gz"))
    _, proposals = propose(snapshot, now=datetime.fromisoformat(expected["now"]))
    return expected, {proposal.daemonset.key: proposal for proposal in proposals}


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_the_first_option_places_pods_as_the_right_patch_does(case: Path) -> None:
    expected, proposals = read(case)
    remedy = expected["remedy"]
    if remedy["kind"] != "patch" and case.name not in FOR_THE_SOURCE:
        subjects = {one["daemonset"] for kind in ("gaps", "unwanted", "problems") for one in expected[kind]}
        assert [key for key in subjects if key in proposals and proposals[key].options] == []
        return
    key = remedy.get("target") or expected["gaps"][0]["daemonset"]
    proposal = proposals[key]
    assert proposal.least
    if "placement_after" not in remedy:
        assert list(proposal.options[0].patch) == remedy["patch"]
        return
    effect = proposal.options[0].effect
    after = {
        name: (runs or name in effect.gains) and name not in effect.loses
        for name, runs in remedy["placement_before"].items()
    }
    assert after == remedy["placement_after"]


def test_all_cases_are_there() -> None:
    assert len(list(CASES.iterdir())) == 40
