"""The example cluster that ships with the project: its files, its faults, and what the command says of them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conformance.asked import CAUSES_OF_PODS
from conformance.command import diagnose, pairs, run
from conformance.world import COUNTERS

ROOT = Path(__file__).parent.parent.parent
SHOP = ROOT / "examples" / "shop"
NOW = "2026-05-12T09:30:00Z"

GPU = [f"gpu-{number}" for number in range(1, 5)]
SPOT = [f"spot-{number}" for number in range(1, 5)]
ARM = [f"arm-{number}" for number in range(1, 4)]

#: DaemonSet, its nodes, their state, the cause. The first five need nothing but DaemonSet and nodes.
FAULTS = (
    ("logging/log-agent", GPU, "excluded", "untolerated-taint"),
    ("monitoring/node-exporter", GPU, "excluded", "toleration-value-mismatch"),
    ("security/runtime-guard", SPOT, "excluded", "toleration-key-typo"),
    ("storage/csi-node", ["general-08"], "excluded", "node-label-missing"),
    ("gpu-operator/gpu-device-plugin", ["gpu-4"], "excluded", "node-selector-value-mismatch"),
    ("logging/log-agent", ["general-07"], "misscheduled", "node-lost"),
    ("monitoring/node-exporter", ["storage-2"], "pending", "host-port-conflict"),
    ("security/runtime-guard", ["storage-1"], "unhealthy", "crash-loop"),
    ("tracing/trace-agent", ["general-03"], "pending", "insufficient-resources"),
    ("shop/image-cache", ARM, "unhealthy", "image-architecture"),
    ("platform/config-sync", ["general-05", "general-06", "general-09"], "missing", "quota"),
    ("backup/snapshot-mover", ["storage-3"], "terminating", "predecessor-terminating"),
    ("observability/profiler", ["general-02"], "unhealthy", "readiness-failing"),
    ("kube-system/kube-proxy", ["general-07"], "unhealthy", "node-lost"),
    ("networking/cni-agent", ["general-07"], "terminating", "node-lost"),
    ("ingress/edge-proxy", ["storage-1", "storage-2", "storage-3"], "covered", "affinity-terms-ored"),
)
OF_ELIGIBILITY = FAULTS[:5]

#: Nothing is wrong here: the node is going, or the DaemonSet never meant it.
QUIET = (
    ("logging/log-agent", "general-10"),
    ("logging/log-agent", "win-1"),
    ("kube-system/kube-proxy", "win-2"),
    ("logging/log-agent-windows", "win-1"),
    ("tracing/trace-agent", "gpu-1"),
    ("ingress/edge-proxy", "edge-1"),
)


def ids(fault: tuple[Any, ...]) -> str:
    return f"{fault[0].partition('/')[2]}-{fault[3]}"


@cache
def report() -> dict[str, Any]:
    return diagnose(SHOP, NOW, "--kubernetes-version", "v1.31.6")


def test_the_files_are_what_the_generator_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "make_example.py"), str(tmp_path)], check=True, timeout=120)
    want = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name: path.read_bytes() for path in SHOP.iterdir()} == want


def test_the_cluster_is_read_whole() -> None:
    assert report()["summary"]["nodes"] == 31
    assert report()["summary"]["daemonsets"] == 14


def test_the_counters_are_the_controllers_own() -> None:
    for found in report()["daemonsets"]:
        counters = found["counters"]
        computed, reported = ([counters[side].get(name, 0) for name in COUNTERS] for side in ("computed", "reported"))
        assert (computed, counters["disagreements"]) == (reported, []), found["name"]


@pytest.mark.parametrize("fault", FAULTS, ids=ids)
def test_state(fault: tuple[str, list[str], str, str]) -> None:
    daemonset, nodes, state, _ = fault
    got = pairs(report())
    assert {node: got[daemonset, node]["state"] for node in nodes} == dict.fromkeys(nodes, state)


@pytest.mark.parametrize("fault", FAULTS if CAUSES_OF_PODS else OF_ELIGIBILITY, ids=ids)
def test_cause(fault: tuple[str, list[str], str, str]) -> None:
    daemonset, nodes, _, cause = fault
    got = pairs(report())
    assert [node for node in nodes if cause not in got[daemonset, node]["causes"]] == []


@pytest.mark.parametrize("fault", OF_ELIGIBILITY, ids=ids)
def test_what_the_counters_do_not_show_is_a_gap(fault: tuple[str, list[str], str, str]) -> None:
    daemonset, nodes, *_ = fault
    got = pairs(report())
    assert [node for node in nodes if not got[daemonset, node]["gap"]] == []


@pytest.mark.parametrize(("daemonset", "node"), QUIET)
def test_what_is_no_gap(daemonset: str, node: str) -> None:
    assert pairs(report())[daemonset, node]["gap"] is False


def test_there_are_gaps_and_the_exit_code_says_so() -> None:
    result = run(["diagnose", "-A", "--from", str(SHOP), "--now", NOW])
    assert result.code == 1
    assert "log-agent" in result.stdout


def test_the_same_clock_gives_the_same_bytes() -> None:
    args = ["diagnose", "-A", "--from", str(SHOP), "--now", NOW, "-o", "json"]
    assert run(args) == run(args)
