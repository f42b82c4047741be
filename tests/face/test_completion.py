"""`kubectl dscov completion`: the program that kubectl asks is put on the PATH and taken away again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kubectl_dscov.cli import run
from kubectl_dscov.commands.completion import PROGRAM, SCRIPTS


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH with a plugin in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "kubectl-dscov").write_text('#!/bin/sh\necho "asked: $*"\n')
    (folder / "kubectl-dscov").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_install_puts_it_beside_the_plugin_and_uninstall_takes_it_away(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", "install"]) == 0
    assert capsys.readouterr().err == f"wrote {path / PROGRAM}\n"
    done = subprocess.run([path / PROGRAM, "diagnose", "a b"], capture_output=True, text=True)
    assert done.stdout == "asked: __complete diagnose a b\n"
    assert run(["completion", "install"]) == 0
    assert "is there already" in capsys.readouterr().err
    assert run(["completion", "uninstall"]) == 0
    assert sorted(file.name for file in path.iterdir()) == ["kubectl-dscov"]


def test_what_somebody_else_made_stays(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path / PROGRAM).write_text("#!/bin/sh\n")
    assert run(["completion", "install", "--path", str(path)]) == 4
    assert run(["completion", "uninstall"]) == 0
    assert (path / PROGRAM).read_text() == "#!/bin/sh\n"


def test_a_folder_that_is_not_on_the_path_is_told(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", "install", "--path", str(tmp_path)]) == 0
    assert "is not on the PATH" in capsys.readouterr().err


def test_without_a_plugin_on_the_path_there_is_no_place(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path / "kubectl-dscov").unlink()
    assert run(["completion", "install"]) == 2
    assert run(["completion", "install", "--path", str(path / "none")]) == 4
    assert "Choose a folder" in capsys.readouterr().err


def test_uninstall_forgets_the_names(path: Path, tmp_path: Path) -> None:
    names = tmp_path / "cache" / "kubectl-dscov" / "names"
    names.mkdir(parents=True)
    (names / "x").write_text("whole")
    assert run(["completion", "uninstall"]) == 0
    assert not names.exists()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_loads_the_completion_of_kubectl(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"kubectl completion {shell}" in capsys.readouterr().out
