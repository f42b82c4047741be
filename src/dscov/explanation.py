"""Every question that the control plane asks of one DaemonSet on one node, in its order, each with the fact it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from dscov.kube.taints import BLOCKING, Taint, Toleration, tolerates
from dscov.model.cluster import DaemonSet, Node, Pod, Snapshot
from dscov.model.grace import USUAL, Grace
from dscov.model.states import is_available, state_of
from dscov.model.tolerations import slip_of
from dscov.model.world import World

YES, NO, UNKNOWN, SKIPPED = "yes", "no", "unknown", "-"


class Step(msgspec.Struct, frozen=True):
    """One question (a word that the renderer has a sentence for), its answer, and the facts of the answer."""

    question: str
    answer: str
    facts: tuple[tuple[str, str], ...] = ()


class Walk(msgspec.Struct, frozen=True):
    """The walk, the state it ends in, and what a covered node (`sibling`, or empty) has otherwise."""

    daemonset: DaemonSet
    node: Node
    state: str
    steps: tuple[Step, ...]
    sibling: str = ""
    differences: tuple[tuple[str, str, str], ...] = ()


def explain(snapshot: Snapshot, daemonset: DaemonSet, node: Node, *, now: datetime, grace: Grace = USUAL) -> Walk:
    """Walk `daemonset` through `node`, both of the snapshot, by the clock `now`."""
    world = World(snapshot, now, grace=grace)
    pods = world.pods(daemonset, node.name)
    placement = world.placement(daemonset, node)
    steps = (*_eligibility(world, daemonset, node), *_life(world, daemonset, node, pods))
    covered = any(is_available(world, daemonset, pod) and not pod.deleted for pod in pods)
    sibling = None if covered else _sibling(world, daemonset, node)
    return Walk(
        daemonset,
        node,
        "unknown" if not world.sees_pods_of(daemonset.namespace) else state_of(world, daemonset, node, placement, pods),
        steps,
        sibling.name if sibling else "",
        tuple(_differences(node, sibling)) if sibling else (),
    )


def _eligibility(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Step]:
    """What the DaemonSet controller asks."""
    template = daemonset.template
    if template.node_name:
        yield _step("nodeName", template.node_name == node.name, wanted=template.node_name)
    for entry in template.node_selector:
        yield _step("nodeSelector", entry.matches(node.labels), entry=str(entry), have=_label(node, entry.key))
    if not template.node_selector:
        yield Step("noNodeSelector", YES)
    yield from _affinity(daemonset, node)
    for taint in node.taints:
        yield _taint(world, taint, daemonset)
    if not node.taints:
        yield Step("noTaints", YES)
    placement = world.placement(daemonset, node)
    for reason in placement.reasons:
        if reason.selector:
            yield _step("project", False, selector=str(reason.selector), namespace=daemonset.namespace)
    yield _step("shouldRun", placement.should_run)
    if not placement.should_run:
        yield _step("shouldContinueRunning", placement.should_continue_running)


def _affinity(daemonset: DaemonSet, node: Node) -> Iterator[Step]:
    affinity = daemonset.template.affinity
    if affinity is None:
        yield Step("noAffinity", YES)
        return
    for number, term in enumerate(affinity.terms, 1):
        failures = term.failures(node.name, node.labels)
        yield _step(
            "affinityTerm",
            not failures,
            number=str(number),
            count=str(len(affinity.terms)),
            term=str(term),
            failures=" and ".join(map(str, failures)),
        )
    if not affinity.terms:
        yield _step("affinityTerm", False, number="0", count="0", term="(none)", failures="there is no term")


def _taint(world: World, taint: Taint, daemonset: DaemonSet) -> Step:
    if taint.effect not in BLOCKING:
        return Step("taintIgnored", YES, (("taint", str(taint)), ("effect", taint.effect)))
    met = next((t for t in daemonset.template.tolerations if tolerates(t, taint)), None)
    if met is None:
        return _step("taint", False, taint=str(taint), near=_nearest(world, taint, daemonset))
    return _step("taint", True, taint=str(taint), by=_described(met, daemonset))


def _nearest(world: World, taint: Taint, daemonset: DaemonSet) -> str:
    """The toleration that was meant for the taint, or is at least of its key, and what it misses it by; or empty."""
    own = daemonset.template.own_tolerations
    slip = slip_of(world, daemonset, taint)
    if slip:
        return f"{own[slip.place]} (tolerations[{slip.place}]), whose {slip.what} differs"
    place = next((place for place, one in enumerate(own) if one.key == taint.key), None)
    if place is None:
        return ""
    differs = [what for what in ("value", "effect") if getattr(own[place], what) not in {"", getattr(taint, what)}]
    return f"{own[place]} (tolerations[{place}])" + (f", whose {' and '.join(differs)} differs" if differs else "")


def _described(toleration: Toleration, daemonset: DaemonSet) -> str:
    own = daemonset.template.own_tolerations
    if toleration not in own:
        return f"{toleration}, which the controller adds by itself"
    limit = f", for {toleration.seconds} s only" if toleration.seconds is not None else ""
    return f"{toleration} (tolerations[{own.index(toleration)}]{limit})"


def _life(world: World, daemonset: DaemonSet, node: Node, pods: Sequence[Pod]) -> Iterator[Step]:
    """What becomes of the pod: created, bound, started, ready, available."""
    if not world.sees_pods_of(daemonset.namespace):
        yield Step("created", UNKNOWN)
        return
    ready = node.ready
    if ready and ready.status != "True":
        yield _step("nodeReady", False, status=ready.status, reason=ready.reason, message=ready.message)
    if not pods:
        event = next(
            (e for e in world.events("DaemonSet", daemonset.namespace, daemonset.name) if e.type == "Warning"), None
        )
        wanted = world.placement(daemonset, node).should_run
        yield (
            _step("created", False, event=event.message if event and wanted else "")
            if wanted
            else Step("created", SKIPPED)
        )
        return
    for pod in pods:
        yield _step("created", True, pod=pod.name)
        yield from _pod(world, daemonset, pod)


def _pod(world: World, daemonset: DaemonSet, pod: Pod) -> Iterator[Step]:
    if pod.deleted:
        yield _step("terminating", False, pod=pod.name, since=_instant(pod.deleted))
    if not pod.node_name:
        scheduled = pod.condition("PodScheduled")
        yield _step(
            "bound", False, message=scheduled.message if scheduled else "", reason=scheduled.reason if scheduled else ""
        )
        return
    yield _step("bound", True, node=pod.node_name)
    if pod.finished:
        yield _step("admitted", False, phase=pod.phase, reason=pod.reason, message=pod.message)
        return
    for container in pod.containers:
        if container.ready or (container.init and container.state == "terminated" and container.exit_code == 0):
            continue
        yield _step(
            "started",
            container.state == "running",
            container=container.name,
            state=container.state or "not started",
            reason=container.reason,
            message=container.message,
            restarts=str(container.restarts),
            last=container.last_message or container.last_reason,
            exit_code="" if container.last_exit_code is None else str(container.last_exit_code),
        )
    yield _step("ready", pod.ready, since=_instant(pod.ready_since) if pod.ready_since else "")
    if pod.ready:
        yield _step("available", is_available(world, daemonset, pod), seconds=str(daemonset.min_ready_seconds))
    if world.tells_revisions(daemonset):
        yield _step("updated", world.is_updated(daemonset, pod))
    else:
        yield Step("updated", UNKNOWN)


def _sibling(world: World, daemonset: DaemonSet, node: Node) -> Node | None:
    """A node on which the DaemonSet is available, the likest to `node` by its labels."""

    def covered(other: Node) -> bool:
        return (
            other.name != node.name
            and other.name not in world.leaving
            and any(
                is_available(world, daemonset, pod) and not pod.deleted for pod in world.pods(daemonset, other.name)
            )
        )

    return max(filter(covered, world.snapshot.nodes), key=lambda other: (_alike(node, other), other.name), default=None)


def _alike(a: Node, b: Node) -> int:
    return len(a.labels.items() & b.labels.items())


def _differences(node: Node, sibling: Node) -> Iterator[tuple[str, str, str]]:
    """(what, here, there) of all that differs, but for what is a node's own."""
    for key in sorted(node.labels.keys() | sibling.labels.keys()):
        here, there = node.labels.get(key), sibling.labels.get(key)
        if here == node.name or there == sibling.name:
            continue
        if here != there:
            yield f"label {key}", "absent" if here is None else f'"{here}"', "absent" if there is None else f'"{there}"'
    for taint in (*node.taints, *sibling.taints):
        if (taint in node.taints) != (taint in sibling.taints):
            yield f"taint {taint}", *(("present", "absent") if taint in node.taints else ("absent", "present"))
    for field in ("os", "architecture", "kubelet"):
        here, there = getattr(node.info, field), getattr(sibling.info, field)
        if here != there:
            yield field, here, there
    if node.unschedulable != sibling.unschedulable:
        yield "cordoned", str(node.unschedulable).lower(), str(sibling.unschedulable).lower()


def _label(node: Node, key: str) -> str:
    have = node.labels.get(key)
    return "no such label" if have is None else f'{key}="{have}"'


def _instant(time: datetime) -> str:
    """As the API writes it."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _step(question: str, good: bool, **facts: str) -> Step:
    return Step(question, YES if good else NO, tuple(facts.items()))
