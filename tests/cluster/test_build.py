"""Programs are built once, whole or not at all, by one run at a time; a false `go` stands for the compiler."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.local import build
from cluster.local.processes import ClusterError

GO = """#!{python}
import os, sys, time
if sys.argv[1] == "env":
    print("linux\\namd64")
elif sys.argv[1] == "build":
    open({calls!r}, "a").write(sys.argv[-1] + "\\n")
    print("some/package", file=sys.stderr, flush=True)
    out = sys.argv[sys.argv.index("-o") + 1]
    open(out, "w").write("half")
    time.sleep({sleep})
    open(out, "w").write("whole")
    sys.exit({code})
"""


@pytest.fixture
def false_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts a `go` on the PATH that writes its program slowly; returns the file that counts its builds."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def make(*, sleep: float = 0, code: int = 0) -> Path:
        calls = tmp_path / "calls"
        go = tmp_path / "go"
        go.write_text(GO.format(python=sys.executable, calls=str(calls), sleep=sleep, code=code))
        go.chmod(0o755)
        return calls

    return make


def test_built_once(false_go: Callable[..., Path]) -> None:
    calls, report = false_go(), io.StringIO()
    build.ensure_built((build.ETCD, build.KWOK), report=report)
    assert build.ETCD.path.read_text() == build.KWOK.path.read_text() == "whole"
    assert "building etcd v3." in report.getvalue()
    again = io.StringIO()
    build.ensure_built((build.ETCD, build.KWOK), report=again)
    assert again.getvalue() == ""
    assert calls.read_text().splitlines() == [build.ETCD.package, build.KWOK.package]


def test_a_failed_build_says_what_the_compiler_said(false_go: Callable[..., Path]) -> None:
    false_go(code=3)
    with pytest.raises(ClusterError, match=r"(?s)go build of etcd failed with code 3.*some/package"):
        build.ensure_built((build.ETCD,), report=io.StringIO())
    assert not build.ETCD.path.exists()


def started_build(calls: Path) -> subprocess.Popen[bytes]:
    code = "from cluster.local import build; build.ensure_built((build.ETCD,))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while not calls.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_build_killed_halfway_leaves_nothing_that_counts(false_go: Callable[..., Path], how: signal.Signals) -> None:
    process = started_build(false_go(sleep=30))
    process.send_signal(how)
    process.wait(20)
    assert not build.ETCD.path.exists()
    false_go()
    build.ensure_built((build.ETCD,), report=io.StringIO())
    assert build.ETCD.path.read_text() == "whole"


def test_two_runs_at_once_build_once(false_go: Callable[..., Path]) -> None:
    calls = false_go(sleep=1)
    process, report = started_build(calls), io.StringIO()
    build.ensure_built((build.ETCD,), report=report)
    assert process.wait(20) == 0
    assert len(calls.read_text().splitlines()) == 1
    assert "waiting for another run" in report.getvalue()


def test_without_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ClusterError, match="no `go` on the PATH"):
        build.ensure_built((build.ETCD,), report=io.StringIO())


def test_every_pin_is_exact(false_go: Callable[..., Path]) -> None:
    false_go()
    versions = {program.name: program.version for program in (*build.CONTROL_PLANE, build.KREW)}
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+", version) for version in versions.values()), versions
    assert len({versions[name] for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")}) == 1
    assert f"gitVersion={build.API_SERVER.version} " in build.API_SERVER.link_flags
    for program in (*build.CONTROL_PLANE, build.KREW):
        assert f"{program.module} {program.version} h1:" in (build.MODULES / program.folder / "go.sum").read_text()


def test_another_pin_is_another_folder(
    tmp_path: Path, false_go: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    false_go()
    before = build.ETCD.key
    for name in ("go.mod", "go.sum"):
        (tmp_path / "etcd").mkdir(exist_ok=True)
        (tmp_path / "etcd" / name).write_text((build.MODULES / "etcd" / name).read_text() + "\n")
    monkeypatch.setattr(build, "MODULES", tmp_path)
    assert build.ETCD.key != before
