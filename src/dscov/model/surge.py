"""A surge on a node that has no room for two: the new pod waits for what the old pod holds, and that waits for it."""

from __future__ import annotations

from dscov.kube.messages import Plugin
from dscov.model.capacity import short_of
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Remedy
from dscov.model.scheduling import waiting
from dscov.model.world import World


def waits_for_its_own(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the new pod of a surge lacks no more of the node than the DaemonSet's own pods on it hold."""
    waits = waiting(world, daemonset, node) if daemonset.strategy.surges else None
    if waits is None or not waits.by(Plugin.RESOURCES):
        return False
    own = f"DaemonSet {daemonset.key}"
    lacking = list(short_of(world, node, waits.obj))
    held = (sum(holder.amount for holder in found.holders if holder.name == own) for found in lacking)
    return bool(lacking) and all(found.asked <= found.free + much for found, much in zip(lacking, held, strict=True))


def without_surge(daemonset: DaemonSet, why: str) -> Remedy:
    """A rollout that takes the old pod away first."""
    rolling = {"maxUnavailable": 1, "maxSurge": 0}
    return Remedy(
        "patch",
        "update without surge: maxSurge 0, maxUnavailable 1",
        why=why,
        target=daemonset.key,
        patch=({"op": "replace", "path": "/spec/updateStrategy/rollingUpdate", "value": rolling},),
    )
