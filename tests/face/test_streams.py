"""What was done counts, whoever listens: exit codes where standard error is full or nobody reads it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

MANIFEST = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: logging}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: a, image: i}]
"""
ADD = ["--add-toleration", "x=y:NoSchedule"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.yaml"
    path.write_text(MANIFEST)
    return path


def unheard(*words: str, full: bool) -> int:
    """The exit code where standard error is a full disk, or a pipe that nobody reads."""
    command = [sys.executable, "-m", "kubectl_dscov", *words]
    if full:
        with Path("/dev/full").open("w") as sink:
            return subprocess.run(command, stderr=sink, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL).returncode
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stderr=writer, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(writer)
    return done.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("full", [True, False])
def test_exit_codes_need_no_listener(file: Path, full: bool) -> None:
    assert unheard("nosuch", full=full) == 2
    assert unheard("diagnose", "--from", str(file.parent / "nosuch.json"), full=full) == 2
    assert unheard("fix", "-f", str(file), *ADD, full=full) == 4
    assert file.read_text() == MANIFEST
    assert unheard("fix", "-f", str(file), *ADD, "--yes", full=full) == 0
    assert "key: x" in file.read_text()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a current folder cannot be deleted")
def test_the_current_folder_has_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = shlex.join([sys.executable, "-m", "kubectl_dscov", "undo", "-f", "a.yaml"])
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))}
    done = subprocess.run(
        ["sh", "-c", f"rmdir ../gone; {words}"], cwd=gone, env={**os.environ, **paths}, capture_output=True
    )
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr == b"error: the current folder has been deleted: change to one that is there\n"
