"""In the saved cases every claim holds in the objects, and findings name each node once."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conformance.tables import DATA
from engine.evidence import unproved

from dscov.diagnosis import diagnose
from dscov.kube.selectors import parse_selector
from dscov.model.cluster import Source
from dscov.model.findings import Diagnosis, Finding
from dscov.model.policy import Settings
from dscov.model.roles import role_of
from dscov.sources.gather import Gathering
from dscov.sources.saved import read_saved
from dscov.yamltext.values import read_values

SHOP = Path(__file__).parent.parent.parent / "examples" / "shop"
#: Under a declaration the findings of intent speak too.
DECLARED = Settings(expect=parse_selector("kubernetes.io/arch=amd64"))

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


@pytest.mark.parametrize("case", CASES)
def test_every_beginning_holds(case: str) -> None:
    found, objects = judged(case)
    assert [
        flaw for one in found.coverage for finding in one.findings for flaw in unproved(_begun(finding), objects)
    ] == []


@cache
def shop() -> tuple[Diagnosis, list[dict[str, Any]]]:
    found = diagnose(read_saved(str(SHOP)), now=datetime(2026, 5, 12, 9, 30, tzinfo=UTC), settings=DECLARED)
    texts = [(path, path.read_text()) for path in sorted(SHOP.iterdir())]
    values = [value for path, text in texts for value in read_values(text, path.name)]
    return found, [item for value in values for item in value.get("items", [value])]


def test_every_claim_about_the_example_holds() -> None:
    found, objects = shop()
    findings = [finding for one in found.coverage for finding in one.findings]
    assert {"wrong-nodes", "untolerated-taint", "node-lost"} <= {finding.cause for finding in findings}
    assert [flaw for finding in findings for flaw in unproved(finding, objects)] == []
    assert [flaw for finding in findings for flaw in unproved(_begun(finding), objects)] == []


def test_every_role_in_the_example_holds() -> None:
    found, objects = shop()
    roles = [role_of(one.daemonset) for one in found.coverage]
    assert {"network", "proxy", "storage", "device", "logs"} <= {role.kind for role in roles}
    assert [
        flaw for role in roles for flaw in unproved(Finding(role.kind, "info", (), evidence=role.evidence), objects)
    ] == []


def _begun(finding: Finding) -> Finding:
    return Finding(finding.cause, "info", (), evidence=finding.since.evidence if finding.since else ())
