"""The worlds are what they say: the same for the same seed, rich in every rule; settling waits for what it should."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import pytest

from cluster.api import Object
from cluster.handle import Cluster
from cluster.objects import FAKE, daemonset, node, taint
from cluster.settle import Settled, settle, unfinished
from cluster.worlds.big_world import big_objects
from cluster.worlds.random_world import random_world

EFFECTS = {"NoSchedule", "NoExecute", "PreferNoSchedule"}


def found(thing: Any, key: str) -> Iterator[Any]:
    """Every value under `key`, at any depth."""
    if isinstance(thing, dict):
        for name, value in thing.items():
            if name == key:
                yield value
            yield from found(value, key)
    elif isinstance(thing, list):
        for value in thing:
            yield from found(value, key)


def test_a_seed_makes_one_world() -> None:
    assert random_world(7) == random_world(7)
    assert random_world(7).daemonsets != random_world(8).daemonsets


def test_a_random_world_has_every_rule() -> None:
    world = random_world(1)
    assert (len(world.nodes), len(world.daemonsets)) == (60, 300)
    assert set(found(world.daemonsets, "operator")) == {
        "In",
        "NotIn",
        "Exists",
        "DoesNotExist",
        "Gt",
        "Lt",
        "Equal",
    }
    assert {item["effect"] for item in chain.from_iterable(found(world.nodes, "taints"))} == EFFECTS
    for part in (
        "nodeSelector",
        "nodeName",
        "hostNetwork",
        "hostPort",
        "matchFields",
        "overhead",
        "tolerationSeconds",
        "podAntiAffinity",
        "initContainers",
        "schedulingGates",
        "runtimeClassName",
        "priorityClassName",
    ):
        assert any(True for _ in found([world.daemonsets, world.others], part)), part
    assert any(item["spec"].get("unschedulable") for item in world.nodes)
    ready = {
        condition["status"]
        for item in world.nodes
        for condition in item["status"]["conditions"]
        if condition["type"] == "Ready"
    }
    assert ready == {"True", "False", "Unknown"}
    assert {FAKE in item["metadata"]["annotations"] for item in world.nodes} == {True, False}


def test_the_big_world_has_the_size_that_it_says() -> None:
    objects = big_objects(1000, 16)
    kinds = [item["kind"] for item in objects]
    assert (kinds.count("Node"), kinds.count("DaemonSet")) == (1000, 16)
    assert len({item["metadata"]["name"] for item in objects if item["kind"] == "Node"}) == 1000
    ports = list(found([item for item in objects if item["kind"] == "DaemonSet"], "containerPort"))
    assert len(set(ports)) == len(ports), "pods on the host's network would refuse each other"
    assert json.dumps(objects) == json.dumps(big_objects(1000, 16))


def observed(generation: int = 1) -> Object:
    item = daemonset("agent", "x")
    return item | {"metadata": item["metadata"] | {"generation": 1}, "status": {"observedGeneration": generation}}


def pod(*, bound: str = "", conditions: dict[str, str] | None = None, **more: Any) -> Object:
    meta = {"name": "p", "namespace": "x"} | {key: value for key, value in more.items() if key == "deletionTimestamp"}
    listed = [{"type": kind, "status": status} for kind, status in (conditions or {}).items()]
    spec = {"schedulerName": more.get("schedulerName", "default-scheduler")} | ({"nodeName": bound} if bound else {})
    return {"metadata": meta, "spec": spec, "status": {"phase": "Pending", "conditions": listed}}


def lost(*keys: str) -> Object:
    return node(
        "n", conditions={"Ready": "False"}, taints=[taint(f"node.kubernetes.io/{key}", "NoSchedule") for key in keys]
    )


KUBE = "node.kubernetes.io/"
NOT_READY = [taint(f"{KUBE}not-ready", "NoSchedule"), taint(f"{KUBE}not-ready", "NoExecute")]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (node("n"), None),
        (node("n", taints=[taint("dedicated", "NoSchedule")]), None),
        (node("n", taints=[taint(f"{KUBE}not-ready", "NoSchedule")]), "node n has not the taints of its conditions"),
        (lost("not-ready"), "node n has not the taints of its conditions"),
        (node("n", conditions={"Ready": "False"}, taints=NOT_READY), None),
        (node("n") | {"spec": {"unschedulable": True}}, "node n has not the taints of its conditions"),
        (node("n", conditions={"DiskPressure": "True"}, taints=[taint(f"{KUBE}disk-pressure", "NoSchedule")]), None),
        (observed(), None),
        (observed(0), "daemonset x/agent is not observed"),
        (pod(), "pod x/p was not tried by the scheduler"),
        (pod(schedulerName="nobody"), None),
        (pod(conditions={"PodScheduled": "False"}), None),
        (pod(bound="gone"), "pod x/p is bound to a node that has gone"),
        (pod(bound="played"), None),
        (pod(bound="fake"), "pod x/p is not ready yet"),
        (pod(bound="fake", conditions={"Ready": "True"}), None),
        (pod(bound="fake", conditions={"Ready": "True"}, deletionTimestamp="now"), "pod x/p is being deleted"),
        (pod(bound="played", deletionTimestamp="now"), None),
    ],
)
def test_what_is_unfinished(item: Object, expected: str | None) -> None:
    kind = item.get("kind", "Pod")
    nodes = [node("fake"), node("played", fake=False)] + ([item] if kind == "Node" else [])
    state = Settled(nodes, [item] if kind == "DaemonSet" else [], [item] if kind == "Pod" else [], 0, 0)
    assert unfinished(state) == ([expected] if expected else [])


def test_a_small_random_world_settles_twice(new_cluster: Callable[..., Cluster]) -> None:
    api = new_cluster().api
    world = random_world(3, daemonsets=30, nodes=15)
    refused = world.create(api)
    first = settle(api)
    assert len(first.daemonsets) == 30 - sum(1 for item in refused if item.object["kind"] == "DaemonSet")
    assert len(first.nodes) == 15 - sum(1 for item in refused if item.object["kind"] == "Node")
    world.disturb(api, first)
    second = settle(api)
    assert len(second.nodes) == len(first.nodes) - 1
    assert unfinished(second) == []
    assert sum(item["status"]["numberMisscheduled"] for item in second.daemonsets) > 0
