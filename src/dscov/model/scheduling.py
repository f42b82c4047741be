"""A daemon pod that waits for the scheduler: what the scheduler said of it, and which of that is about its node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import msgspec

from dscov.kube.messages import Plugin, Refusal, plugin_of, read_refusal
from dscov.kube.objects import listed, text, texts
from dscov.kube.taints import Taint, Toleration
from dscov.kube.taints import untolerated as untolerated_taints
from dscov.model.capacity import PODS, port_holders, short_of
from dscov.model.cluster import DaemonSet, Event, Node, Object, Pod
from dscov.model.findings import Evidence
from dscov.model.nodes import is_virtual
from dscov.model.world import World, once

#: The scheduler that takes up the pods that name none.
DEFAULT_SCHEDULER = "default-scheduler"


class Waiting(msgspec.Struct, frozen=True):
    """A pod that is not bound, and the scheduler's last word on it (empty where there is none).

    `tried` tells whether any scheduler ever took it up, `told` where the word stands, `at` when it was last said as far
    as that is known; `reasons` are those about the node.
    """

    pod: Pod
    obj: Object
    tried: bool = False
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
    return once(world, ("waiting", pod.key), lambda: _waiting(world, node, pod))


def _waiting(world: World, node: Node, pod: Pod) -> Waiting:
    obj = world.object_of(pod)
    if any(listed(obj, "spec", "schedulingGates")):
        return Waiting(pod, obj, True)
    event = next(_failures(world, pod), None)
    for i, condition in enumerate(pod.conditions):
        if condition.type == "PodScheduled" and condition.status == "False" and condition.message:
            told = Evidence(f"Pod/{pod.key}", f"status.conditions[{i}].message", condition.message)
            at = event.last if event else condition.since
            return _heard(world, node, Waiting(pod, obj, True, condition.message, told=(told,), at=at))
    if event is None:
        tried = pod.condition("PodScheduled") is not None
        return Waiting(pod, obj, tried, reasons=tuple(_found(world, node, obj)) if tried else ())
    told = Evidence(f"Event/{event.namespace}/{event.event_name}", "message", event.message)
    return _heard(world, node, Waiting(pod, obj, True, event.message, told=(told,), at=event.last))


def _failures(world: World, pod: Pod) -> Iterator[Event]:
    """The FailedScheduling events of the pod, newest first."""
    for event in world.events("Pod", pod.namespace, pod.name):
        if event.reason == "FailedScheduling" and event.uid in {"", pod.uid}:
            yield event


def _heard(world: World, node: Node, waits: Waiting) -> Waiting:
    read = msgspec.structs.replace(waits, refusal=read_refusal(waits.word))
    return msgspec.structs.replace(read, reasons=_confirmed(world, node, read))


def _confirmed(world: World, node: Node, waits: Waiting) -> tuple[str, ...]:
    """The reasons about the node. Where some may speak of other nodes: those that the node bears out.

    Where nothing is borne out all are kept, unless the scheduler knows fewer nodes than there are: then it may not
    know this one at all. Of a message that was cut off before its reason, what the node itself tells.
    """
    refusal = waits.refusal
    if refusal.cut and not refusal.reasons:
        return tuple(_found(world, node, waits.obj))
    if not refusal.broad:
        return refusal.reasons
    found = {plugin_of(reason) for reason in _found(world, node, waits.obj)}
    plugins = {plugin_of(reason) for reason in refusal.reasons}
    kept = plugins & found or plugins - _CHECKED
    if not kept and (refusal.known or 0) >= nodes_known_at(world, waits.at):
        return refusal.reasons
    return tuple(reason for reason in refusal.reasons if plugin_of(reason) in kept)


#: The plugins whose answer the objects show.
_CHECKED = frozenset({Plugin.RESOURCES, Plugin.PORTS, Plugin.TAINTS})


def _found(world: World, node: Node, pod: Object) -> Iterator[str]:
    """What the scheduler should say of the node, as far as the objects show it, in its own words."""
    for room in short_of(world, node, pod):
        yield "Too many pods" if room.resource == PODS else f"Insufficient {room.resource}"
    if any(port_holders(world, node, pod)):
        yield "node(s) didn't have free ports for the requested pod ports"
    if untolerated(node, pod):
        yield "node(s) had untolerated taint(s)"


def untolerated(node: Node, pod: Object) -> tuple[Taint, ...]:
    """The taints of the node that keep the pod itself (not the template) out."""
    own = (
        Toleration(text(raw, "key"), text(raw, "operator"), text(raw, "value"), text(raw, "effect"))
        for raw in listed(pod, "spec", "tolerations")
    )
    return untolerated_taints(node.taints, own)


def pod_selector(pod: Object) -> dict[str, str]:
    """The pod's own nodeSelector, with whatever admission added."""
    return texts(pod, "spec", "nodeSelector")


def held_for_claims(waits: Waiting) -> tuple[Evidence, ...]:
    """The ResourceClaims of a pod that nobody has tried: the default scheduler holds it, without a word, until they exist."""
    if waits.word or waits.tried or text(waits.obj, "spec", "schedulerName") not in {"", DEFAULT_SCHEDULER}:
        return ()
    return tuple(
        Evidence(f"Pod/{waits.pod.key}", f"spec.resourceClaims[{i}].{field}", claim[field])
        for i, claim in enumerate(listed(waits.obj, "spec", "resourceClaims"))
        for field in ("resourceClaimName", "resourceClaimTemplateName")
        if isinstance(claim.get(field), str)
    )


def added_selector(daemonset: DaemonSet, pod: Object) -> dict[str, str]:
    """What the pod's nodeSelector has and the template's has not: admission added it."""
    own = texts(daemonset.pod_spec, "nodeSelector")
    return {key: value for key, value in pod_selector(pod).items() if own.get(key) != value}


def read_pairs(written: str) -> dict[str, str]:
    """The pairs of a selector written `key=value,key=value`; what is no pair is left out."""
    pairs = (part.partition("=") for part in written.split(","))
    return {key.strip(): value.lstrip("=").strip() for key, equals, value in pairs if equals and not key.endswith("!")}


def unmet(node: Node, selector: Mapping[str, str]) -> dict[str, str]:
    """The entries of a nodeSelector that the node does not meet."""
    return {key: value for key, value in selector.items() if node.labels.get(key) != value}


def nodes_known_at(world: World, when: datetime | None) -> int:
    """How many of the nodes there are now were there at a time (without one: ten minutes ago)."""
    limit = when if when is not None else world.now - timedelta(minutes=10)
    return sum(node.created is None or node.created <= limit for node in world.snapshot.nodes)
