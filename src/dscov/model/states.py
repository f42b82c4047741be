"""The state of one DaemonSet on one node, from its pods there and the oracle's answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from dscov.kube.placement import Placement
from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.marks import SKEW
from dscov.model.nodes import is_lost, is_young
from dscov.model.rejections import keeps_failing
from dscov.model.world import World

#: A pod for which the scheduler has no word for this long is pending: it answers in milliseconds.
BIND_GRACE = timedelta(seconds=30)

#: Words of a waiting container that are no trouble.
_CALM = frozenset({"", "ContainerCreating", "PodInitializing"})

#: States of a pair in which every pod that is not available has a say.
_WITH_OTHERS = frozenset({"outdated", "starting", "unhealthy", "pending"})


def state_of(world: World, daemonset: DaemonSet, node: Node, placement: Placement, pods: Sequence[Pod]) -> str:
    """One of model.findings.STATES but `unknown`."""
    if not placement.should_run:
        return "misscheduled" if pods else "excluded"
    if not pods:
        settling = (daemonset.key, node.name) in world.snapshot.unsettled
        return "starting" if settling or is_young(world, node) or _just_made(world, daemonset) else "missing"
    return state_of_pods(world, daemonset, node, pods)


def state_of_pods(world: World, daemonset: DaemonSet, node: Node, pods: Sequence[Pod]) -> str:
    """The state of a pair whose pods, at least one, may be on the node as far as is known."""
    live = [pod for pod in pods if pod.deleted is None]
    if not live:
        return "terminating"
    available = [pod for pod in live if is_available(world, daemonset, pod)]
    if available:
        current = not world.tells_revisions(daemonset) or any(world.is_updated(daemonset, pod) for pod in available)
        return "covered" if current else "outdated"
    return _state_of_pod(world, daemonset, node, live[0])


def _state_of_pod(world: World, daemonset: DaemonSet, node: Node, pod: Pod) -> str:
    """The state of a live pod that is not available."""
    if pod.ready or (is_starting(world, pod, node) and not keeps_failing(world, daemonset, node)):
        return "starting"
    return "unhealthy" if pod.node_name else "pending"


def troubles(world: World, daemonset: DaemonSet, node: Node, state: str, pods: Sequence[Pod]) -> tuple[str, ...]:
    """The states whose causes are to be asked for a pair with pods: its own, and those of pods beside the one it is of.

    A surge puts the new pod beside the old one. While the old pod serves, the pair is `outdated` and no gap, and only
    the new pod tells why the update does not go on.
    """
    if state not in _WITH_OTHERS:
        return (state,)
    waiting = (pod for pod in pods if pod.deleted is None and not is_available(world, daemonset, pod))
    found = {_state_of_pod(world, daemonset, node, pod) for pod in waiting} - {state, "starting"}
    return (state, *sorted(found))


def is_available(world: World, daemonset: DaemonSet, pod: Pod) -> bool:
    """Whether the pod counts as available, by the server's rule."""
    return pod.available(daemonset.min_ready_seconds, world.now, world.snapshot.version)


def is_starting(world: World, pod: Pod, node: Node) -> bool:
    """Whether the pod is young and nothing is wrong with it yet."""
    age = world.now - pod.created if pod.created else world.grace.pod
    if not SKEW < age < world.grace.pod or pod.finished or is_lost(node):
        return False
    scheduled = pod.condition("PodScheduled")
    if not pod.node_name and age >= BIND_GRACE:
        return False
    if not pod.node_name and ((scheduled and scheduled.status == "False") or _refused(world, pod)):
        return False
    return not any(_in_trouble(container.state, container.reason, container.restarts) for container in pod.containers)


def _refused(world: World, pod: Pod) -> bool:
    """Whether the scheduler has said that it found no place."""
    return any(event.reason == "FailedScheduling" for event in world.events("Pod", pod.namespace, pod.name))


def _in_trouble(state: str, reason: str, restarts: int) -> bool:
    return restarts > 0 or (state == "waiting" and reason not in _CALM)


def _just_made(world: World, daemonset: DaemonSet) -> bool:
    """Whether the controller can hardly have come to the DaemonSet yet."""
    return daemonset.created is not None and SKEW < world.now - daemonset.created < timedelta(minutes=1)
