#!/usr/bin/env python3
"""Set up and run everything of the project; needs only Python 3.11 or newer.

python3 dev.py demo                 set up, then diagnose the saved cluster in examples/shop
python3 dev.py check                set up, then lint, types, contracts, generated files and tests
python3 dev.py check --cluster local    the same, with the tests on a real control plane (needs Go; minutes once)
python3 dev.py generate             write the generated files anew (docs/, deploy/)
python3 dev.py build                the self-contained program, wheel and sdist, and krew's manifest for them, in dist/
python3 dev.py lowest               the tests with the oldest versions of the dependencies that pyproject.toml allows
python3 dev.py lock                 write requirements/ anew: exact versions with hashes, for releases
"""

from __future__ import annotations

import hashlib
import os
import shutil
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
    ("workflows", [str(BIN / "zizmor"), "--offline", "--quiet", ".github"]),
)
ACTIONLINT = ["go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"]


def main(arguments: list[str]) -> int:
    """Run one verb; its exit code is that of the first step that fails."""
    verb, *rest = arguments or ["help"]
    if sys.version_info < (3, 11):
        print("error: Python 3.11 or newer is needed; run this file with it", file=sys.stderr)
        return 2
    verbs = {"demo": demo, "check": check, "generate": generate, "build": build, "lowest": lowest, "lock": lock}
    asked = {"help", "-h", "--help"}
    if verb not in verbs or asked & {*rest[:1]}:
        print(__doc__)
        return 0 if asked & {verb, *rest[:1]} else 2
    if verb in {"demo", "check", "generate"}:
        set_up(with_tests=verb != "demo")
    return verbs[verb](rest)


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
    """All checks, then the tests; with --cluster the tests on a cluster as well, with `local` also those of the build."""
    checks = CHECKS
    if "local" in arguments:
        checks += (
            ("workflows with actionlint", ACTIONLINT),
            ("build", [sys.executable, str(ROOT / "dev.py"), "build"]),
        )
    for name, command in checks:
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
    """The files that are made from the program."""
    return subprocess.run([str(PYTHON), "tools/generate_docs.py"], cwd=ROOT, check=False).returncode


def build(arguments: list[str]) -> int:
    """Everything that a release ships for this machine, with exactly the packages of requirements/build.txt."""
    python = environment("build")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", "requirements/build.txt"], cwd=ROOT, check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--force-reinstall", "."], cwd=ROOT, check=True)
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    steps = (
        [python, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel"],
        [python, "tools/build_binary.py", *arguments],
    )
    steps += ([python, "tools/make_manifest.py"],)
    return next((code for step in steps if (code := subprocess.run(step, cwd=ROOT, check=False).returncode)), 0)


def lowest(arguments: list[str]) -> int:
    """The tests that need no cluster, with the oldest dependencies; given arguments are those of pytest."""
    python, locker = environment("lowest"), environment("lock")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([locker, "-m", "pip", "install", "--quiet", "--group", "pyproject.toml:lock"], cwd=ROOT, check=True)
    oldest = HOME / "lowest.txt"
    command = [locker, "-m", "uv", "pip", "compile", "--quiet", "--resolution", "lowest-direct", "-o", str(oldest)]
    subprocess.run([*command, "--python", python, "pyproject.toml"], cwd=ROOT, check=True)
    subprocess.run([*pip, "--group", "pyproject.toml:dev"], cwd=ROOT, check=True)
    # After the tests' own packages, one of which asks for newer ones than the program does.
    subprocess.run([*pip, "--no-deps", "-r", str(oldest), "--editable", "."], cwd=ROOT, check=True)
    tests = arguments or ["tests", "--ignore=tests/cluster", "--ignore=tests/package"]
    return subprocess.run([python, "-m", "pytest", *tests], cwd=ROOT, check=False).returncode


def lock(_: list[str]) -> int:
    """requirements/release.txt is what `pip install --require-hashes -r` takes; build.txt adds what builds."""
    python = environment("lock")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--group", "pyproject.toml:lock"], cwd=ROOT, check=True)
    command = [python, "-m", "uv", "pip", "compile", "--quiet", "--upgrade", "--universal", "--generate-hashes"]
    command += ["--python-version", "3.11", "--custom-compile-command", "python3 dev.py lock", "pyproject.toml"]
    for name, groups in (("release", []), ("build", ["--group", "build"])):
        subprocess.run([*command, *groups, "-o", f"requirements/{name}.txt"], cwd=ROOT, check=True)
    return 0


def environment(name: str) -> str:
    """The Python of a virtual environment in .dev of its own."""
    folder = HOME / name
    python = folder / BIN.name / PYTHON.name
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1"], check=True)
    return str(python)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
