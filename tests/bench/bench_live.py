#!/usr/bin/env python3
"""Measure `kubectl-dscov diagnose -A` against `kubectl get pods -A` on a real API server.

usage: bench_live.py [--nodes N] [--daemonsets N] [--pairs N] [--trouble]

Not a test: it prints tables. The world (tests/cluster) is filled once, kept in the user's cache, and started from a
copy. The two commands run in turn; a row is one pair, the last line the ratio of the medians. Wall seconds, user
seconds and peak memory are those of the process measured; the server's own work is in the wall time of both.

--trouble adds a DaemonSet whose pods cannot be made, deletes the pods of another on some nodes while the controller is
stopped, and loses a node, so that the second reading has the most to do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src"), str(ROOT)]

from cluster import play  # noqa: E402
from cluster.handle import Cluster  # noqa: E402
from cluster.local.plane import KWOK, MANAGER  # noqa: E402
from cluster.worlds.big_world import big_world  # noqa: E402

LIMIT = 900
#: Seconds of rest after the start: the controllers look at everything once.
REST = 30.0


class Usage(NamedTuple):
    """What a process used: wall and user seconds, peak memory in MiB, its exit code."""

    wall: float
    user: float
    peak: float
    code: int


def measured(command: list[str]) -> Usage:
    """Run a command with its output thrown away."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    start = time.perf_counter()
    process = subprocess.Popen(
        ["timeout", str(LIMIT), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    return Usage(time.perf_counter() - start, used.ru_utime, used.ru_maxrss / 1024, process.returncode)


def commands(cluster: Cluster) -> dict[str, list[str]]:
    """The two that are compared."""
    config = ["--kubeconfig", str(cluster.kubeconfig)]
    return {
        "kubectl get pods -A": [shutil.which("kubectl") or "kubectl", *config, "get", "pods", "-A"],
        "kubectl-dscov diagnose -A": [sys.executable, "-m", "kubectl_dscov", "diagnose", "-A", *config],
    }


def compare(cluster: Cluster, pairs: int) -> None:
    """The table: both commands in turn, `pairs` times."""
    runs: dict[str, list[Usage]] = {name: [] for name in commands(cluster)}
    print(f"{'':28} {'wall s':>8} {'user s':>8} {'peak MiB':>9} {'exit':>5} {'load':>6}")
    for _ in range(pairs):
        for name, command in commands(cluster).items():
            used = measured(command)
            runs[name].append(used)
            shown = f"{used.wall:8.2f} {used.user:8.2f} {used.peak:9.0f} {used.code:5} {os.getloadavg()[0]:6.1f}"
            print(f"{name:28} {shown}", flush=True)
    theirs, ours = runs.values()
    ratios = {
        what: median(getattr(run, what) for run in ours) / median(getattr(run, what) for run in theirs)
        for what in ("wall", "user", "peak")
    }
    print("ours / kubectl, medians:  " + "  ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items()), flush=True)


def trouble(cluster: Cluster) -> None:
    """One node lost, one DaemonSet without its pods on fifty nodes; nobody is left to mend it."""
    plane = cluster.plane
    assert plane is not None
    plane.stop(MANAGER)
    plane.stop(KWOK)
    daemonset = cluster.api.list("DaemonSet")[0]["metadata"]
    mine = [
        pod
        for pod in cluster.api.list("Pod", daemonset["namespace"])
        if pod["metadata"]["ownerReferences"][0]["uid"] == daemonset["uid"]
    ]
    cluster.api.delete_all(mine[:50], now=True)
    play.set_conditions(cluster.api, mine[60]["spec"]["nodeName"], Ready="Unknown")
    print(f"trouble: {daemonset['name']} misses 50 pods, node {mine[60]['spec']['nodeName']} is lost")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--daemonsets", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--trouble", action="store_true")
    given = parser.parse_args()
    with big_world(nodes=given.nodes, daemonsets=given.daemonsets) as cluster:
        time.sleep(REST)
        pods = len(cluster.api.list("Pod"))
        print(f"{given.nodes} nodes, {given.daemonsets} DaemonSets, {pods} pods")
        compare(cluster, given.pairs)
        if given.trouble:
            trouble(cluster)
            compare(cluster, given.pairs)


if __name__ == "__main__":
    main()
