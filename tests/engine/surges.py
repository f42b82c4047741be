"""Surges that do not go on: an old pod that serves, and a new one beside it."""

from __future__ import annotations

from typing import Any

from engine.build import EVERYTHING, Json, around, daemonset, lost_node, node, pod, revision, rolling
from engine.waiting import left, refusal, tenant

DS = daemonset(spec=EVERYTHING, strategy=rolling(0, 1))
PORT = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
PORTS = daemonset(spec=EVERYTHING, container=PORT, strategy=rolling(0, 1))
TAKEN = refusal("node(s) didn't have free ports for the requested pod ports")


def full() -> Json:
    made = node("n1")
    made["status"]["allocatable"]["pods"] = "2"
    return made


def beside(ds: Json, new: Json, *more: Json) -> list[Json]:
    """An old pod on n1, which serves, and a new pod beside it."""
    return around(ds, pod(ds, "n1", revision="h1"), new, *more)


def big(cpu: str) -> Json:
    return {"resources": {"requests": {"cpu": cpu}}}


def crowded(
    cpu: str, *more: Json, old: str = "1", allocatable: str = "2", lost: bool = False, **new_pod: Any
) -> list[Json]:
    """A node whose old pod asks for `old`, a tenant for half a core, and a new pod that asks for `cpu`."""
    made = lost_node("n1") if lost else node("n1")
    made["status"]["allocatable"]["cpu"] = allocatable
    ds = daemonset(spec=EVERYTHING, strategy=rolling(0, 1), container=big(cpu))
    before = daemonset(spec=EVERYTHING, strategy=rolling(0, 1), container=big(old))
    new = left(ds, refusal("Insufficient cpu"), suffix="-b", **new_pod)
    return [
        made,
        ds,
        revision(ds),
        revision(ds, 1),
        pod(before, "n1", revision="h1", ready=not lost),
        new,
        tenant("t0", requests={"cpu": "500m"}),
        *more,
    ]
