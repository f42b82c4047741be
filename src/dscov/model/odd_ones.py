"""What sets the nodes on which a daemon fails apart from those on which it is well: kernel, image, architecture, ..."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import healthy_elsewhere
from dscov.model.findings import Evidence
from dscov.model.world import World, once

#: What is compared: its name, the field of nodeInfo, the attribute of NodeInfo.
_TRAITS = (
    ("architecture", "architecture", "architecture"),
    ("OS image", "osImage", "image"),
    ("kernel", "kernelVersion", "kernel"),
    ("kubelet", "kubeletVersion", "kubelet"),
    ("container runtime", "containerRuntimeVersion", "runtime"),
)


def oddity(world: World, daemonset: DaemonSet, node: Node) -> tuple[str, tuple[Evidence, ...]]:
    """What the node has and no node with a ready pod has, in words with evidence; empty where there is nothing."""
    well = once(world, ("traits where it runs", daemonset.key), lambda: _traits(healthy_elsewhere(world, daemonset)))
    words, shown = [], []
    for name, field, attribute in _TRAITS:
        own, others = getattr(node.info, attribute), well[attribute]
        if own and others.keys() - {own} and others.get(own, frozenset()) <= {node.name}:
            words.append(f"{name} {own} ({_some(sorted(others.keys() - {own}))} where it runs)")
            shown.append(Evidence(f"Node/{node.name}", f"status.nodeInfo.{field}", own))
    return ", ".join(words), tuple(shown)


def _traits(nodes: Sequence[Node]) -> Mapping[str, Mapping[str, set[str]]]:
    """For each trait its values among the nodes, and the names of the nodes that have it."""
    found: dict[str, defaultdict[str, set[str]]] = {attribute: defaultdict(set) for _, _, attribute in _TRAITS}
    for node in nodes:
        for attribute, values in found.items():
            if value := getattr(node.info, attribute):
                values[value].add(node.name)
    return found


def _some(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{values[0]} and {len(values) - 1} more"
