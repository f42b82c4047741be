"""The container runs and is not ready: its readiness or startup probe fails, or a readiness gate is not met."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.containers import crashes, culprit, event_evidence, is_steady, logs_command, said_of, troubled_pod
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost, is_not_ready
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods whose containers run, on a node that reports."""
    pod = None if is_lost(node) else troubled_pod(world, daemonset, node)
    if pod is None or pod.finished:
        return
    found = culprit(world, daemonset, node)
    if found is None:
        yield from _gates(pod, node)
        return
    one = found.container
    if found.holds_start or one.state != "running" or (crashes(one) and not is_steady(world, found)):
        return
    told = list(said_of(world, pod, "Unhealthy"))
    probe = next((event for event in told if event.message.startswith(("Readiness", "Startup"))), None)
    shown = found.evidence("ready", "false"), found.evidence("restartCount", one.restarts)
    yield Hit(
        (("container", f"container {one.name}"), ("words", f": {probe.message[:200]}" if probe else "")),
        (*shown, *([event_evidence(probe)] if probe else [])),
    )


def _gates(pod: Pod, node: Node) -> Iterator[Hit]:
    """Readiness gates; on a node that is not ready the pod's condition is the node's doing."""
    if not pod.containers or is_not_ready(node):
        return
    ready = pod.condition("Ready")
    if ready is None:
        yield Hit(
            (("container", "the pod"), ("words", ": its Ready condition is missing")),
            (Evidence(f"Pod/{pod.key}", "status.phase", pod.phase),),
        )
        return
    words = f": {ready.reason} {ready.message}".rstrip(": ")
    shown = Evidence(f"Pod/{pod.key}", f"status.conditions[{pod.conditions.index(ready)}].status", ready.status)
    yield Hit((("container", "the pod"), ("words", words)), (shown,))


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The probe, or what it asks for."""
    _, _, container = dict(finding.facts)["container"].partition("container ")
    return Remedy(
        "no-patch",
        "mend what the probe asks for, or the probe",
        why="not a placement problem: the pod runs",
        actions=(logs_command(world, daemonset, finding, container),),
    )


CAUSE = Cause(
    code="DSC502",
    slug="readiness-failing",
    title="the container runs and does not get ready",
    says="{container} runs and is not ready{words}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
