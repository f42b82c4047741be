#!/usr/bin/env python3
"""Run the built program in old and new Debians that hold nothing but themselves: no Python, no libraries of ours.

usage: try_distributions.py ARCHIVE SUITE... [--folder DIR]      as root, with debootstrap and a Debian mirror

Makes a minimal system of each suite (bookworm, trixie, ...) with debootstrap in DIR, unless it is there already, unpacks
the archive in it and runs --version, --help, a diagnosis of the example and the pages of the causes in a chroot.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
RUNS = (
    (["--version"], 0),
    (["--help"], 0),
    (["diagnose", "-A", "--from", "/shop"], 1),
    (["explain", "untolerated-taint"], 0),
    (["fix", "--from", "/shop", "-o", "strategic"], 1),
)


def system(suite: str, folder: Path) -> Path:
    """A minimal Debian of that suite."""
    place = folder / suite
    if not (place / "bin" / "sh").exists():
        subprocess.run(["debootstrap", "--variant=minbase", suite, str(place)], check=True, stdout=subprocess.DEVNULL)
    return place


def tried(archive: Path, place: Path) -> list[str]:
    """What went wrong in that system, a line each."""
    for old in ("kubectl-dscov", "shop"):
        shutil.rmtree(place / old, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="tar")
    shutil.copytree(ROOT / "examples" / "shop", place / "shop")
    wrong = []
    if any(place.glob("usr/bin/python*")):
        wrong.append("there is a Python inside, so this proves nothing")
    for arguments, code in RUNS:
        command = ["chroot", str(place), "/kubectl-dscov/kubectl-dscov", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=CLEAN, check=False)
        if done.returncode != code or not done.stdout:
            told = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it said nothing"]
            wrong.append(f"{' '.join(arguments)}: exit {done.returncode}: {told[0]}")
    return wrong


def glibc(place: Path) -> str:
    """The version of the C library in a system."""
    command = ["chroot", str(place), "ldd", "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")[0].split()[-1]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("suites", nargs="+")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "dscov-distributions")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for suite in given.suites:
        place = system(suite, given.folder)
        wrong = tried(given.archive, place)
        failed |= bool(wrong)
        print(f"{suite:10} glibc {glibc(place):6} {'; '.join(wrong) or 'works'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
