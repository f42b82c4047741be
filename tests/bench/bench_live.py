#!/usr/bin/env python3
"""Measure `kubectl-dscov diagnose -A` against `kubectl get pods -A` on a real API server.

usage: bench_live.py [--nodes N] [--daemonsets N] [--pairs N] [--trouble]

Not a test: it prints tables. The world (tests/cluster) is filled once, kept in the user's cache, and started from a
copy. The two commands run in turn; a row is one pair, the last line the ratio of the medians. Wall seconds, user
seconds and peak memory are those of the process measured; the server's own work is in the wall time of both.

--trouble deletes the pods of a DaemonSet on fifty nodes while the controller is stopped, and loses a node, so that the
second reading has much to do.
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
#: Runs a command and says wall and user seconds, peak KiB and exit code. A process of its own, for a child's peak begins
#: with that of the process that it was forked from, and this one holds objects.
SPAWN = """
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, code, used = os.wait4(child.pid, 0)
print(time.perf_counter() - start, used.ru_utime, used.ru_maxrss, os.waitstatus_to_exitcode(code))
"""
#: Seconds of rest after the start: the controllers look at everything once.
REST = 30.0
#: So many pods go missing with --trouble.
MISSING = 50


class Usage(NamedTuple):
    """What a process used: wall and user seconds, peak memory in MiB, its exit code."""

    wall: float
    user: float
    peak: float
    code: int


def measured(command: list[str]) -> Usage:
    """Run a command with its output thrown away."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    spawned = [sys.executable, "-c", SPAWN, *command]
    done = subprocess.run(spawned, capture_output=True, text=True, timeout=LIMIT, check=True, env=environment)
    wall, user, peak, code = map(float, done.stdout.split())
    return Usage(wall, user, peak / 1024, int(code))


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
    widest = max(cluster.api.list("DaemonSet"), key=lambda item: int(item["status"]["currentNumberScheduled"]))
    daemonset = widest["metadata"]
    chosen = ",".join(f"{key}={value}" for key, value in widest["spec"]["selector"]["matchLabels"].items())
    *mine, other = cluster.api.list("Pod", daemonset["namespace"], labelSelector=chosen, limit=str(MISSING + 1))
    cluster.api.delete_all(mine, now=True)
    play.set_conditions(cluster.api, other["spec"]["nodeName"], Ready="Unknown")
    print(f"trouble: {daemonset['name']} misses {len(mine)} pods, node {other['spec']['nodeName']} is lost")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--daemonsets", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--trouble", action="store_true")
    given = parser.parse_args()
    with big_world(nodes=given.nodes, daemonsets=given.daemonsets) as cluster:
        time.sleep(REST)
        pods = sum(item["status"]["currentNumberScheduled"] for item in cluster.api.list("DaemonSet"))
        print(f"{given.nodes} nodes, {given.daemonsets} DaemonSets, {pods} pods")
        compare(cluster, given.pairs)
        if given.trouble:
            trouble(cluster)
            compare(cluster, given.pairs)


if __name__ == "__main__":
    main()
