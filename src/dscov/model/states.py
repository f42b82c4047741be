"""The state of one DaemonSet on one node, from its pods there and the oracle's answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from dscov.kube.placement import Placement
from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.nodes import is_lost, is_young
from dscov.model.rejections import keeps_failing
from dscov.model.world import World

#: A pod younger than this, with nothing wrong yet, is starting.
POD_GRACE = timedelta(minutes=5)

#: Words of a waiting container that are no trouble.
_CALM = frozenset({"", "ContainerCreating", "PodInitializing"})


def state_of(world: World, daemonset: DaemonSet, node: Node, placement: Placement, pods: Sequence[Pod]) -> str:
    """One of model.findings.STATES but `unknown`."""
    if not placement.should_run:
        return "misscheduled" if pods else "excluded"
    if not pods:
        return "starting" if is_young(world, node) or _just_made(world, daemonset) else "missing"
    live = [pod for pod in pods if pod.deleted is None]
    if not live:
        return "terminating"
    available = [pod for pod in live if is_available(world, daemonset, pod)]
    if available:
        return "covered" if any(world.is_updated(daemonset, pod) for pod in available) else "outdated"
    pod = live[0]
    if pod.ready or (is_starting(world, pod, node) and not keeps_failing(world, daemonset, node)):
        return "starting"
    return "unhealthy" if pod.node_name else "pending"


def is_available(world: World, daemonset: DaemonSet, pod: Pod) -> bool:
    """Whether the pod counts as available, by the server's rule."""
    return pod.available(daemonset.min_ready_seconds, world.now, world.snapshot.version)


def is_starting(world: World, pod: Pod, node: Node) -> bool:
    """Whether the pod is young and nothing is wrong with it yet."""
    if pod.created is None or world.now - pod.created >= POD_GRACE or pod.finished or is_lost(node):
        return False
    scheduled = pod.condition("PodScheduled")
    if scheduled and scheduled.status == "False":
        return False
    return not any(_in_trouble(container.state, container.reason, container.restarts) for container in pod.containers)


def _in_trouble(state: str, reason: str, restarts: int) -> bool:
    return restarts > 0 or (state == "waiting" and reason not in _CALM)


def _just_made(world: World, daemonset: DaemonSet) -> bool:
    """Whether the controller can hardly have come to the DaemonSet yet."""
    return daemonset.created is not None and world.now - daemonset.created < timedelta(minutes=1)
