"""A promise held against what is there."""

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    around,
    crashing,
    daemonset,
    judged,
    lost_node,
    node,
    pod,
    revision,
    status,
    terminating,
    waiting,
)

from dscov.model.findings import Effect
from dscov.verification import broken, is_through, lost, verify
from kubectl_dscov.render.proposals import promised


def test_kept_and_broken() -> None:
    ds = daemonset(spec={"tolerations": [{"key": "gpu", "operator": "Exists"}]})
    tainted = [node(name, "gpu:NoSchedule") for name in ("g1", "g2", "g3")]
    creating = status(waiting("ContainerCreating"))
    pods = [pod(ds, "g1"), pod(ds, "g2", crashing()), pod(ds, "g3", creating, created="2026-05-12T09:29:30Z")]
    (coverage,) = judged(*around(ds, *tainted, *pods, nodes=("n2",))).coverage
    checks = verify(coverage, targets=("g1", "g2", "gone"), effect=Effect(gains=("g1", "g3")))
    assert [(one.node, one.met, one.state) for one in checks] == [
        ("g1", True, "covered"),
        ("g2", False, "unhealthy"),
        ("g3", False, "starting"),
    ]
    assert [one.node for one in broken(checks)] == ["g2", "g3"]
    assert checks[1].causes == ("crash-loop",)


def test_a_node_that_is_to_be_left() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}})
    (coverage,) = judged(*around(ds, node("n1", labels={"disk": "ssd"}), pod(ds, "n1"), well=("n2",))).coverage
    checks = verify(coverage, targets=("n1",), effect=Effect(loses=("n2",)))
    assert [(one.node, one.met) for one in checks] == [("n1", True), ("n2", False)]


ALL = daemonset(spec=EVERYTHING)
NEW, OLD = pod(ALL, "n1"), pod(ALL, "n1", revision="h1")


@pytest.mark.parametrize(
    ("objects", "through"),
    [
        pytest.param([node("n1"), NEW], True, id="new and ready"),
        pytest.param([node("n1"), OLD], False, id="old"),
        pytest.param([node("n1"), pod(ALL, "n1", crashing())], False, id="new and not ready"),
        pytest.param([node("n1")], False, id="none"),
        pytest.param([node("n1"), terminating(pod(ALL, "n1", revision="h1"))], False, id="going"),
        pytest.param([lost_node("n1"), terminating(pod(ALL, "n1", revision="h1"))], True, id="going on a dead node"),
        pytest.param([lost_node("n1"), pod(ALL, "n1", revision="h1", ready=False)], True, id="old on a dead node"),
    ],
)
def test_a_rollout_is_through(objects: list[dict[str, Any]], through: bool) -> None:
    (coverage,) = judged(ALL, revision(ALL), revision(ALL, 1), node("n2"), pod(ALL, "n2"), *objects).coverage
    assert is_through(coverage) is through


def test_nodes_that_it_is_not_for_do_not_hold_a_rollout_up() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}})
    (coverage,) = judged(ds, revision(ds), node("n1"), node("n2", labels={"disk": "ssd"}), pod(ds, "n2")).coverage
    assert is_through(coverage)


def test_nodes_that_were_not_waited_for_are_named() -> None:
    dead = lost_node("n1"), pod(ALL, "n1", revision="h1", ready=False)
    (coverage,) = judged(ALL, revision(ALL), revision(ALL, 1), node("n2"), pod(ALL, "n2"), *dead).coverage
    assert lost(coverage) == ("n1",)
    assert list(promised((), "agent", lost(coverage))) == [
        "verified agent",
        "agent: not waited for, since they do not report: n1",
    ]
    assert list(promised((), "agent", [f"n{number}" for number in range(99)]))[1].endswith(" more")
