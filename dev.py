#!/usr/bin/env python3
"""Set up and run everything of the project; needs only Python 3.11 or newer.

python3 dev.py demo                 set up, then diagnose the saved cluster in examples/shop
python3 dev.py check                set up, then lint, types, contracts, generated files and tests
python3 dev.py check --cluster local    the same, with the tests on a real control plane (needs Go; minutes once)
python3 dev.py generate             write the generated files anew (docs/)
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".dev"
BIN = HOME / "venv" / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

CHECKS = (
    ("lint", [str(BIN / "ruff"), "check", "."]),
    ("format", [str(BIN / "ruff"), "format", "--check", "."]),
    ("types", [str(BIN / "mypy")]),
    ("generated files", [str(PYTHON), "tools/generate_docs.py", "--check"]),
    ("contracts", [str(BIN / "lint-imports"), "--no-logo"]),
)


def main(arguments: list[str]) -> int:
    """Run one verb; its exit code is that of the first step that fails."""
    verb, *rest = arguments or ["help"]
    if sys.version_info < (3, 11):
        print("error: Python 3.11 or newer is needed; run this file with it", file=sys.stderr)
        return 2
    if verb not in {"demo", "check", "generate"}:
        print(__doc__)
        return 0 if verb in {"help", "-h", "--help"} else 2
    set_up(with_tests=verb != "demo")
    return {"demo": demo, "check": check, "generate": generate}[verb](rest)


def set_up(*, with_tests: bool) -> None:
    """A virtual environment in .dev with the project in it; kept until pyproject.toml changes."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    mark = HOME / ("ready-tests" if with_tests else "ready")
    if mark.exists() and mark.read_text() == wanted and PYTHON.exists():
        return
    print("setting up .dev/venv ...", file=sys.stderr)
    try:
        venv.create(HOME / "venv", with_pip=True, clear=False)
    except (subprocess.CalledProcessError, OSError) as problem:
        sys.exit(f"error: no virtual environment could be made ({problem}); on Debian: apt install python3-venv")
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
    subprocess.run([*pip, "--editable", str(ROOT)], check=True)
    if with_tests:
        subprocess.run([*pip, "--group", f"{ROOT / 'pyproject.toml'}:dev"], check=True)
    mark.write_text(wanted)


def demo(arguments: list[str]) -> int:
    """The main job on the saved cluster; that there are gaps is no failure of the demo."""
    command = [str(BIN / "kubectl-dscov"), "diagnose", "--from", str(ROOT / "examples" / "shop"), "--exit-zero"]
    return subprocess.run([*command, *arguments], check=False).returncode


def check(arguments: list[str]) -> int:
    """All checks, then the tests; with --cluster the tests on a cluster as well."""
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return code
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    runs = [["tests", "--ignore=tests/cluster"], ["tests/cluster", *arguments]]
    for run in runs:
        print(f"== pytest {' '.join(run)}", flush=True)
        command = [str(PYTHON), "-m", "pytest", *run]
        if code := subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            return code
    return 0


def generate(_: list[str]) -> int:
    """The files in docs/ that are made from the program."""
    return subprocess.run([str(PYTHON), "tools/generate_docs.py"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
