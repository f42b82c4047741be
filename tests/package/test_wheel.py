"""Wheel and sdist: built, looked into, and installed in a clean environment as pip does it.

They need hatchling, which comes with the `build` dependencies, and a package index; so they are skipped without either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SHOP = str(ROOT / "examples" / "shop")
pytest.importorskip("hatchling", reason="hatchling is not installed: it comes with the group `build`")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    for kind in ("wheel", "sdist"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def test_the_wheel_holds_the_program_and_nothing_else(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        names = wheel.namelist()
        scripts = next(wheel.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"dscov", "kubectl_dscov"}
    assert "kubectl_dscov/report.schema.json" in names
    assert "dscov/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {line.partition(" =")[0] for line in scripts.splitlines()[1:]} == {"kubectl-dscov", "kubectl_complete-dscov"}


def test_the_sdist_holds_what_the_tests_need(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = {"README.md", "LICENSE", "plugin.yaml", "dev.py", "tools/generate_docs.py", "deploy/rbac-read.yaml"}
    assert wanted | {"requirements/release.txt", "tests/package/test_wheel.py"} <= names
    assert not [name for name in names if name.startswith(("dist/", ".dev/", ".git/"))]


def pip(python: Path, *arguments: str | Path) -> None:
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("which", [0, 1], ids=["wheel", "sdist"])
def test_it_runs_from_a_clean_environment(built: tuple[Path, Path], which: int, tmp_path: Path) -> None:
    """The locked requirements are enough: the package itself is installed without looking for any other."""
    venv.create(tmp_path / "venv", with_pip=True)
    folder = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip(folder / "python", "--require-hashes", "-r", ROOT / "requirements" / "release.txt")
    pip(folder / "python", "--no-deps", built[which])
    environment = {"PATH": f"{folder}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path)}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert run(str(folder / "kubectl-dscov"), "--version").stdout.startswith("kubectl dscov v")
    assert run(str(folder / "kubectl-dscov"), "diagnose", "-A", "--from", SHOP).returncode == 1
    assert run(str(folder / "kubectl_complete-dscov"), "explain", "untol").stdout == "untolerated-taint\n:4\n"
