"""Random nodes: labels, taints of every effect, cordoned, not ready, under pressure, small, full."""

from __future__ import annotations

import random

from cluster.api import Object
from cluster.objects import node, taint

LABELS: dict[str, tuple[str, ...]] = {
    "dscov.test/zone": ("a", "b", "c"),
    "dscov.test/pool": ("general", "gpu", "edge", ""),
    "dscov.test/size": ("4", "8", "016", "32", "large", "9223372036854775808"),
    "kubernetes.io/os": ("linux", "windows"),
    "kubernetes.io/arch": ("amd64", "arm64"),
}
TAINTS: dict[str, tuple[str, ...]] = {
    "dedicated": ("gpu", "infra", ""),
    "dscov.test/maintenance": ("", "true"),
    "node-role.kubernetes.io/control-plane": ("",),
}
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")


def node_name(number: int) -> str:
    """Name of the node with this number."""
    return f"node-{number:03d}"


def random_node(draw: random.Random, number: int) -> Object:
    """One node. Two thirds have kwok for a kubelet; nodes that are not ready never do."""
    conditions: dict[str, str] = {}
    if draw.random() < 0.12:
        conditions["Ready"] = draw.choice(["False", "Unknown"])
    for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"):
        if draw.random() < 0.04:
            conditions[kind] = "True"
    found = node(
        node_name(number),
        labels=_labels(draw),
        taints=_taints(draw),
        resources=_resources(draw),
        conditions=conditions,
        fake="Ready" not in conditions and draw.random() < 0.67,
    )
    if draw.random() < 0.1:
        found["spec"]["unschedulable"] = True
    return found


def _labels(draw: random.Random) -> dict[str, str]:
    found = {key: draw.choice(values) for key, values in LABELS.items() if draw.random() < 0.8}
    for key in ("kubernetes.io/os", "kubernetes.io/arch"):
        # The first value is by far the usual one, or nearly nothing would run anywhere.
        found[key] = LABELS[key][0] if draw.random() < 0.85 else LABELS[key][1]
    return found


def _taints(draw: random.Random) -> list[Object]:
    keys = [key for key in TAINTS if draw.random() < 0.15]
    return [taint(key, draw.choice(EFFECTS), draw.choice(TAINTS[key])) for key in keys]


def _resources(draw: random.Random) -> dict[str, str]:
    shape = draw.random()
    if shape < 0.08:
        return {"pods": "8"}
    if shape < 0.16:
        return {"cpu": "1500m", "memory": "1Gi"}
    return {"pods": "250"} | ({"example.com/gpu": "2"} if draw.random() < 0.2 else {})
