"""Two settled dumps of a real control plane: its own status counters must come out of a recomputation."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from conformance.command import diagnose, pairs
from conformance.tables import TABLES
from conformance.world import COUNTERS

import dscov

DUMPS = {"live-21": ("2026-11-30T14:40:24Z", 68, 60), "live-22": ("2026-11-30T14:41:54Z", 67, 65)}


@cache
def objects(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress((TABLES / f"{name}.json.gz").read_bytes()))["items"]
    return found


@cache
def report(name: str) -> dict[str, Any]:
    return diagnose(TABLES / f"{name}.json.gz", DUMPS[name][0])


def of_kind(name: str, kind: str) -> list[dict[str, Any]]:
    return [item for item in objects(name) if item["kind"] == kind]


def key(daemonset: dict[str, Any]) -> str:
    return f"{daemonset['metadata']['namespace']}/{daemonset['metadata']['name']}"


@pytest.mark.parametrize("name", DUMPS)
def test_the_dump_is_whole(name: str) -> None:
    kinds = Counter(item["kind"] for item in objects(name))
    assert (kinds["DaemonSet"], kinds["Node"]) == DUMPS[name][1:]


@pytest.mark.parametrize("name", DUMPS)
def test_all_seven_counters_of_every_daemonset(name: str) -> None:
    got = {f"{found['namespace']}/{found['name']}": found["counters"] for found in report(name)["daemonsets"]}
    want = {
        key(found): {count: found["status"].get(count, 0) for count in COUNTERS} for found in of_kind(name, "DaemonSet")
    }
    assert {name: {count: found["computed"].get(count, 0) for count in COUNTERS} for name, found in got.items()} == want
    assert {name: {count: found["reported"].get(count, 0) for count in COUNTERS} for name, found in got.items()} == want
    assert [name for name, found in got.items() if found["disagreements"]] == []


@pytest.mark.parametrize("name", DUMPS)
def test_desired_through_the_front_door(name: str) -> None:
    nodes = of_kind(name, "Node")
    for daemonset in of_kind(name, "DaemonSet"):
        run = sum(dscov.placement(daemonset, node).should_run for node in nodes)
        assert run == daemonset["status"].get("desiredNumberScheduled", 0), key(daemonset)


@pytest.mark.parametrize("name", DUMPS)
def test_the_report_and_the_front_door_say_the_same_of_every_pair(name: str) -> None:
    got = {
        pair: (verdict["shouldRun"], verdict["shouldContinueRunning"]) for pair, verdict in pairs(report(name)).items()
    }
    want = {}
    for daemonset in of_kind(name, "DaemonSet"):
        for node in of_kind(name, "Node"):
            answer = dscov.placement(daemonset, node)
            want[key(daemonset), node["metadata"]["name"]] = (answer.should_run, answer.should_continue_running)
    assert got == want


@pytest.mark.parametrize("name", DUMPS)
def test_every_pod_left_pending_shows_as_pending(name: str) -> None:
    """Where a node is eligible and its only pod is not bound, the pair is pending; starting while the pod is young."""
    verdicts = pairs(report(name))
    owners = {found["metadata"]["uid"]: key(found) for found in of_kind(name, "DaemonSet")}
    aimed: dict[tuple[str, str], list[bool]] = {}
    for pod in of_kind(name, "Pod"):
        daemonset = owners.get(pod["metadata"].get("ownerReferences", [{}])[0].get("uid"))
        node = target(pod)
        if daemonset and node and "deletionTimestamp" not in pod["metadata"]:
            aimed.setdefault((daemonset, node), []).append("nodeName" in pod["spec"])
    left = [pair for pair, bound in aimed.items() if not any(bound) and verdicts.get(pair, {}).get("shouldRun")]
    states = {pair: verdicts[pair]["state"] for pair in left}
    assert "pending" in states.values()
    assert {pair: state for pair, state in states.items() if state not in {"pending", "starting"}} == {}


def target(pod: dict[str, Any]) -> str | None:
    """The node that a daemon pod is bound to, or aimed at by its own affinity."""
    if "nodeName" in pod["spec"]:
        bound: str = pod["spec"]["nodeName"]
        return bound
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    fields = [field for term in terms for field in term.get("matchFields", [])]
    names: list[str] = fields[0]["values"] if fields else []
    return names[0] if len(names) == 1 else None
