"""A daemon that is awaited, and the moment at which a saved cluster is judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance.command import run

CLUSTER = """apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {{name: n1, creationTimestamp: "2026-01-01T00:00:00Z"}}
  spec: {{taints: [{{key: dedicated, value: gpu, effect: NoSchedule}}]}}
  status: {{conditions: [{{type: Ready, status: "True"{heartbeat}}}]}}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {{name: agent, namespace: a, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}}
  spec:
    selector: {{matchLabels: {{app: agent}}}}
    template:
      metadata: {{labels: {{app: agent}}}}
      spec: {{containers: [{{name: c, image: x}}]}}
- {{apiVersion: v1, kind: PodList, items: []}}
"""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "cluster.yaml"


def test_a_node_is_judged_at_its_newest_sign_of_life(saved: Path) -> None:
    """Its creation alone would make it one that has just joined."""
    saved.write_text(CLUSTER.format(heartbeat=""))
    assert run(["diagnose", "-A", "--from", str(saved)]).code == 0
    saved.write_text(CLUSTER.format(heartbeat=', lastHeartbeatTime: "2026-05-01T00:00:00Z"'))
    assert run(["diagnose", "-A", "--from", str(saved)]).code == 1


def test_a_daemon_without_a_pod_is_not_told_to_be_there(saved: Path) -> None:
    saved.write_text(CLUSTER.format(heartbeat=""))
    told = run(["diagnose", "node/n1", "-A", "--from", str(saved)]).stdout
    assert "awaited, no pod yet: a/agent" in told
    assert "there:" not in told


def test_a_node_is_named_once() -> None:
    """Also where several things speak of it."""
    report = run(["diagnose", "-A", "--from", "examples/shop", "--expect", "foo=bar", "-o", "json"]).report
    named = [finding["nodes"] for one in report["daemonsets"] for finding in one["findings"]]
    assert named
    assert all(len(nodes) == len(set(nodes)) for nodes in named)


def test_a_kind_alone_is_no_name() -> None:
    answer = run(["diagnose", "daemonset", "log-agent", "--from", "examples/shop"])
    assert (answer.code, "write daemonset/NAME" in answer.stderr) == (2, True)
