"""A surge on a node that has no room for two: the new pod waits for what the old pod holds, and that waits for it."""

from __future__ import annotations

from collections.abc import Iterator

from dscov.kube.messages import Plugin, plugin_of
from dscov.kube.objects import key_of
from dscov.model.capacity import fits_without, going, port_holders
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Remedy
from dscov.model.nodes import is_lost
from dscov.model.scheduling import pod_selector, unmet, waiting
from dscov.model.world import World, once

SUMMARY = "update without surge: maxSurge 0, maxUnavailable 1 (each node is without its pod while that restarts)"


def surging(world: World, daemonset: DaemonSet) -> Iterator[Node]:
    """The nodes on which a new pod that is not ready stands, or is to stand, beside another."""
    for name, pods in world.pods_by_node(daemonset).items():
        live = [pod for pod in pods if pod.deleted is None]
        if name in world.nodes and len(live) > 1 and any(not pod.ready for pod in live):
            yield world.nodes[name]


def waits_for_its_own(world: World, daemonset: DaemonSet, node: Node) -> Plugin | None:
    """PORTS or RESOURCES where nothing but these of the old pod keep the new pod of a surge off a node that it shares."""
    return once(world, ("its own", daemonset.key, node.name), lambda: _waits_for_its_own(world, daemonset, node))


def _waits_for_its_own(world: World, daemonset: DaemonSet, node: Node) -> Plugin | None:
    waits = waiting(world, daemonset, node) if daemonset.strategy.surges and not is_lost(node) else None
    pods = world.pods(daemonset, node.name)
    if waits is None or any(pod.deleted for pod in pods) or unmet(node, pod_selector(waits.obj)):
        return None
    own = {pod.key for pod in pods if pod.node_name}
    plugins = {plugin_of(reason) for reason in waits.reasons}
    if plugins == {Plugin.PORTS}:
        holders = {key_of(pod) for _, pod, _ in port_holders(world, node, waits.obj)}
        return Plugin.PORTS if holders and holders <= own else None
    if plugins != {Plugin.RESOURCES} or fits_without(world, node, waits.obj, going(world, node)):
        return None
    return Plugin.RESOURCES if fits_without(world, node, waits.obj, own) else None


def without_surge(daemonset: DaemonSet, why: str) -> Remedy:
    """A rollout that takes the old pod away first."""
    rolling = {"maxUnavailable": 1, "maxSurge": 0}
    return Remedy(
        "patch",
        SUMMARY,
        why=why,
        target=daemonset.key,
        patch=({"op": "replace", "path": "/spec/updateStrategy/rollingUpdate", "value": rolling},),
    )
