"""Since when there is a gap, and what changed then, from the times of objects and events.

A pair is without a daemon from the moment when the last of its conditions came to be. Where that moment left a trace
(a taint with its time, a condition's transition, a pod's deletion, the first event) it is exact. Where it left none,
as with labels and most taints, all that is known is that it cannot have been before node, DaemonSet and template were
there; the latest of these is named, and the time is not exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.findings import Evidence, Finding, Since
from dscov.model.world import World, once

#: All that can have changed.
CHANGES = (
    "node-joined",
    "daemonset-created",
    "template-changed",
    "taint-added",
    "node-condition",
    "pod-deleted",
    "pod-not-ready",
    "pod-created",
    "creation-refused",
    "first-event",
)

#: A change this long before the gap opened is worth telling.
_SHORTLY = timedelta(minutes=5)
#: A pod that was not ready from so soon after its creation has never been.
_AT_ONCE = timedelta(minutes=1)
#: Events that tell of a pod in trouble.
_TROUBLE = frozenset({"BackOff", "Unhealthy", "Failed", "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"})
#: Taints that are nothing but the shadow of the node's Ready condition.
_SHADOWS = ("node.kubernetes.io/unreachable:", "node.kubernetes.io/not-ready:")
_AVAILABLE = frozenset({"covered", "outdated", "starting"})


def since(world: World, daemonset: DaemonSet, finding: Finding, states: Mapping[str, str]) -> Since | None:
    """When the first of the finding's gaps opened; `states` holds the state of every node that is a gap or unwanted.

    None where no node of the finding is in trouble or no time is known.
    """
    facts = dict(finding.facts)
    nodes = (world.nodes[name] for name in finding.nodes if name in states and name in world.nodes)
    found = [one for node in nodes for one in _opened(world, daemonset, node, (states[node.name], facts))]
    return min(found, key=lambda one: (not one.exact, one.time, one.node), default=None)


def _opened(world: World, daemonset: DaemonSet, node: Node, told: tuple[str, Mapping[str, str]]) -> Iterator[Since]:
    exact = next(_exactly(world, daemonset, node, told), None)
    begun = list(_begun(world, daemonset, node))
    if exact is not None:
        before = [
            one for one in begun if timedelta(0) <= exact.time - one.time <= _SHORTLY and one.change != exact.change
        ]
        after = max(before, key=lambda one: one.time, default=None)
        yield Since(
            exact.time,
            exact.change,
            exact.about,
            node.name,
            after=after.change if after else "",
            evidence=(*exact.evidence, *(after.evidence if after else ())),
        )
    elif begun and told[0] not in _AVAILABLE:
        latest = max(begun, key=lambda one: one.time)
        yield Since(latest.time, latest.change, latest.about, node.name, exact=False, evidence=latest.evidence)


def _exactly(world: World, daemonset: DaemonSet, node: Node, told: tuple[str, Mapping[str, str]]) -> Iterator[Since]:
    """What left a trace when the gap opened, the most telling first."""
    state, facts = told
    pods = world.pods(daemonset, node.name)
    if state in {"excluded", "misscheduled"}:
        yield from _taint(node, facts.get("taint", ""))
        if facts.get("taint", _SHADOWS[0]).startswith(_SHADOWS) and (state == "misscheduled" or "taint" in facts):
            yield from _condition(node)
        return
    yield from _condition(node)
    if state == "missing":
        yield from _refused(world, daemonset, node)
    live = [pod for pod in pods if pod.deleted is None]
    for pod in live[:1]:
        yield from _pod(world, pod, node)
    for pod in pods:
        if pod.deleted is not None:
            claim = _claim(f"Pod/{pod.key}", "metadata.deletionTimestamp", pod.deleted)
            yield Since(pod.deleted, "pod-deleted", pod.name, node.name, evidence=(claim,))


def _condition(node: Node) -> Iterator[Since]:
    """Since when the node says, or others say of it, that it is not ready."""
    if node.ready is not None and node.ready.status != "True" and node.ready.since is not None:
        place = next(i for i, one in enumerate(node.conditions) if one.type == "Ready")
        claim = _claim(f"Node/{node.name}", f"status.conditions[{place}].lastTransitionTime", node.ready.since)
        yield Since(node.ready.since, "node-condition", f"Ready={node.ready.status}", node.name, evidence=(claim,))


def _pod(world: World, pod: Pod, node: Node) -> Iterator[Since]:
    """Since when a pod is in trouble; a pod that crashes again and again gets ready in between, so its events count."""
    if pod.created is None:
        return
    made = (_claim(f"Pod/{pod.key}", "metadata.creationTimestamp", pod.created),)
    restarted = any(one.restarts for one in pod.containers)
    for event in sorted(
        world.events("Pod", pod.namespace, pod.name), key=lambda e: (e.first or world.now, e.event_name)
    ):
        if restarted and event.first and event.reason in _TROUBLE and event.uid in {"", pod.uid}:
            claim = Evidence(f"Event/{event.namespace}/{event.event_name}", "reason", event.reason)
            yield Since(event.first, "first-event", event.reason, node.name, evidence=(claim,))
    late = pod.ready_since is not None and pod.ready_since - pod.created > _AT_ONCE
    if pod.ready or restarted or not late or pod.ready_since is None:
        yield Since(pod.created, "pod-created", pod.name, node.name, evidence=made)
        return
    place = next((i for i, one in enumerate(pod.conditions) if one.type == "Ready"), 0)
    claim = _claim(f"Pod/{pod.key}", f"status.conditions[{place}].lastTransitionTime", pod.ready_since)
    yield Since(pod.ready_since, "pod-not-ready", pod.name, node.name, evidence=(claim,))


def _taint(node: Node, taint: str) -> Iterator[Since]:
    for place, (one, time) in enumerate(zip(node.taints, node.taint_times, strict=False)):
        if time is not None and str(one) == taint:
            claim = _claim(f"Node/{node.name}", f"spec.taints[{place}].timeAdded", time)
            yield Since(time, "taint-added", taint, node.name, evidence=(claim,))


def _refused(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Since]:
    """The first refusal to create a pod that is still told of, unless the node came later."""
    told = [
        (event.first, event.event_name, event)
        for event in world.events("DaemonSet", daemonset.namespace, daemonset.name)
        if event.reason == "FailedCreate" and event.first is not None
    ]
    for time, name, event in sorted(told, key=lambda one: one[:2])[:1]:
        if node.created is None or time >= node.created:
            claim = Evidence(f"Event/{event.namespace}/{name}", "reason", event.reason)
            yield Since(time, "creation-refused", event.reason, node.name, evidence=(claim,))


def _begun(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Since]:
    """What must be there before anything can be missing."""
    revision = once(world, ("current-revision", daemonset.key), lambda: world.current_revision(daemonset))
    if node.created:
        claim = _claim(f"Node/{node.name}", "metadata.creationTimestamp", node.created)
        yield Since(node.created, "node-joined", node.name, node.name, evidence=(claim,))
    if daemonset.created:
        claim = _claim(f"DaemonSet/{daemonset.key}", "metadata.creationTimestamp", daemonset.created)
        yield Since(daemonset.created, "daemonset-created", daemonset.name, node.name, evidence=(claim,))
    if revision is not None and revision.created and revision.created != daemonset.created:
        name = f"ControllerRevision/{revision.namespace}/{revision.name}"
        claim = _claim(name, "metadata.creationTimestamp", revision.created)
        yield Since(revision.created, "template-changed", str(revision.revision), node.name, evidence=(claim,))


def _claim(obj: str, field: str, time: datetime) -> Evidence:
    return Evidence(obj, field, time.strftime("%Y-%m-%dT%H:%M:%SZ"))
