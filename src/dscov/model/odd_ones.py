"""What sets the nodes on which a daemon fails apart from those on which it is well: kernel, image, architecture, ..."""

from __future__ import annotations

from collections.abc import Sequence

from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import healthy_elsewhere
from dscov.model.findings import Evidence
from dscov.model.world import World

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
    well = [other for other in healthy_elsewhere(world, daemonset) if other.name != node.name]
    words, shown = [], []
    for name, field, attribute in _TRAITS if well else ():
        own = getattr(node.info, attribute)
        others = _values(well, attribute)
        if own and others and own not in others:
            words.append(f"{name} {own} ({_some(others)} where it runs)")
            shown.append(Evidence(f"Node/{node.name}", f"status.nodeInfo.{field}", own))
    return ", ".join(words), tuple(shown)


def _values(nodes: Sequence[Node], attribute: str) -> list[str]:
    return sorted({value for node in nodes if (value := getattr(node.info, attribute))})


def _some(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{values[0]} and {len(values) - 1} more"
