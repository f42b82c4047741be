"""A rolling update cannot go on: nodes without an available pod use up its whole budget (maxUnavailable, or maxSurge).

A surge may wait for itself: the node has no room for two pods, so the new one never comes, and the old one stays.
A node counts against the budget while it has no live pod, or a new one that is not available. A dead node counts for
ever: its pod is deleted and cannot finish. With the default budget of one it stops the rollout on all other nodes.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.messages import Plugin
from dscov.kube.objects import part
from dscov.kube.rollout import Step
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.reconcile import computed
from dscov.model.rollout import rollout
from dscov.model.states import is_starting
from dscov.model.surge import waits_for_its_own, without_surge
from dscov.model.world import World

_SHOWN = 4


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """Rollouts with old pods left of which none may go, but for surges that wait for a host port."""
    step = rollout(world, daemonset)
    if step is None:
        return
    nodes = tuple(dict.fromkeys(step.counted))
    there = [world.nodes[name] for name in nodes if name in world.nodes]
    waits = {waits_for_its_own(world, daemonset, node) for node in there}
    itself = waits == {Plugin.RESOURCES}
    if Plugin.PORTS in waits or not (step.blocked or itself):
        return
    whys = {node.name: _why(world, daemonset, node) for node in there}
    dead = [node.name for node in there if is_lost(node)]
    field = "maxSurge" if daemonset.strategy.surges else "maxUnavailable"
    listed = ", ".join(f"{name} ({why})" for name, why in list(whys.items())[:_SHOWN])
    more = f" and {len(whys) - _SHOWN} more" if len(whys) > _SHOWN else ""
    passing = all(_passes(world, daemonset, node) for node in there)
    left = len(step.candidates) + len(nodes) * itself
    yield Hit(
        (
            ("left", "1 old pod waits" if left == 1 else f"{left} old pods wait"),
            ("field", field),
            ("budget", str(step.budget)),
            ("by", f"{listed}{more}"),
            ("live", "" if len(dead) == len(whys) else "yes"),
            ("passing", "yes" if passing else ""),
            ("itself", "yes" if itself else ""),
        ),
        tuple(_evidence(world, daemonset, field, dead)),
        severity="info" if passing else "",
        nodes=nodes,
    )


def _why(world: World, daemonset: DaemonSet, node: Node) -> str:
    pods = world.pods(daemonset, node.name)
    if is_lost(node):
        return "its node does not report"
    if not pods:
        return "no pod"
    live = [pod for pod in pods if pod.deleted is None]
    if not live:
        return "its pod is terminating"
    if len(live) > 1:
        full = waits_for_its_own(world, daemonset, node) is Plugin.RESOURCES
        return "no room for its new pod beside the old one" if full else f"{len(live)} pods"
    return f"its {'new' if world.is_updated(daemonset, live[0]) else 'old'} pod is not available"


def _passes(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the node counts only as long as a rollout takes anyway."""
    pods = world.pods(daemonset, node.name)
    return not is_lost(node) and bool(pods) and all(_is_fresh(world, pod, node) for pod in pods)


def _is_fresh(world: World, pod: Pod, node: Node) -> bool:
    if pod.deleted is not None:
        return world.now - pod.deleted < world.grace.pod
    return pod.ready or is_starting(world, pod, node)


def _evidence(world: World, daemonset: DaemonSet, field: str, dead: list[str]) -> Iterator[Evidence]:
    value = _written(daemonset).get(field)
    if value is not None:
        path = f"spec.updateStrategy.rollingUpdate.{field}"
        yield Evidence(f"DaemonSet/{daemonset.key}", path, str(value))
    for name in dead[:_SHOWN]:
        node = world.nodes[name]
        if node.ready:
            place = node.conditions.index(node.ready)
            yield Evidence(f"Node/{name}", f"status.conditions[{place}].status", node.ready.status)


def _written(daemonset: DaemonSet) -> Mapping[str, Any]:
    return part(daemonset.obj, "spec", "updateStrategy", "rollingUpdate")


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Room for dead nodes; else the pods that do not get available."""
    facts = dict(finding.facts)
    status = f"kubectl -n {daemonset.namespace} rollout status daemonset/{daemonset.name}"
    if facts["passing"]:
        return Remedy("no-patch", "wait: the rollout is at work", why="the pods are young", actions=(status,))
    if facts["itself"]:
        return without_surge(daemonset, "the nodes have no room for two pods: the old one is to go first")
    step = rollout(world, daemonset)
    if facts["live"] or step is None:
        return Remedy(
            "no-patch",
            "get the pods on these nodes available, or roll back",
            why="more room in the budget would only spread pods that do not get available",
            actions=(status, f"kubectl -n {daemonset.namespace} rollout undo daemonset/{daemonset.name}"),
        )
    value = _roomy(step, facts["field"], daemonset, computed(world, daemonset).desired_number_scheduled)
    return Remedy(
        "patch",
        f"raise {facts['field']} to {value}, or take the dead nodes away",
        why="leaves room for the dead nodes, so that live ones are updated; removing their Node objects does the same",
        actions=tuple(f"kubectl delete node {name}  # only if the machine is gone" for name in finding.nodes[:3]),
        target=daemonset.key,
        patch=tuple(_raising(daemonset, facts["field"], value)),
    )


def _roomy(step: Step, field: str, daemonset: DaemonSet, desired: int) -> int | str:
    """The least budget with room for one more node, as a count or a percentage, whichever is in use."""
    needed = len(step.counted) + 1
    if isinstance(_written(daemonset).get(field), str) and desired:
        return f"{min(100, 100 * (needed - 1) // desired + 1)}%"
    return needed


def _raising(daemonset: DaemonSet, field: str, value: int | str) -> Iterator[Mapping[str, Any]]:
    path = "/spec/updateStrategy/rollingUpdate"
    written = _written(daemonset)
    if written:
        yield {"op": "replace" if field in written else "add", "path": f"{path}/{field}", "value": value}
    else:
        yield {
            "op": "add",
            "path": "/spec/updateStrategy",
            "value": {"type": "RollingUpdate", "rollingUpdate": {field: value}},
        }


CAUSE = Cause(
    code="DSC701",
    slug="rollout-blocked",
    title="the rolling update is stuck",
    says="{left}: {field} {budget} is used up by {by}",
    survey=survey,
    cure=cure,
)
