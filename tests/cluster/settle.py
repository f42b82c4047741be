"""Waiting until the controllers have nothing left to do, so that what they say is what they mean."""

from __future__ import annotations

import time
from dataclasses import dataclass

from cluster.api import Api, Object, at_once
from cluster.local.processes import ClusterError
from cluster.objects import FAKE

SECONDS = 1800.0
PAUSE = 1.0
# Node condition -> status -> the taints that the node lifecycle controller puts for it.
LIFECYCLE = {
    ("Ready", "False"): {("node.kubernetes.io/not-ready", "NoSchedule"), ("node.kubernetes.io/not-ready", "NoExecute")},
    ("Ready", "Unknown"): {
        ("node.kubernetes.io/unreachable", "NoSchedule"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
    },
    ("MemoryPressure", "True"): {("node.kubernetes.io/memory-pressure", "NoSchedule")},
    ("DiskPressure", "True"): {("node.kubernetes.io/disk-pressure", "NoSchedule")},
    ("PIDPressure", "True"): {("node.kubernetes.io/pid-pressure", "NoSchedule")},
    ("NetworkUnavailable", "True"): {("node.kubernetes.io/network-unavailable", "NoSchedule")},
}
CORDONED = ("node.kubernetes.io/unschedulable", "NoSchedule")
OWNED = {CORDONED}.union(*LIFECYCLE.values())


@dataclass(frozen=True)
class Settled:
    """The state in which nothing moved any more, and what it took to get there."""

    nodes: list[Object]
    daemonsets: list[Object]
    pods: list[Object]
    rounds: int
    seconds: float


def settle(api: Api, seconds: float = SECONDS, *, pods_move: bool = True) -> Settled:
    """Wait until DaemonSet controller, scheduler, node lifecycle controller and kwok are done; ClusterError if never.

    Counters are fresh only if something woke the DaemonSet controller after the last change of a node, and an
    unchanged object wakes nobody. So once all is quiet the DaemonSets' `revisionHistoryLimit` is moved: that raises
    the generation, not the revision, and `observedGeneration` then says that the controller has looked again. The
    state counts as settled when nothing else has changed by that. `pods_move=False` is for a plane whose scheduler or
    kwok is stopped on purpose: pods are then not expected to become anything.
    """
    started = time.monotonic()
    deadline = started + seconds
    rounds = 0
    while True:
        rounds += 1
        before = _quiet(api, deadline, pods_move)
        _touch(api, before.daemonsets)
        after = _quiet(api, deadline, pods_move)
        if _fingerprint(before) == _fingerprint(after):
            return Settled(after.nodes, after.daemonsets, after.pods, rounds, time.monotonic() - started)


def unfinished(state: Settled, *, pods_move: bool = True) -> list[str]:
    """What the controllers still have to do, one sentence each."""
    nodes = {node["metadata"]["name"]: node for node in state.nodes}
    found = [f"node {name} has not the taints of its conditions" for name in nodes if not _tainted(nodes[name])]
    found += [f"daemonset {_name(item)} is not observed" for item in state.daemonsets if not _observed(item)]
    if pods_move:
        found += [f"pod {_name(pod)} {why}" for pod in state.pods if (why := _waiting(pod, nodes))]
    return found


def _quiet(api: Api, deadline: float, pods_move: bool) -> Settled:
    """Two looks, a second apart, that show the same and nothing unfinished."""
    last = None
    while True:
        state = _look(api)
        missing = unfinished(state, pods_move=pods_move)
        print_ = _fingerprint(state)
        if not missing and print_ == last:
            return state
        if time.monotonic() > deadline:
            reasons = "; ".join(missing[:5]) or "objects kept changing"
            raise ClusterError(f"the cluster did not settle, {len(missing)} things unfinished: {reasons}")
        last = print_
        time.sleep(PAUSE)


def _look(api: Api) -> Settled:
    nodes, daemonsets, pods = at_once(api.list, ["Node", "DaemonSet", "Pod"])
    return Settled(nodes, daemonsets, pods, 0, 0.0)


def _touch(api: Api, daemonsets: list[Object]) -> None:
    def move(item: Object) -> None:
        limit = item["spec"].get("revisionHistoryLimit", 10)
        api.patch(item, {"spec": {"revisionHistoryLimit": 11 if limit == 10 else 10}})

    at_once(move, daemonsets)


def _tainted(node: Object) -> bool:
    wanted = {CORDONED} if node["spec"].get("unschedulable") else set()
    for condition in node["status"].get("conditions", []):
        wanted |= LIFECYCLE.get((condition["type"], condition["status"]), set())
    present = {(taint["key"], taint["effect"]) for taint in node["spec"].get("taints", [])}
    return present & OWNED == wanted


def _observed(daemonset: Object) -> bool:
    return bool(daemonset["status"].get("observedGeneration", 0) >= daemonset["metadata"]["generation"])


def _waiting(pod: Object, nodes: dict[str, Object]) -> str:
    """What the pod waits for, empty if nobody will touch it again."""
    bound = pod["spec"].get("nodeName")
    conditions = {item["type"]: item["status"] for item in pod["status"].get("conditions", [])}
    if not bound:
        tried = "PodScheduled" in conditions or pod["spec"]["schedulerName"] != "default-scheduler"
        return "" if tried else "was not tried by the scheduler"
    if bound not in nodes:
        return "is bound to a node that has gone"
    if nodes[bound]["metadata"].get("annotations", {}).get(FAKE) != "fake":
        return ""
    if pod["metadata"].get("deletionTimestamp"):
        return "is being deleted"
    return "" if conditions.get("Ready") == "True" else "is not ready yet"


def _fingerprint(state: Settled) -> object:
    """All that a controller writes and a diagnosis reads; not what a mere touch changes."""
    return (
        [(_name(node), node["metadata"].get("labels"), node["spec"], _conditions(node)) for node in state.nodes],
        [
            (_name(item), item["metadata"]["uid"], item["status"] | {"observedGeneration": 0})
            for item in state.daemonsets
        ],
        [
            (
                pod["metadata"]["uid"],
                pod["metadata"].get("deletionTimestamp"),
                pod["spec"].get("nodeName"),
                pod["status"]["phase"],
                _conditions(pod),
            )
            for pod in state.pods
        ],
    )


def _conditions(thing: Object) -> dict[str, str]:
    return {item["type"]: item["status"] for item in thing["status"].get("conditions", [])}


def _name(thing: Object) -> str:
    meta = thing["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if "namespace" in meta else str(meta["name"])
