"""A daemon pod that waits for the scheduler: what the scheduler said of it, and which of that is about its node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import msgspec

from dscov.kube.messages import Plugin, Refusal, plugin_of, read_refusal
from dscov.kube.taints import Taint, Toleration
from dscov.kube.taints import untolerated as untolerated_taints
from dscov.model.capacity import port_holders, short_of
from dscov.model.cluster import Condition, DaemonSet, Event, Node, Object, Pod
from dscov.model.findings import Evidence
from dscov.model.nodes import is_virtual
from dscov.model.objects import listed, part, text, texts
from dscov.model.world import World


class Waiting(msgspec.Struct, frozen=True):
    """A pod that is not bound, and the scheduler's last word on it; without a word `refusal` is empty.

    `told` is where the word stands and `at` when it was last said, as far as that is known.
    """

    pod: Pod
    obj: Object
    word: str = ""
    refusal: Refusal = Refusal()
    reasons: tuple[str, ...] = ()
    told: tuple[Evidence, ...] = ()
    at: datetime | None = None

    def by(self, plugin: Plugin) -> tuple[str, ...]:
        """The reasons of one plugin."""
        return tuple(reason for reason in self.reasons if plugin_of(reason) is plugin)


def waiting(world: World, daemonset: DaemonSet, node: Node) -> Waiting | None:
    """The DaemonSet's pod that waits for the node; None where none does, and on nodes that are no place for daemons."""
    pod = next((p for p in world.pods(daemonset, node.name) if not p.node_name and p.deleted is None), None)
    if pod is None or is_virtual(node):
        return None
    return world.memo(("waiting", pod.key), lambda: _waiting(world, node, pod))


def _waiting(world: World, node: Node, pod: Pod) -> Waiting:
    obj = world.object_of(pod)
    event = next(_failures(world, pod), None)
    for i, condition in enumerate(pod.conditions):
        if condition.type == "PodScheduled" and condition.status == "False" and condition.message:
            told = Evidence(f"Pod/{pod.key}", f"status.conditions[{i}].message", condition.message)
            return _heard(world, node, Waiting(pod, obj, condition.message, told=(told,), at=_last(event, condition)))
    if event is None:
        return Waiting(pod, obj)
    told = Evidence(f"Event/{event.namespace}/{event.event_name}", "message", event.message)
    return _heard(world, node, Waiting(pod, obj, event.message, told=(told,), at=event.last))


def _failures(world: World, pod: Pod) -> Iterator[Event]:
    """The FailedScheduling events of the pod, newest first."""
    for event in world.events("Pod", pod.namespace, pod.name):
        if event.reason == "FailedScheduling" and event.uid in {"", pod.uid}:
            yield event


def _last(event: Event | None, condition: Condition) -> datetime | None:
    return event.last if event else condition.since


def _heard(world: World, node: Node, waits: Waiting) -> Waiting:
    refusal = read_refusal(waits.word)
    return msgspec.structs.replace(waits, refusal=refusal, reasons=_confirmed(world, node, waits.obj, refusal))


def _confirmed(world: World, node: Node, pod: Object, refusal: Refusal) -> tuple[str, ...]:
    """The reasons about the node. Where several plugins speak, some speak of other nodes: those that the node bears out."""
    if len({plugin_of(reason) for reason in refusal.reasons}) <= 1:
        return refusal.reasons
    borne_out = {
        Plugin.RESOURCES: lambda: any(short_of(world, node, pod)),
        Plugin.PORTS: lambda: any(port_holders(world, node, pod)),
        Plugin.TAINTS: lambda: bool(untolerated(node, pod)),
    }
    holds = {p for p in map(plugin_of, refusal.reasons) if p in borne_out and borne_out[p]()}
    unsure = {p for p in map(plugin_of, refusal.reasons) if p not in borne_out}
    kept = holds or unsure
    return tuple(reason for reason in refusal.reasons if not kept or plugin_of(reason) in kept)


def untolerated(node: Node, pod: Object) -> tuple[Taint, ...]:
    """The taints of the node that keep the pod itself (not the template) out."""
    own = (
        Toleration(*(text(raw, field) for field in ("key", "operator", "value", "effect")))
        for raw in listed(pod, "spec", "tolerations")
    )
    return untolerated_taints(node.taints, own)


def pod_selector(pod: Object) -> dict[str, str]:
    """The pod's own nodeSelector, with whatever admission added."""
    return texts(pod, "spec", "nodeSelector")


def template_of(daemonset: DaemonSet) -> Object:
    """The spec of the pod template, as a plain API object."""
    return part(daemonset.obj, "spec", "template", "spec")


def added_selector(daemonset: DaemonSet, pod: Object) -> dict[str, str]:
    """What the pod's nodeSelector has and the template's has not: admission added it."""
    own = texts(template_of(daemonset), "nodeSelector")
    return {key: value for key, value in pod_selector(pod).items() if own.get(key) != value}


def unmet(node: Node, selector: Mapping[str, str]) -> dict[str, str]:
    """The entries of a nodeSelector that the node does not meet."""
    return {key: value for key, value in selector.items() if node.labels.get(key) != value}


def nodes_known_at(world: World, when: datetime | None) -> int:
    """How many of the nodes there are now were there at a time (without one: ten minutes ago)."""
    limit = when if when is not None else world.now - timedelta(minutes=10)
    return sum(node.created is None or node.created <= limit for node in world.snapshot.nodes)
