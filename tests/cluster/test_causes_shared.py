"""Causes provoked for real, many on one control plane: each is recognised, and nothing else is flagged.

The objects go through the API, the controllers and the scheduler do their part, tests play the kubelet's. Young nodes
and pods are given time; so the report is the one of a quarter of an hour later (`--now`), if nothing changed till then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conformance.command import diagnose
from engine.evidence import unproved

import dscov
from cluster.api import Object
from cluster.handle import Cluster
from cluster.local import build
from cluster.local.plane import API, Settings
from cluster.local.run import local_cluster
from cluster.provocations.creation import CREATION, GUARDED
from cluster.provocations.eligibility import ELIGIBILITY
from cluster.provocations.nodes import NODES
from cluster.provocations.report import LATER, moment, report_of, wrongs
from cluster.provocations.running import RUNNING
from cluster.provocations.scheduling import SCHEDULING
from cluster.provocations.stage import LABEL, Provocation, Stage

ALL = [*ELIGIBILITY, *CREATION, *SCHEDULING, *RUNNING, *NODES]
ROOT = Path(__file__).parents[2]
#: Situations made at once; most of the time of each is waiting.
AT_ONCE = 8

LIMITED = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {
            "name": "ResourceQuota",
            "configuration": {
                "apiVersion": "apiserver.config.k8s.io/v1",
                "kind": "ResourceQuotaConfiguration",
                "limitedResources": [
                    {
                        "resource": "pods",
                        "matchScopes": [
                            {"scopeName": "PriorityClass", "operator": "In", "values": [GUARDED]},
                        ],
                    }
                ],
            },
        }
    ],
}


@pytest.fixture(scope="module")
def new_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One plane for all, whose API server adds selectors to pods and keeps a priority class to itself."""
    build.ensure_built(report=sys.stderr)
    limits = tmp_path_factory.mktemp("admission") / "limits.json"
    limits.write_text(json.dumps(LIMITED))
    extra = {API: (f"--admission-control-config-file={limits}",)}
    with local_cluster(Settings(admission_plugins=("PodNodeSelector",), extra=extra)) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def provoked(new_cluster: Cluster) -> dict[str, str]:
    """All situations made; the names of those that could not be, with the reason."""

    def make(case: Provocation) -> str:
        stage = Stage(new_cluster, case.name)
        try:
            stage.open()
            case.make(stage)
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}"
        return ""

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip((case.name for case in ALL), pool.map(make, ALL), strict=True))


@pytest.fixture(scope="module")
def present(new_cluster: Cluster, provoked: dict[str, str]) -> Object:
    """The report on all of them as they are now, all nodes being young."""
    return report_of(new_cluster, ahead=timedelta())


@pytest.fixture(scope="module")
def report(new_cluster: Cluster, present: Object) -> Object:
    """One report on all of them."""
    return report_of(new_cluster)


@pytest.fixture(scope="module")
def dump(new_cluster: Cluster, report: Object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What kubectl saves of the same cluster, which holds every event."""
    return new_cluster.dump(tmp_path_factory.mktemp("dump"))


@pytest.fixture(scope="module")
def saved_report(dump: Path) -> Object:
    """The report on that."""
    return diagnose(dump.parent, moment(LATER))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_live(case: Provocation, provoked: dict[str, str], report: Object) -> None:
    assert provoked[case.name] == ""
    assert wrongs(report, case) == []


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_saved(case: Provocation, provoked: dict[str, str], saved_report: Object) -> None:
    assert provoked[case.name] == ""
    assert wrongs(saved_report, case) == []


def test_a_young_node_is_no_gap(present: Object) -> None:
    """But for what is wrong with a pod already, and what never gets right."""
    (joined,) = [
        p for ds in present["daemonsets"] for p in ds["nodes"] if p["node"] == "node-not-ready-a" and p["pods"]
    ]
    assert (joined["state"], joined["gap"], joined["causes"]) == ("starting", False, ["node-starting"])
    agents = [ds for ds in present["daemonsets"] if ds["name"] == "agent"]
    gaps = {ds["namespace"] for ds in agents for pair in ds["nodes"] if pair["gap"]}
    assert gaps == {
        "config-missing",
        "crash-loop",
        "image-architecture",
        "image-pull",
        "init-crash-loop",
        "out-of-memory",
        "toleration-seconds-churn",
    }


def test_every_claim_is_borne_out_by_what_was_saved(dump: Path) -> None:
    objects = json.loads(dump.read_text())["items"]
    found = dscov.diagnose(dscov.read_saved(str(dump.parent)), now=datetime.now(UTC) + LATER)
    findings = [f for one in found.coverage for f in one.findings if f.severity != "info" or not f.nodes]
    assert len(findings) > len(ALL) / 2
    assert [flaw for finding in findings for flaw in unproved(finding, objects)] == []


@pytest.mark.parametrize("name", ["untolerated-taint", "quota-used-up", "host-port-conflict", "node-lost"])
def test_the_command_itself(name: str, new_cluster: Cluster, report: Object) -> None:
    """One DaemonSet on the nodes of its case, through the program: the same verdicts."""
    arguments = ["diagnose", "daemonset/agent", "-n", name, "--nodes", f"{LABEL}={name}", "-o", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "kubectl_dscov", *arguments, "--now", moment(LATER)],
        env={**os.environ, "KUBECONFIG": str(new_cluster.kubeconfig)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    one = next(ds for ds in report["daemonsets"] if ds["namespace"] == name)
    expected = [pair for pair in one["nodes"] if pair["node"].rpartition("-")[0] == name]
    (said,) = json.loads(done.stdout)["daemonsets"]
    assert said["nodes"] == expected


def test_enough_causes_are_provoked() -> None:
    assert len(set().union(*(case.causes for case in ALL))) >= 45
