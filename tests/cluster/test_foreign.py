"""The clusters we do not run ourselves: what is asked of kind, and that the current context is asked for first."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from cluster.foreign import KIND_CONFIG, current_context, kind_cluster
from cluster.local.processes import ClusterError

KIND = """#!{python}
import json, sys
arguments = sys.argv[1:]
open({calls!r}, "a").write(json.dumps(arguments) + "\\n")
if {fail!r} in arguments:
    sys.exit("no container engine")
if "create" in arguments:
    open(arguments[arguments.index("--kubeconfig") + 1], "w").write({kubeconfig!r})
"""


def kubeconfig(context: str = "kind-dscov") -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        }
    )


def false_kind(folder: Path, monkeypatch: pytest.MonkeyPatch, fail: str = "-") -> Path:
    calls, kind = folder / "calls", folder / "kind"
    kind.write_text(KIND.format(python=sys.executable, calls=str(calls), fail=fail, kubeconfig=kubeconfig()))
    kind.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return calls


def called(calls: Path) -> list[list[str]]:
    return [json.loads(line) for line in calls.read_text().splitlines()]


def test_kind_is_created_and_deleted_under_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = false_kind(tmp_path, monkeypatch)
    with kind_cluster(tmp_path) as cluster:
        assert (cluster.mode, cluster.plane) == ("kind", None)
        assert cluster.kubectl("config", "current-context").stdout == "kind-dscov\n"
    create, delete = called(calls)
    name = create[3]
    own = ["--name", name, "--kubeconfig", str(tmp_path / "kind.kubeconfig")]
    assert create == ["create", "cluster", *own, "--config", str(KIND_CONFIG), "--wait", "180s"]
    assert delete == ["delete", "cluster", *own]
    assert name.startswith("dscov-")


def test_kind_is_deleted_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = false_kind(tmp_path, monkeypatch)
    with pytest.raises(ZeroDivisionError), kind_cluster(tmp_path):
        _ = 1 / 0
    assert [call[0] for call in called(calls)] == ["create", "delete"]


def test_a_failed_creation_says_why_and_is_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = false_kind(tmp_path, monkeypatch, fail="create")
    with pytest.raises(ClusterError, match=r"(?s)kind create cluster failed with code 1.*no container engine"):
        kind_cluster(tmp_path).__enter__()
    assert [call[0] for call in called(calls)] == ["create", "delete"]


def test_without_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="needs the `kind` program"):
        kind_cluster(tmp_path).__enter__()


def test_the_kind_config_has_one_control_plane_and_three_workers() -> None:
    config: dict[str, Any] = YAML(typ="safe").load(KIND_CONFIG.read_text())
    assert (config["kind"], config["apiVersion"]) == ("Cluster", "kind.x-k8s.io/v1alpha4")
    assert [entry["role"] for entry in config["nodes"]] == ["control-plane", "worker", "worker", "worker"]
    assert {key for entry in config["nodes"] for key in entry} <= {"role", "labels"}


@pytest.fixture
def someones_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "someones"
    path.write_text(kubeconfig("production"))
    monkeypatch.setenv("KUBECONFIG", str(path))
    return path


class Terminal:
    """A standard input that is a terminal and says one thing."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self._answer


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "no\n", "yesterday\n"])
def test_the_current_context_needs_a_yes(
    tmp_path: Path, someones_context: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    with pytest.raises(ClusterError, match="not allowed to use 'production'"):
        current_context(tmp_path, yes=False).__enter__()


def test_nobody_at_the_terminal_is_a_no(
    tmp_path: Path, someones_context: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(ClusterError, match="give --cluster-yes"):
        current_context(tmp_path, yes=False).__enter__()


@pytest.mark.parametrize(("yes", "answer"), [(True, ""), (False, "y\n"), (False, "YES\n")])
def test_a_yes_holds_for_the_context_of_that_moment(
    tmp_path: Path,
    someones_context: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    yes: bool,
    answer: str,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    with current_context(tmp_path, yes=yes) as cluster:
        someones_context.write_text(kubeconfig("another"))
        assert cluster.kubectl("config", "current-context").stdout == "production\n"
    asked = capsys.readouterr().err
    assert ("in context 'production' (https://127.0.0.1:1)? [y/N]" in asked) == (not yes)


def test_pytest_without_the_flag_says_in_one_line_how(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            str(Path(__file__).with_name("test_smoke.py")),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    lines = [line for line in done.stdout.splitlines() if "--cluster" in line]
    assert len(lines) == 1
    assert "cluster tests skipped: run them with `pytest tests/cluster --cluster local`" in lines[0]
    assert done.returncode == 0


def test_refused_permission_ends_the_run(tmp_path: Path, someones_context: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--cluster",
            "kubeconfig",
            str(Path(__file__).with_name("test_smoke.py")),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "not allowed to use 'production'" in done.stdout
    assert done.returncode == 4
