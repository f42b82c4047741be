"""Nodes named for people: all of a pool by its label, else some by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubectl_dscov.render.ink import plain

#: Labels that people know their nodes by, the most telling first.
_TELLING = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "pool",
    "node-pool",
    "nodepool",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "topology.kubernetes.io/zone",
)


def described(names: Sequence[str], labels: Mapping[str, Mapping[str, str]], *, most: int = 4) -> str:
    """`14 nodes, pool=gpu: gpu-1, gpu-2, ...` for names of nodes, whose labels are given for all nodes shown."""
    common = _common(set(names), labels) if len(names) > 1 else ""
    shown = ", ".join(plain(name) for name in names[:most])
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return f"{count(len(names), 'node')}{f', {common}' if common else ''}: {shown}{more}"


def count(number: int, noun: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _common(names: set[str], labels: Mapping[str, Mapping[str, str]]) -> str:
    """The telling label that all of these nodes have and no other node has; without others, none."""
    if len(names) == len(labels):
        return "all there are"
    for key in _TELLING:
        values = {labels.get(name, {}).get(key) for name in names}
        value = values.pop() if len(values) == 1 else None
        if value is not None and sum(other.get(key) == value for other in labels.values()) == len(names):
            return plain(f"{key}={value}")
    return ""
