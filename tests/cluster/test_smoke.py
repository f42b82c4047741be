"""The cluster does what a cluster does: a DaemonSet gets pods where it may, and none where it may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from cluster import play
from cluster.api import Object, wait_until
from cluster.handle import Cluster
from cluster.objects import daemonset, node, taint
from cluster.settle import settle


def pods_by_node(cluster: Cluster, namespace: str) -> dict[str, Object]:
    return {pod["spec"].get("nodeName", ""): pod for pod in cluster.api.list("Pod", namespace)}


def test_a_tainted_node_gets_no_pod(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> None:
    fake_nodes(node("smoke-plain"), node("smoke-tainted", taints=[taint("dedicated", "NoSchedule", "x")]))
    cluster.api.create(daemonset("agent", namespace))
    state = settle(cluster.api)
    assert list(pods_by_node(cluster, namespace)) == ["smoke-plain"]
    status = next(item["status"] for item in state.daemonsets if item["metadata"]["namespace"] == namespace)
    assert (status["desiredNumberScheduled"], status["numberReady"], status["numberMisscheduled"]) == (1, 1, 0)


def test_settling_waits_for_a_taint_that_came_later(
    cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]
) -> None:
    """Nothing wakes the controller for it: without the touch the counters would stay as they were."""
    fake_nodes(node("smoke-late"))
    cluster.api.create(daemonset("agent", namespace))
    settle(cluster.api)
    late = {"kind": "Node", "metadata": {"name": "smoke-late"}}
    cluster.api.patch(late, {"spec": {"taints": [taint("dedicated", "NoSchedule", "x")]}})
    state = settle(cluster.api)
    status = next(item["status"] for item in state.daemonsets if item["metadata"]["namespace"] == namespace)
    assert (status["desiredNumberScheduled"], status["numberMisscheduled"]) == (0, 1)


def test_a_played_kubelet(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> None:
    fake_nodes(*(node(f"smoke-{name}", fake=False) for name in ("crash", "ready", "lost")))
    play.set_conditions(cluster.api, "smoke-lost", Ready="Unknown")
    play.renew_lease(cluster.api, "smoke-ready")
    cluster.api.create(daemonset("agent", namespace, pod={"tolerations": [{"operator": "Exists"}]}))
    settle(cluster.api)
    pods = pods_by_node(cluster, namespace)
    play.write(cluster.api, pods["smoke-crash"], play.crash_loop(pods["smoke-crash"]))
    play.write(cluster.api, pods["smoke-ready"], play.ready(pods["smoke-ready"]))
    state = settle(cluster.api)
    lost = next(item for item in state.nodes if item["metadata"]["name"] == "smoke-lost")
    assert {item["key"] for item in lost["spec"]["taints"]} == {"node.kubernetes.io/unreachable"}
    status = next(item["status"] for item in state.daemonsets if item["metadata"]["namespace"] == namespace)
    assert (status["desiredNumberScheduled"], status["numberReady"], status["numberUnavailable"]) == (3, 1, 2)


def test_a_rejected_pod_is_made_anew(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> None:
    fake_nodes(node("smoke-rejects", fake=False))
    cluster.api.create(daemonset("agent", namespace))
    settle(cluster.api)
    first = pods_by_node(cluster, namespace)["smoke-rejects"]
    play.write(cluster.api, first, play.rejected("OutOfcpu"))
    cluster.api.delete(first, now=True)
    wait_until(
        lambda: [pod["metadata"]["uid"] for pod in cluster.api.list("Pod", namespace)] != [first["metadata"]["uid"]],
        60,
        "another pod",
    )


def test_a_dump_is_what_kubectl_saves(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    cluster.api.create(daemonset("agent", namespace))
    saved = json.loads(cluster.dump(tmp_path).read_text())
    assert saved["kind"] == "List"
    assert ("DaemonSet", namespace) in {(item["kind"], item["metadata"].get("namespace")) for item in saved["items"]}
    assert "serverVersion" in json.loads((tmp_path / "version.json").read_text())


def test_a_user_may_only_what_the_rules_say(cluster: Cluster, namespace: str) -> None:
    limited = cluster.user([{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    command = ("--kubeconfig", str(limited), "get", "--namespace", namespace)
    assert cluster.kubectl(*command, "pods", check=False).returncode == 0
    assert "forbidden" in cluster.kubectl(*command, "nodes", check=False).stderr
