#!/usr/bin/env python3
"""Measure `diagnose` on large saved clusters against json.load, and the start-up against Python's and kubectl's own.

usage: bench_saved.py [--nodes N] [--cache DIR] [--repeat N] [--only saved|startup]

Not a test: it prints tables. The clusters are made once by tools/make_cluster.py and kept in the cache folder (the
larger one has about 1.3 GB). Time is user time, memory the peak resident set, both of the process measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent.parent
COMMAND = str(Path(sys.executable).with_name("kubectl-dscov"))
NOW = "2026-05-12T09:30:00Z"
LOAD = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
#: Reads and decides in one process and says how the user time divides.
SHARES = """
import os, sys, dscov
from datetime import datetime
start = os.times().user
snapshot = dscov.read_saved(sys.argv[1])
read = os.times().user
dscov.diagnose(snapshot, now=datetime.fromisoformat(sys.argv[2]))
print(f"{read - start:.2f} {os.times().user - read:.2f}")
"""
#: A run is ended after so many seconds.
LIMIT = 900


@dataclass(frozen=True)
class Usage:
    """What a process used: user and wall seconds, peak memory in MiB."""

    user: float
    wall: float
    peak: float
    code: int


def measured(args: list[str]) -> Usage:
    """Run a command with its output thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(["timeout", str(LIMIT), *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    return Usage(used.ru_utime, time.perf_counter() - start, used.ru_maxrss / 1024, process.returncode)


def best(args: list[str], repeat: int) -> Usage:
    """The run with the least user time."""
    return min((measured(args) for _ in range(repeat)), key=lambda usage: usage.user)


def cluster(cache: Path, nodes: int) -> Path:
    """The saved cluster of so many nodes, made unless this generator has made it before."""
    tools = ROOT / "tools"
    made_by = sha256(b"".join(path.read_bytes() for path in sorted(tools.glob("*.py")))).hexdigest()[:8]
    path = cache / f"cluster-{nodes}-{made_by}.json"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob(f"cluster-{nodes}-*"):
            old.unlink()
        partial = path.with_suffix(".partial")
        command = [sys.executable, str(tools / "make_cluster.py"), "--nodes", str(nodes), "--out", str(partial)]
        subprocess.run(command, check=True)
        partial.rename(path)
    return path


def bench_saved(cache: Path, nodes: int, repeat: int) -> None:
    """The two sizes, ours and json.load, and the ratios."""
    sizes = (nodes // 4, nodes)
    print(f"{'nodes':>6} {'file MiB':>9} {'':14} {'user s':>8} {'wall s':>8} {'peak MiB':>9} {'exit':>5}")
    found: dict[tuple[str, int], Usage] = {}
    for size in sizes:
        path = cluster(cache, size)
        commands = {
            "diagnose": [COMMAND, "diagnose", "-A", "-o", "json", "--from", str(path), "--now", NOW],
            "json.load": [sys.executable, "-c", LOAD, str(path)],
        }
        for name, args in commands.items():
            used = found[name, size] = best(args, repeat)
            mib = path.stat().st_size / 2**20
            print(f"{size:6} {mib:9.0f} {name:14} {used.user:8.2f} {used.wall:8.2f} {used.peak:9.0f} {used.code:5}")
    small, large = sizes
    for name in ("diagnose", "json.load"):
        ratio(f"{name} {large}/{small}", found[name, large], found[name, small])
    for size in sizes:
        ratio(f"diagnose/json.load at {size}", found["diagnose", size], found["json.load", size])
    shares(cluster(cache, large))


def ratio(text: str, above: Usage, below: Usage) -> None:
    """A line with the ratio of two runs."""
    print(f"{text:34} user {above.user / below.user:6.2f}   peak {above.peak / below.peak:6.2f}")


def shares(path: Path) -> None:
    """A line that says how the user time divides between reading and deciding."""
    done = subprocess.run(
        [sys.executable, "-c", SHARES, str(path), NOW], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode:
        print("reading against deciding: not measured:", done.stderr.strip().splitlines()[-1])
        return
    read, decided = map(float, done.stdout.split())
    print(f"reading {read:.2f} s, deciding {decided:.2f} s: {read / (read + decided):.0%} is reading")


def bench_startup(rounds: int = 10) -> None:
    """Medians over rounds in which every command runs once."""
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "kubectl-dscov --version": [COMMAND, "--version"],
        "kubectl-dscov --help": [COMMAND, "--help"],
    }
    if kubectl := shutil.which("kubectl"):
        commands["kubectl version --client"] = [kubectl, "version", "--client"]
    runs: dict[str, list[Usage]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, args in commands.items():
            runs[name].append(measured(args))
    print(f"{'':26} {'wall ms':>8} {'user ms':>8} {'peak MiB':>9}   (medians of {rounds})")
    for name, used in runs.items():
        wall, user, peak = (median(getattr(run, what) for run in used) for what in ("wall", "user", "peak"))
        print(f"{name:26} {wall * 1000:8.0f} {user * 1000:8.0f} {peak:9.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--cache", type=Path, default=ROOT / ".dev" / "bench")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, of which the fastest is shown")
    parser.add_argument("--only", choices=("saved", "startup"))
    given = parser.parse_args()
    if given.only != "saved":
        bench_startup()
    if given.only != "startup":
        bench_saved(given.cache, given.nodes, given.repeat)


if __name__ == "__main__":
    main()
