"""Diffs in a git work tree, applied by the real git, at the top and in folders below it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from dscov.model.edits import TextEdit
from dscov.patches.diff import for_git, unified, work_tree

OLD, NEW = b"a\nb\nc\n", b"a\nB\nc\n"
APPLY = ["git", "apply", "--whitespace=nowarn"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A work tree with one file, app/ds.yaml, and folders app/deep and other."""
    top = tmp_path / "tree"
    for folder in ("app/deep", "other"):
        (top / folder).mkdir(parents=True)
    (top / "app" / "ds.yaml").write_bytes(OLD)
    subprocess.run(["git", "init", "--quiet", str(top)], check=True)
    return top


def apply(patch: bytes, folder: Path, command: list[str] = APPLY) -> bool:
    """Whether the command took the patch; what it did is seen in the files."""
    return subprocess.run(command, input=patch, cwd=folder, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("made_in", "named", "applied_in"),
    [
        (".", "app/ds.yaml", "."),
        (".", "app/ds.yaml", "app"),
        ("app", "ds.yaml", "."),
        ("app", "ds.yaml", "app"),
        ("app/deep", "../ds.yaml", "."),
        ("other", "../app/ds.yaml", "."),
        ("..", "tree/app/ds.yaml", "."),
    ],
)
def test_git_takes_it(made_in: str, named: str, applied_in: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / made_in)
    patch = for_git(TextEdit(named, OLD, NEW))
    assert apply(patch, tree / applied_in)
    assert (tree / "app" / "ds.yaml").read_bytes() == NEW
    assert apply(patch, tree / applied_in, [*APPLY, "-R"])
    assert (tree / "app" / "ds.yaml").read_bytes() == OLD


@pytest.mark.parametrize(("made_in", "named"), [("app/deep", "../ds.yaml"), ("other", "../app/ds.yaml")])
def test_of_a_file_elsewhere_it_fails_loudly_where_it_was_made(
    made_in: str, named: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a `diff --git` line git would do nothing there and call it a success."""
    monkeypatch.chdir(tree / made_in)
    assert not apply(for_git(TextEdit(named, OLD, NEW)), tree / made_in)


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@pytest.mark.parametrize(("made_in", "named"), [(".", "app/ds.yaml"), ("other", "../app/ds.yaml")])
def test_patch_takes_it_at_the_top(made_in: str, named: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / made_in)
    assert apply(for_git(TextEdit(named, OLD, NEW)), tree, ["patch", "-p1"])
    assert (tree / "app" / "ds.yaml").read_bytes() == NEW


@pytest.mark.parametrize("name", ["new.yaml", "a new one.yaml", 'ä "quoted".yaml'])
@pytest.mark.parametrize("made_in", ["app", "other"])
def test_files_that_are_new_and_odd_names(made_in: str, name: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / made_in)
    new = for_git(TextEdit(f"../app/{name}", None, OLD))
    assert apply(new, tree)
    assert (tree / "app" / name).read_bytes() == OLD
    assert apply(for_git(TextEdit(f"../app/{name}", OLD, NEW)), tree)
    assert (tree / "app" / name).read_bytes() == NEW


def test_a_link_is_followed_as_it_is_when_written(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    (tree / "link.yaml").symlink_to("app/ds.yaml")
    assert apply(for_git(TextEdit("link.yaml", OLD, NEW)), tree)
    assert (tree / "app" / "ds.yaml").read_bytes() == NEW


def test_a_linked_work_tree_has_a_file_for_its_folder(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "app" / ".git").write_text("gitdir: ../.git/modules/app\n")
    monkeypatch.chdir(tree)
    assert work_tree(tree / "app" / "ds.yaml") == (tree / "app").resolve()
    assert b"+++ b/ds.yaml\n" in for_git(TextEdit("app/ds.yaml", OLD, NEW))


def test_without_a_work_tree_it_is_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    edit = TextEdit("ds.yaml", OLD, NEW)
    assert for_git(edit) == unified(edit) != b""
    assert for_git(TextEdit("ds.yaml", OLD, OLD)) == b""
