"""Rules of the house that a reader can break without noticing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dscov

ROOT = Path(__file__).parent.parent.parent
FACE = sorted((ROOT / "kubectl_dscov").rglob("*.py"))
SOURCES = sorted((ROOT / "src").rglob("*.py")) + FACE
CAUSES = ROOT / "src" / "dscov" / "causes"


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", FACE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_face_enters_by_the_front_door(path: Path) -> None:
    inner = {name for name in imported(path) if name.startswith("dscov.")}
    assert inner <= {"dscov.errors"}


@pytest.mark.parametrize(
    ("package", "homes"),
    [
        ("ruamel", "yamltext/"),
        ("deepdiff", "patches/prove.py"),
        ("urllib3", "sources/access/"),
        ("google", "sources/protobuf"),
    ],
)
def test_a_library_is_known_to_one_room(package: str, homes: str) -> None:
    users = {
        str(path.relative_to(ROOT)) for path in SOURCES for name in imported(path) if name.split(".")[0] == package
    }
    assert users
    assert {user for user in users if homes not in user} == set()


@pytest.mark.parametrize("cause", dscov.registry(), ids=lambda cause: cause.slug)
def test_a_cause_is_complete(cause: dscov.Cause) -> None:
    name = cause.slug.replace("-", "_")
    assert (CAUSES / f"{name}.py").exists()
    assert dscov.page(cause).strip()
    assert cause.title
    assert cause.says
    assert cause.find or cause.survey
    assert (ROOT / "tests" / "engine" / "causes" / f"test_{name}.py").exists()


def test_codes_and_slugs_are_unique() -> None:
    causes = dscov.registry()
    assert len({cause.code for cause in causes}) == len({cause.slug for cause in causes}) == len(causes)


def test_causes_do_not_know_each_other() -> None:
    for path in CAUSES.glob("*.py"):
        if path.name != "__init__.py":
            assert not any(name.startswith("dscov.causes") for name in imported(path)), path.name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") < 310
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 50, node.name


def test_generated_files_are_what_the_program_makes() -> None:
    done = subprocess.run(
        [sys.executable, "tools/generate_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
