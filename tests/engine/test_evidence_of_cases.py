"""In the saved cases every claim holds in the objects, and findings name each node once."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from conformance.tables import DATA
from engine.evidence import unproved

from dscov.diagnosis import diagnose
from dscov.model.cluster import Source
from dscov.model.findings import Diagnosis
from dscov.sources.gather import Gathering

CASES = sorted(folder.name for folder in (DATA / "cases").iterdir())


@cache
def judged(case: str) -> tuple[Diagnosis, list[dict[str, Any]]]:
    folder = DATA / "cases" / case
    text = gzip.decompress((folder / "cluster.json.gz").read_bytes())
    gathering = Gathering()
    gathering.document(text, case)
    clock = datetime.fromisoformat(json.loads((folder / "expected.json").read_text())["now"])
    return diagnose(gathering.snapshot(Source("saved", path=case)), now=clock), json.loads(text)["items"]


@pytest.mark.parametrize("case", CASES)
def test_every_claim_holds(case: str) -> None:
    found, objects = judged(case)
    findings = [finding for one in found.coverage for finding in one.findings]
    assert [flaw for finding in findings for flaw in unproved(finding, objects)] == []


@pytest.mark.parametrize("case", CASES)
def test_every_finding_names_each_node_once(case: str) -> None:
    for one in judged(case)[0].coverage:
        for finding in one.findings:
            assert len(finding.nodes) == len(set(finding.nodes)), finding.cause
