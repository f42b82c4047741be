"""The local control plane starts as pinned, answers, loses and regains its parts, and leaves nothing behind."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.api import ApiRefused, wait_until
from cluster.handle import Cluster
from cluster.local import build
from cluster.local.plane import API, ETCD, MANAGER, SCHEDULER, Settings
from cluster.local.processes import ClusterError
from cluster.objects import daemonset, namespace, node
from cluster.test_processes import alive, gone

HANG = """
import time
def test_hang(cluster):
    print(f"folder={cluster.folder}", flush=True)
    time.sleep(120)
"""


def test_the_version_is_the_pinned_one(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster()
    assert cluster.api.request("GET", "/version")["gitVersion"] == build.API_SERVER.version
    assert cluster.plane is not None
    for name in cluster.plane.processes:
        assert cluster.plane.ready(name), name
    for name in (MANAGER, SCHEDULER):
        metrics = cluster.plane.get(name, "/metrics")
        assert metrics is None or f'git_version="{build.API_SERVER.version}"'.encode() in metrics


def test_programs_are_not_built_again(new_cluster: Callable[..., Cluster]) -> None:
    before = {program.name: program.path.stat().st_mtime_ns for program in build.CONTROL_PLANE}
    report = io.StringIO()
    build.ensure_built(report=report)
    assert report.getvalue() == ""
    assert {program.name: program.path.stat().st_mtime_ns for program in build.CONTROL_PLANE} == before


def test_a_stopped_controller_manager_makes_no_pods(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster()
    assert cluster.plane is not None
    space = cluster.make_namespace()
    cluster.api.create(node("alone"))
    cluster.plane.stop(MANAGER)
    cluster.api.create(daemonset("agent", space))
    assert not cluster.plane.ready(MANAGER)
    assert not cluster.api.list("Pod", space)
    cluster.plane.start(MANAGER)
    wait_until(lambda: len(cluster.api.list("Pod", space)) == 1, 60, "a pod")


def test_a_stopped_scheduler_binds_no_pods(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster()
    assert cluster.plane is not None
    space = cluster.make_namespace()
    cluster.plane.stop(SCHEDULER)
    cluster.api.create(node("alone"))
    cluster.api.create(daemonset("agent", space))
    wait_until(lambda: len(cluster.api.list("Pod", space)) == 1, 60, "a pod")
    assert "nodeName" not in cluster.api.list("Pod", space)[0]["spec"]
    cluster.plane.start(SCHEDULER)
    wait_until(lambda: "nodeName" in cluster.api.list("Pod", space)[0]["spec"], 60, "a binding")


def test_a_killed_api_server_comes_back_with_its_data(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster(Settings(components=(ETCD, API)))
    assert cluster.plane is not None
    cluster.api.create(namespace("kept"))
    cluster.plane.kill(API)
    assert cluster.kubectl("get", "namespaces", check=False).returncode != 0
    cluster.plane.start(API)
    assert cluster.exists("Namespace", "kept")


def test_admission_plugins_and_gates(new_cluster: Callable[..., Cluster]) -> None:
    gates = "TaintTolerationComparisonOperators=true"
    cluster = new_cluster(Settings(admission_plugins=("PodNodeSelector",), feature_gates=gates))
    cluster.api.create(
        namespace("pinned")
        | {"metadata": {"name": "pinned", "annotations": {"scheduler.alpha.kubernetes.io/node-selector": "pool=a"}}}
    )
    wait_until(lambda: cluster.exists("ServiceAccount", "default", "pinned"), 60, "an account")
    more = {"tolerations": [{"key": "rank", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]}
    cluster.api.create(daemonset("agent", "pinned", pod=more))
    cluster.api.create(node("alone", taints=[{"key": "rank", "value": "7", "effect": "NoSchedule"}]))
    wait_until(lambda: len(cluster.api.list("Pod", "pinned")) == 1, 60, "a pod")
    assert cluster.api.list("Pod", "pinned")[0]["spec"]["nodeSelector"] == {"pool": "a"}


def test_users(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster(Settings(components=(ETCD, API, MANAGER)))
    assert cluster.plane is not None

    def answer(kubeconfig: Path) -> str:
        return cluster.kubectl("--kubeconfig", str(kubeconfig), "get", "nodes", check=False).stderr

    assert 'User "jane" cannot list' in answer(cluster.plane.user_by_certificate("jane", ("developers",)))
    assert "No resources found" in answer(cluster.plane.user_by_certificate("root", ("system:masters",)))
    assert "No resources found" in answer(
        cluster.user([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}])
    )
    assert "Unauthorized" in answer(cluster.expired_user())
    assert "forbidden" in answer(cluster.expired_user(seconds=600))


def test_a_wrong_flag_is_an_error_with_the_log(new_cluster: Callable[..., Cluster]) -> None:
    with pytest.raises(ClusterError, match=r"(?s)kube-apiserver ended with code 1 before it was ready.*no-such-flag"):
        new_cluster(Settings(extra={API: ("--no-such-flag",)}))


def test_a_refusal_is_returned_with_its_reason(new_cluster: Callable[..., Cluster]) -> None:
    cluster = new_cluster(Settings(components=(ETCD, API)))
    refused = cluster.api.create_all([namespace("fine"), namespace("Not Fine"), namespace("fine")])
    assert sorted(item.status for item in refused) == [409, 422]
    with pytest.raises(ApiRefused, match='404: namespaces "absent" not found'):
        cluster.api.get("Namespace", "absent")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_pytest_leaves_nothing(
    tmp_path: Path, how: signal.Signals, new_cluster: Callable[..., Cluster]
) -> None:
    (tmp_path / "test_hang.py").write_text(HANG)
    command = [sys.executable, "-m", "pytest", "-s", "-p", "cluster.conftest", "--cluster", "local", "test_hang.py"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout is not None
        folder = next(line.split("folder=")[1].strip() for line in process.stdout if "folder=" in line)
        assert len(alive(folder)) >= 5
        process.send_signal(how)
        process.stdout.read()
    assert gone(folder)
    new_cluster(Settings(components=(ETCD,)))
    assert not Path(folder).exists(), "a later run removes what the killed one left"
