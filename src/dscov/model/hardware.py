"""Labels and taints that mark special hardware, and which of them a daemon turns out to need."""

from __future__ import annotations

import re

from dscov.kube.objects import listed, text
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import healthy_elsewhere
from dscov.model.world import World
from dscov.patterns import pattern

_WORDS = pattern(
    r"gpu|nvidia|accelerator|neuron|habana|gaudi|tpu|fpga|qat|sriov|sr-iov|rdma|infiniband|mellanox|dpdk|nvme|feature\.node"
    r"|smartnic|xilinx|intel\.feature",
    re.IGNORECASE,
)
_NO = frozenset({"false", "no", "0", "none"})


def is_hardware(key: str, value: str = "") -> bool:
    """Whether a label or taint with this key and value marks special hardware (and does not deny it)."""
    return bool(_WORDS.search(f"{key}={value}")) and value.lower() not in _NO


def tolerated_hardware(daemonset: DaemonSet) -> str:
    """The key of a hardware taint that the template tolerates by name; empty where there is none."""
    named = (own for own in daemonset.template.own_tolerations if own.key)
    return next((own.key for own in named if is_hardware(own.key, own.value)), "")


def is_for_hardware(daemonset: DaemonSet) -> bool:
    """Whether its name or an image of it speaks of special hardware, and no selector of it does."""
    images = (text(one, "image") for one in listed(daemonset.pod_spec, "containers"))
    entries = daemonset.template.node_selector
    return any(is_hardware(word) for word in (daemonset.name, *images)) and not any(is_hardware(e.key) for e in entries)


def selects(daemonset: DaemonSet) -> bool:
    """Whether the template narrows its nodes down by anything but the operating system."""
    template = daemonset.template
    return bool(template.affinity) or any(entry.key != "kubernetes.io/os" for entry in template.node_selector)


def dividing_label(world: World, daemonset: DaemonSet) -> tuple[str, str] | None:
    """The hardware label that every node with a ready pod has, and no other node that it is placed on; None if none.

    At least one node must be well and one not. Any label will do for a DaemonSet that tolerates hardware by name.
    """
    key = "dividing label", daemonset.key
    if key not in world.memo:
        world.memo[key] = _divide(world, daemonset)
    return world.memo[key]  # type: ignore[no-any-return]


def _divide(world: World, daemonset: DaemonSet) -> tuple[str, str] | None:
    well = healthy_elsewhere(world, daemonset)
    names = {node.name for node in well}
    unwell = [
        world.nodes[name]
        for name, pods in world.pods_by_node(daemonset).items()
        if name in world.nodes and name not in names and any(pod.deleted is None for pod in pods)
    ]
    if not well or not unwell:
        return None
    dividing = [
        (label, value)
        for label, value in sorted(well[0].labels.items())
        if label != "kubernetes.io/hostname"
        and all(node.labels.get(label) == value for node in well)
        and all(_lacks(node, label) for node in unwell)
    ]
    special = [entry for entry in dividing if is_hardware(*entry)]
    return next(iter(special or (dividing if tolerated_hardware(daemonset) else ())), None)


def _lacks(node: Node, label: str) -> bool:
    return node.labels.get(label, "none").lower() in _NO
