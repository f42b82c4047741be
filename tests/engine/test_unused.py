"""Entries of a policy that do nothing are told, and only those."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from engine.build import NOW, ago, daemonset, node, pod, revision, snapshot

from dscov.causes import registry
from dscov.diagnosis import diagnose
from dscov.model.cluster import NotSeen, Snapshot
from dscov.model.findings import UNUSED
from dscov.model.policy import Settings
from dscov.policy import parse_policy

AGENT = daemonset("agent", namespace="logging")
OTHER = daemonset("other", namespace="logging")
CLUSTER = (
    node("gpu-1", "gpu=yes:NoSchedule", labels={"pool": "gpu"}),
    node("db-1", "db=yes:NoSchedule", labels={"pool": "db"}),
    node("n-1", labels={"pool": "plain"}),
    AGENT,
    revision(AGENT),
    pod(AGENT, "n-1"),
)
RULE = "daemonsets:\n- name: logging/agent\n"


def said(text: str, objects: Any = CLUSTER, **more: Any) -> list[tuple[str, str, str]]:
    """(kind, about, near) of each entry that does nothing."""
    read = objects if isinstance(objects, Snapshot) else snapshot(*objects)
    policy = parse_policy(text, path="dscov.yaml", causes={cause.slug for cause in registry()})
    found = diagnose(read, now=NOW, settings=Settings(policy=policy), **more)
    assert {one.kind for one in found.unused} <= set(UNUSED)
    return [(one.kind, one.about, one.near) for one in found.unused]


def accepting(entry: str) -> str:
    return f"{RULE}  accept:\n  - {{{entry}, reason: r}}\n"


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("daemonsets:\n- name: logging/agnet\n  expect: all\n", ("daemonset", "logging/agnet", "logging/agent")),
        ("daemonsets:\n- name: fluentd\n  expect: all\n", ("daemonset", "fluentd", "")),
        ("daemonsets:\n- selector: tier=x\n  expect: all\n", ("daemonset", "tier=x", "")),
        (f"{RULE}  expect: pool=gpus\n", ("expect", "pool=gpus", "")),
        ("virtualPools:\n- nodes: type=edge\n", ("pool", "type=edge", "")),
        (accepting("nodes: pool=none"), ("nodes", "pool=none", "")),
        (accepting("nodes: gpu-1"), ("nodes", "gpu-1", "names: [gpu-1]")),
        (accepting("names: [gpu-1, gpu-9]"), ("name", "gpu-9", "gpu-1")),
        (accepting("names: ['spot-*']"), ("name", "spot-*", "")),
        (accepting("taint: gpuu"), ("taint", "gpuu", "gpu")),
        (accepting("nodes: pool=db, taint: gpu"), ("taint", "gpu", "")),
        (accepting("taint: 'gpu=no'"), ("taint", "gpu=no", "")),
        (accepting("nodes: pool=gpu, cause: quota"), ("cause", "quota", "untolerated-taint")),
        (accepting("nodes: pool=plain"), ("gap", "", "")),
        (accepting("nodes: pool=plain, until: 2026-01-31"), ("over", "2026-01-31", "")),
    ],
)
def test_an_entry_that_does_nothing(text: str, entry: tuple[str, str, str]) -> None:
    assert said(text) == [entry]


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{RULE}  expect: all\n",
        "virtualPools:\n- nodes: pool=db\n",
        accepting("nodes: pool=gpu"),
        accepting("names: [gpu-1, 'db-*']"),
        accepting("taint: 'gpu=yes:NoSchedule'"),
        accepting("cause: untolerated-taint"),
        # It was of use, and its time is over: the report says so elsewhere.
        accepting("nodes: pool=gpu, until: 2026-01-31"),
    ],
)
def test_an_entry_that_is_of_use(text: str) -> None:
    assert said(text) == []


def test_of_two_alike_the_second_does_nothing() -> None:
    entry = "  - {nodes: pool=gpu, reason: r}\n"
    assert said(f"{RULE}  accept:\n{entry}{entry}") == [("gap", "", "")]


def test_what_passes_may_become_a_gap() -> None:
    young = node("new-1", "gpu=yes:NoSchedule", created=ago(1))
    starting = pod(AGENT, "new-2", ready=False, created=ago(1))
    objects = (*CLUSTER, young, node("new-2", created=ago(1)), starting)
    assert said(accepting("names: [new-2]"), objects) == []


def test_what_was_not_judged_is_not_held_useless() -> None:
    text = accepting("nodes: pool=plain")
    assert said(text, wants=lambda ds: ds.name != "agent") == []
    assert said(text, shows=lambda node: node.name != "n-1") == []


def test_what_was_not_seen_is_not_held_useless() -> None:
    whole = snapshot(*CLUSTER)
    elsewhere = "daemonsets:\n- name: storage/csi\n  expect: all\n- name: logging/agnet\n  expect: all\n"
    scoped = msgspec.structs.replace(whole, scope="logging")
    assert said(elsewhere, scoped) == [("daemonset", "logging/agnet", "logging/agent")]
    blind = msgspec.structs.replace(whole, not_seen=(NotSeen("daemonsets.apps", "list", "Forbidden", "-"),))
    assert said(elsewhere, blind) == []
    no_nodes = msgspec.structs.replace(whole, nodes=(), not_seen=(NotSeen("nodes", "list", "Forbidden", "-"),))
    assert said(accepting("nodes: pool=none") + "virtualPools:\n- nodes: type=edge\n", no_nodes) == []
    no_pods = msgspec.structs.replace(whole, not_seen=(NotSeen("pods", "list", "Forbidden", "-"),))
    assert said(accepting("nodes: pool=plain"), no_pods) == []
