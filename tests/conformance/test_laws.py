"""What holds of every report, whatever the cluster."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conformance.asked import CAUSES_OF_PODS
from conformance.command import diagnose, pairs, run
from conformance.tables import DATA, TABLES
from conformance.world import COUNTERS, crossed
from fuzz.clusters import as_json

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-05-12T09:30:00Z"
STATES = {
    "covered",
    "outdated",
    "starting",
    "unhealthy",
    "pending",
    "missing",
    "terminating",
    "excluded",
    "misscheduled",
    "unknown",
}
WITH_POD = STATES - {"missing", "excluded", "unknown"}
HEALTHY = {"covered", "outdated", "starting"}
NOT_OF_ELIGIBLE = {"excluded", "misscheduled"}
LIVE = {"live-21": "2026-11-30T14:40:24Z", "live-22": "2026-11-30T14:41:54Z"}
CASES = sorted(folder.name for folder in (DATA / "cases").iterdir())
WORLDS = ["shop", "generated", *LIVE, *(f"crossed-{start}" for start in range(0, 3000, 1000)), *CASES]

in_every_world = pytest.mark.parametrize("name", WORLDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("worlds")


@cache
def built(name: str, folder: Path) -> tuple[Path, str]:
    """The saved cluster of a name and its clock."""
    if name == "shop":
        return ROOT / "examples" / "shop", NOW
    if name in LIVE:
        return TABLES / f"{name}.json.gz", LIVE[name]
    if name in CASES:
        expected = json.loads((DATA / "cases" / name / "expected.json").read_text())
        return DATA / "cases" / name / "cluster.json.gz", expected["now"]
    path = folder / f"{name}.json"
    if name == "generated":
        make = str(ROOT / "tools" / "make_cluster.py")
        args = ["--nodes", "230", "--daemonsets", "20", "--seed", "7", "--out", str(path)]
        subprocess.run([sys.executable, make, *args], check=True, timeout=120)
    else:
        path.write_bytes(as_json(crossed(int(name.partition("-")[2]), 40)))
    return path, NOW


@cache
def report(name: str, folder: Path) -> dict[str, Any]:
    return diagnose(*built(name, folder))


@cache
def names(name: str, folder: Path, kind: str) -> frozenset[str]:
    """The names of the objects of a kind, with the namespace where there is one; from the file, not from the report."""
    path, _ = built(name, folder)
    if path.is_dir():
        pytest.skip("read from one file")
    raw = path.read_bytes()
    items = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)["items"]
    about = [item["metadata"] for item in items if item["kind"] == kind]
    return frozenset("/".join(filter(None, (found.get("namespace"), found["name"]))) for found in about)


@in_every_world
def test_every_daemonset_has_a_verdict_on_every_node(name: str, folder: Path) -> None:
    want = {(ds, node) for ds in names(name, folder, "DaemonSet") for node in names(name, folder, "Node")}
    assert want
    rows = [
        (f"{d['namespace']}/{d['name']}", n["node"]) for d in report(name, folder)["daemonsets"] for n in d["nodes"]
    ]
    assert len(rows) == len(set(rows))
    assert set(rows) == want


@in_every_world
def test_a_no_is_never_without_a_cause(name: str, folder: Path) -> None:
    found = pairs(report(name, folder))
    assert [pair for pair, verdict in found.items() if not verdict["shouldRun"] and not verdict["causes"]] == []


@in_every_world
def test_a_gap_is_never_without_a_cause(name: str, folder: Path) -> None:
    found = pairs(report(name, folder))
    silent = [pair for pair, verdict in found.items() if verdict["gap"] and not verdict["causes"]]
    assert [pair for pair in silent if CAUSES_OF_PODS or not found[pair]["shouldRun"]] == []


@in_every_world
def test_only_what_is_wanted_and_missing_or_ailing_is_unexplained(name: str, folder: Path) -> None:
    """And never beside a cause that explains it."""
    found = [verdict for verdict in pairs(report(name, folder)).values() if "unexplained" in verdict["causes"]]
    assert [verdict for verdict in found if verdict["causes"] != ["unexplained"] or not verdict["shouldRun"]] == []


def test_a_missing_pod_without_a_reason_is_shown_as_such(folder: Path) -> None:
    """A pod that is merely missing: where nothing that was read says why, no reason is made up."""
    path, now = built("crossed-0", folder)
    found = [v for v in pairs(report("crossed-0", folder)).values() if v["causes"] == ["unexplained"]]
    assert found
    assert {verdict["state"] for verdict in found} == {"missing"}
    shown = run(["diagnose", "-A", "--from", str(path), "--now", now])
    assert "[unexplained]" in shown.stdout


@in_every_world
def test_what_is_eligible_and_runs_has_no_cause_of_eligibility(name: str, folder: Path) -> None:
    of_eligibility = {
        "untolerated-taint",
        "node-selector-no-match",
        "node-affinity-no-match",
        "toleration-value-mismatch",
    }
    found = pairs(report(name, folder))
    assert [
        pair
        for pair, verdict in found.items()
        if verdict["shouldRun"] and verdict["state"] == "covered" and of_eligibility & set(verdict["causes"])
    ] == []


@in_every_world
def test_states_fit_the_answers_and_the_pods(name: str, folder: Path) -> None:
    wrong = []
    for pair, verdict in pairs(report(name, folder)).items():
        state = verdict["state"]
        fits = (
            state in STATES
            and (state == "unknown" or verdict["shouldRun"] is (state not in NOT_OF_ELIGIBLE))
            and (state not in WITH_POD - {"starting"} or bool(verdict["pods"]))
            and not (state == "excluded" and verdict["pods"])
            and not (verdict["shouldRun"] and not verdict["shouldContinueRunning"])
        )
        if not fits:
            wrong.append((pair, verdict))
    assert wrong == []


@in_every_world
def test_a_gap_is_expected_and_without_a_healthy_pod(name: str, folder: Path) -> None:
    found = pairs(report(name, folder)).items()
    gaps = [(pair, verdict) for pair, verdict in found if verdict["gap"]]
    assert [pair for pair, verdict in gaps if not verdict["expected"]] == []
    healthy = [(pair, verdict) for pair, verdict in gaps if verdict["state"] in HEALTHY]
    # Evicted and made anew for ever: at the moment of the dump such a pod may well be available.
    assert [pair for pair, verdict in healthy if not churns(verdict)] == []


def churns(verdict: dict[str, Any]) -> bool:
    return "toleration-seconds-churn" in verdict["causes"]


@in_every_world
def test_the_summary_adds_up(name: str, folder: Path) -> None:
    made = report(name, folder)
    verdicts = list(pairs(made).values())
    summary = made["summary"]
    assert summary["daemonsets"] == len(made["daemonsets"])
    assert summary["nodes"] == len({node for _, node in pairs(made)})
    for what, key in (("expected", "expected"), ("gaps", "gap"), ("unwanted", "unwanted")):
        assert summary[what] == sum(verdict[key] for verdict in verdicts), what
    assert summary["unknown"] == sum(verdict["state"] == "unknown" for verdict in verdicts)
    assert summary["gaps"] + summary["covered"] <= summary["expected"]


@in_every_world
def test_desired_is_the_number_of_eligible_nodes(name: str, folder: Path) -> None:
    for found in report(name, folder)["daemonsets"]:
        run = sum(verdict["shouldRun"] for verdict in found["nodes"])
        computed = [found["counters"]["computed"].get(counter, 0) for counter in COUNTERS]
        desired, current, misscheduled, ready, updated, available, unavailable = computed
        assert desired == run, found["name"]
        assert unavailable == desired - available
        assert available <= ready <= current <= desired
        assert updated <= current
        assert misscheduled == sum(verdict["state"] == "misscheduled" for verdict in found["nodes"]), found["name"]


@in_every_world
def test_findings_and_verdicts_tell_the_same(name: str, folder: Path) -> None:
    for found in report(name, folder)["daemonsets"]:
        causes = {verdict["node"]: set(verdict["causes"]) for verdict in found["nodes"]}
        named: dict[str, set[str]] = {}
        for finding in found["findings"]:
            assert set(finding["nodes"]) <= set(causes), f"{found['name']}: {finding['cause']}"
            for node in finding["nodes"]:
                named.setdefault(node, set()).add(finding["cause"])
        gaps = {
            verdict["node"]
            for verdict in found["nodes"]
            if verdict["gap"] and verdict["causes"] and (CAUSES_OF_PODS or not verdict["shouldRun"])
        }
        assert {node for node in gaps if not causes[node] & named.get(node, set())} == set(), found["name"]


@in_every_world
def test_every_finding_has_evidence_a_title_and_a_remedy(name: str, folder: Path) -> None:
    for found in report(name, folder)["daemonsets"]:
        for finding in found["findings"]:
            assert finding["title"]
            assert finding["message"]
            assert finding["severity"] in {"error", "warning", "info"}
            assert finding["confidence"] in {"observed", "inferred", "unknown"}
            assert finding["code"].startswith("DSC")
            assert all({"object", "field", "value"} <= set(evidence) for evidence in finding["evidence"])
            if finding.get("remedy"):
                assert finding["remedy"]["kind"] in {"patch", "no-patch", "policy"}
