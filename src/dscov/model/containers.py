"""Which container of a pod keeps it from being ready, in what way, and what was said about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from dscov.kube.objects import listed, text
from dscov.model.cluster import ContainerState, DaemonSet, Event, Node, Object, Pod
from dscov.model.findings import Evidence, Finding
from dscov.model.world import World
from dscov.patterns import pattern

#: Waiting reasons that say nothing by themselves.
CALM = frozenset({"", "ContainerCreating", "PodInitializing"})
IMAGE = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
CONFIG = "CreateContainerConfigError"
#: All other waiting reasons (CrashLoopBackOff, RunContainerError, PostStartHookError, ...) are of its start.
_OTHERWISE = CALM | IMAGE | {CONFIG}
_PLATFORM = pattern(
    r"exec format error|no match for platform|no matching manifest|cannot be used on this platform"
    r"|image operating system|does not match the specified platform|no image found in (manifest list|image index)",
    re.IGNORECASE,
)
#: Longer than the longest back-off between two restarts.
_STEADY = timedelta(minutes=10)


class Culprit(msgspec.Struct, frozen=True):
    """The container that holds a pod up. `path` is where its status stands in the pod."""

    pod: Pod
    container: ContainerState
    path: str
    #: Whether the pod's own containers cannot start before it.
    holds_start: bool = False
    since: datetime | None = None

    @property
    def name(self) -> str:
        """The container's name."""
        return self.container.name

    def evidence(self, field: str, value: object) -> Evidence:
        """What its status says in a field."""
        return Evidence(f"Pod/{self.pod.key}", f"{self.path}.{field}", str(value))


def troubled_pod(world: World, daemonset: DaemonSet, node: Node) -> Pod | None:
    """The live pod that is to be looked at: the oldest that is bound and not ready, as the controller does."""
    pods = world.pods(daemonset, node.name)
    return next((pod for pod in pods if pod.deleted is None and not pod.ready and pod.node_name), None)


def logs_command(
    world: World, daemonset: DaemonSet, finding: Finding, container: str, *, previous: bool = False
) -> str:
    """The command for the logs of the pod that a finding is of, on the first of its nodes.

    `daemonset/NAME` would give those of any pod of the DaemonSet, a healthy one as likely as not.
    """
    nodes = (world.nodes[name] for name in finding.nodes if name in world.nodes)
    pod = next(filter(None, (troubled_pod(world, daemonset, node) for node in nodes)), None)
    words = ["kubectl", "-n", daemonset.namespace, "logs", pod.name if pod else f"daemonset/{daemonset.name}"]
    words += ["-c", container] if container else []
    return " ".join([*words, "--previous"] if previous else words)


def culprit(world: World, daemonset: DaemonSet, node: Node) -> Culprit | None:
    """The container that keeps the daemon's pod on a node from being ready; None where there is none to name."""
    pod = troubled_pod(world, daemonset, node)
    if pod is None or pod.finished:
        return None
    found = next(_ranked(pod, _sidecars(world.object_of(pod))), None)
    return found and msgspec.structs.replace(found, since=_running_since(world.object_of(pod), found))


def is_steady(world: World, found: Culprit) -> bool:
    """Whether the container runs, and for longer than a crash loop leaves between two crashes."""
    return found.container.state == "running" and found.since is not None and world.now - found.since > _STEADY


def _running_since(pod: Object, found: Culprit) -> datetime | None:
    field, _, place = found.path.removeprefix("status.").rstrip("]").partition("[")
    try:
        return datetime.fromisoformat(pod["status"][field][int(place)]["state"]["running"]["startedAt"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _ranked(pod: Pod, sidecars: frozenset[str]) -> Iterator[Culprit]:
    """The init container whose turn it is, else the other containers, the worst first."""
    inits = [one for one in pod.containers if one.init]
    rest = [one for one in pod.containers if not one.init]
    started = any(one.reason != "PodInitializing" for one in rest)
    for place, one in enumerate(inits):
        if one.name in sidecars:
            holds = not one.ready and not started and one.reason != "PodInitializing"
        else:
            holds = not one.ready and not (one.state == "terminated" and one.exit_code == 0)
        if holds:
            yield Culprit(pod, one, f"status.initContainerStatuses[{place}]", holds_start=True)
            return
    found = [
        Culprit(pod, one, f"status.initContainerStatuses[{place}]")
        for place, one in enumerate(inits)
        if one.name in sidecars and not one.ready
    ]
    found += [
        Culprit(pod, one, f"status.containerStatuses[{place}]") for place, one in enumerate(rest) if not one.ready
    ]
    yield from sorted(found, key=lambda one: _badness(one.container))


def _badness(one: ContainerState) -> tuple[bool, bool]:
    return one.reason in CALM and one.restarts == 0, one.state == "running"


def _sidecars(pod: Object) -> frozenset[str]:
    inits = listed(pod, "spec", "initContainers")
    return frozenset(text(one, "name") for one in inits if one.get("restartPolicy") == "Always")


def crashes(one: ContainerState) -> bool:
    """Whether the container ends, or cannot be started, again and again."""
    if one.state == "waiting":
        return one.reason not in _OTHERWISE
    if one.state == "terminated":
        return one.exit_code != 0 or not one.init
    return one.state == "running" and one.restarts > 0 and one.last_exit_code is not None


def names_platform(world: World, found: Culprit) -> tuple[str, Evidence] | None:
    """The words that say that the image is for another platform, of the status or of an event, with their evidence."""
    one = found.container
    fields = (f"state.{one.state}.message", one.message), ("lastState.terminated.message", one.last_message)
    for field, words in fields:
        said = _PLATFORM.search(words)
        if said:
            return last_words(words[said.start() :], 80), found.evidence(field, words)
    for event in said_of(world, found.pod, "Failed", "BackOff", "InspectFailed"):
        said = _PLATFORM.search(event.message)
        if said:
            return last_words(event.message[said.start() :], 80), event_evidence(event)
    return None


def how_it_ended(one: ContainerState) -> tuple[str, str, str, int | None]:
    """Of the last end: the field of the status it stands in, its reason, its message, its exit code."""
    if one.state == "terminated" or (one.last_exit_code is None and not one.last_reason):
        return f"state.{one.state}", one.reason, one.message, one.exit_code
    return "lastState.terminated", one.last_reason, one.last_message, one.last_exit_code


def last_words(text: str, limit: int = 200) -> str:
    """The last line of a message that says something, cut to a length for a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:limit] if lines else ""


def spec_of(daemonset: DaemonSet, container: str) -> tuple[str, Mapping[str, Any]]:
    """The container of that name in the DaemonSet's template, and the path to it; empty where there is none."""
    for kind in ("containers", "initContainers"):
        for place, one in enumerate(listed(daemonset.pod_spec, kind)):
            if one.get("name") == container:
                return f"spec.template.spec.{kind}[{place}]", one
    return "", {}


def said_of(world: World, pod: Pod, *reasons: str) -> Iterator[Event]:
    """The events about a pod for any of these reasons, newest first; events of an earlier pod of the name are not."""
    for event in world.events("Pod", pod.namespace, pod.name):
        if event.reason in reasons and (not event.uid or not pod.uid or event.uid == pod.uid):
            yield event


def event_evidence(event: Event) -> Evidence:
    """An event's message as evidence."""
    return Evidence(f"Event/{event.namespace}/{event.event_name}", "message", event.message)


def healthy_elsewhere(world: World, daemonset: DaemonSet) -> Sequence[Node]:
    """The nodes on which the DaemonSet has a ready pod."""
    key = "healthy", daemonset.key
    if key not in world.memo:
        by_node = world.pods_by_node(daemonset)
        world.memo[key] = [
            world.nodes[name]
            for name, pods in by_node.items()
            if name in world.nodes and any(pod.ready and pod.deleted is None for pod in pods)
        ]
    return world.memo[key]  # type: ignore[no-any-return]
