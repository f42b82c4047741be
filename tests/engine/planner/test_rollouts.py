"""Rollouts that stand still are planned for, though no node has a gap by them."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import (
    EVERYTHING,
    NOW,
    ago,
    crashing,
    daemonset,
    lost_node,
    node,
    pod,
    revision,
    rolling,
    snapshot,
    terminating,
)

from dscov.model.proposals import Proposal
from dscov.planner import propose

Json = dict[str, Any]

HOST = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
SURGE = daemonset(container=HOST, strategy=rolling(0, 1))
DS = daemonset(spec=EVERYTHING)


def proposals(ds: Json, *objects: Json, **more: Any) -> tuple[Proposal, ...]:
    return propose(snapshot(ds, revision(ds), revision(ds, 1), *objects), now=NOW, **more)[1]


def beside_old_ones() -> list[Json]:
    """A new pod that waits for the port of the old one, which serves the node."""
    return [node("n1"), pod(SURGE, "n1", revision="h1"), pod(SURGE, "n1", bound=False, suffix="-b")]


def dead(since: str) -> list[Json]:
    """A dead node whose pod is going since then, and old pods on two others."""
    gone = terminating(pod(DS, "n1", revision="h1", ready=False), since=since)
    return [lost_node("n1"), node("n2"), node("n3"), gone, *(pod(DS, name, revision="h1") for name in ("n2", "n3"))]


def test_a_surge_that_waits_for_its_own_port() -> None:
    (found,) = proposals(SURGE, *beside_old_ones())
    (option,) = found.options
    assert option.summary.startswith("update without surge: maxSurge 0, maxUnavailable 1 (")
    assert (found.targets, found.left, option.effect.gains, option.effect.loses) == ((), (), (), ())


@pytest.mark.parametrize("since", [ago(0.5), ago(hours=5)], ids=["no gap yet", "a gap"])
def test_a_budget_that_a_dead_node_uses_up(since: str) -> None:
    (found,) = proposals(DS, *dead(since))
    (option,) = found.options
    assert option.summary == "raise maxUnavailable to 2, or take the dead nodes away"
    assert found.targets == ()


def test_pods_that_do_not_get_available_are_no_matter_of_the_budget() -> None:
    young = pod(DS, "n1", crashing())
    (found,) = proposals(DS, node("n1"), node("n2"), young, pod(DS, "n2", revision="h1"))
    assert found.options == ()
    assert "rollout-blocked" in {left.cause for left in found.left}


@pytest.mark.parametrize(
    ("causes", "planned"), [(("surge-host-port",), True), (("untolerated-taint",), False)], ids=str
)
def test_only_what_is_asked_for(causes: tuple[str, ...], planned: bool) -> None:
    found = proposals(SURGE, *beside_old_ones(), targets=lambda _ds, _node, told: bool(set(causes) & set(told)))
    assert bool(found) is planned


def test_not_for_single_nodes_that_were_named() -> None:
    assert proposals(SURGE, *beside_old_ones(), targets=lambda _ds, on, _told: on == "n1") == ()
