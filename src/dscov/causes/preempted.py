"""The daemon's pod was there and had to go for a pod of higher priority; its successor finds no room.

The scheduler preempts pods of strictly lower priority (event Preempted); the kubelet makes room for critical pods in
the same way (event and reason Preempting).
"""

import re
from collections.abc import Iterator

from dscov.kube.objects import key_of, text
from dscov.model.capacity import owner_name
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Event, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.priority import make_room
from dscov.model.world import World
from dscov.patterns import pattern

_BY = pattern(r"Preempted by (?:a pod|pod (\S+)|(\S+/\S+)) on node (\S+)")


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods that are going for another's sake, and events of such that are gone."""
    for pod in world.pods(daemonset, node.name):
        for i, condition in enumerate(pod.conditions):
            if condition.type == "DisruptionTarget" and condition.reason == "PreemptionByScheduler":
                where = Evidence(f"Pod/{pod.key}", f"status.conditions[{i}].reason", condition.reason)
                yield Hit((("by", "a pod of higher priority"),), (where,))
                return
        if pod.reason == "Preempting":
            yield Hit((("by", "a critical pod"),), (Evidence(f"Pod/{pod.key}", "status.reason", "Preempting"),))
            return
    for event in world.events_with("Preempted"):
        by = _BY.search(event.message)
        if by and by[3].rstrip(".") == node.name and _is_of(daemonset, event):
            where = Evidence(f"Event/{event.namespace}/{event.event_name}", "message", event.message)
            yield Hit((("by", _named(world, node, by[1] or by[2])),), (where,))
            return


def _is_of(daemonset: DaemonSet, event: Event) -> bool:
    generated = re.fullmatch(re.escape(daemonset.name) + r"-[a-z0-9]{5}", event.name)
    return event.kind == "Pod" and event.namespace == daemonset.namespace and generated is not None


def _named(world: World, node: Node, who: str | None) -> str:
    """The preemptor's owner: events give its name, since 1.25 or so its uid alone."""
    for pod in world.occupants(node.name):
        if who in {text(pod, "metadata", "uid"), key_of(pod)}:
            return owner_name(pod)
    return f"pod {who}" if who else "another pod"


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """A priority that is not passed over."""
    return make_room(world, daemonset, finding)


CAUSE = Cause(
    code="DSC311",
    slug="preempted",
    title="the pod had to go for one of higher priority",
    says="the daemon's pod was preempted by {by}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending", "missing", "unhealthy", "terminating"}),
)
