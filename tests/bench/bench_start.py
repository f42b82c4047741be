#!/usr/bin/env python3
"""Measure how fast the built program starts, against kubectl, in one run.

usage: bench_start.py PROGRAM [--runs N] [--nodes N] [--daemonsets N] [--no-cluster]

PROGRAM is a `kubectl-dscov`: the one in an unpacked archive, or of a virtual environment. Not a test: it prints a
table. Each row is the median over the runs, the commands of a row taken in turn; CPU is user and system time together.
The small cluster is a real control plane on loopback (tests/cluster), filled once and kept.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src"), str(ROOT)]

#: Seconds of rest after the start of the control plane: the controllers look at everything once.
REST = 20.0


def spent(command: list[str]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one run, its output thrown away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def compare(theirs: list[str], ours: list[str], runs: int) -> None:
    """One row for each command, and how many times theirs ours takes."""
    walls = []
    rows: list[list[tuple[float, float]]] = [[], []]
    for turn in range(runs + 1):
        for command, row in zip((theirs, ours), rows, strict=True):
            figures = spent(command)
            if turn:
                row.append(figures)
    for command, row in zip((theirs, ours), rows, strict=True):
        wall, cpu = (median(figure) for figure in zip(*row, strict=True))
        walls.append(wall)
        shown = [Path(command[0]).name, *(word for word in command[1:] if not word.startswith("--kubeconfig"))]
        print(f"{' '.join(shown):44} wall {wall:7.1f} ms   cpu {cpu:7.1f} ms   load {os.getloadavg()[0]:.1f}")
    print(f"{'ours / theirs':44} {walls[1] / walls[0]:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--daemonsets", type=int, default=16)
    parser.add_argument("--no-cluster", action="store_true")
    given = parser.parse_args()
    program = str(Path(given.program).absolute())
    with contextlib.ExitStack() as stack:
        config = ""
        if not given.no_cluster:
            from cluster.worlds.big_world import big_world

            cluster = stack.enter_context(big_world(nodes=given.nodes, daemonsets=given.daemonsets))
            config = f"--kubeconfig={cluster.kubeconfig}"
            time.sleep(REST)
        compare(["kubectl", "version", "--client"], [program, "--version"], given.runs)
        if config:
            listed = ["kubectl", "get", "daemonsets", "-A", config]
            for verb in (["diagnose", "-A"], ["diagnose"], ["diagnose", "-A", "-o", "json"]):
                compare(listed, [program, *verb, config], given.runs)


if __name__ == "__main__":
    main()
