"""What helps a daemon pod that finds no room: a higher priority, a larger node, or less on it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dscov.kube.affinity import Affinity
from dscov.kube.messages import Plugin
from dscov.kube.objects import text
from dscov.model.capacity import Room, class_above, fits_without, going, priority_of, priority_to_beat, short_of
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.findings import Finding, Remedy
from dscov.model.scheduling import waiting
from dscov.model.surge import SUMMARY, waits_for_its_own
from dscov.model.world import World

_PATH = "/spec/template/spec/priorityClassName"

#: From here on the kubelet holds a pod for critical; the classes of it are the system's own.
_CRITICAL = 2_000_000_000

#: Labels that a provisioner gives its nodes only after they have joined.
_LATE = ("karpenter.sh/registered", "karpenter.sh/initialized")


def make_room(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The remedy for the pods that wait on the nodes of a finding, from the plainest obstacle to the last resort."""
    waits = list(_waits(world, daemonset, finding))
    lacking = [found for node, pod in waits for found in short_of(world, node, pod)]
    if any(found.too_small for found in lacking):
        return _too_small(daemonset, lacking)
    if waits and all(fits_without(world, node, pod, going(world, node)) for node, pod in waits):
        return Remedy(
            "no-patch", "wait: pods of the node are going, and leave room enough", why="they hold it until then"
        )
    if waits and all(waits_for_its_own(world, daemonset, node) is Plugin.RESOURCES for node, _ in waits):
        return _without_surge(world, daemonset)
    if any(is_provisioned(node) for node, _ in waits):
        return _sizing(world, daemonset)
    own = max((priority_of(pod) for _, pod in waits), default=0)
    beaten = [priority_to_beat(world, node, pod) for node, pod in waits]
    known = [priority for priority in beaten if priority is not None]
    if lacking and len(known) < len(beaten):
        return _nothing_to_evict(daemonset)
    return _outrank(world, daemonset, own=own, beat=max(known, default=own), seen=bool(lacking))


def _without_surge(world: World, daemonset: DaemonSet) -> Remedy:
    """No patch of this finding: whether the rollout as a whole is to go on so is told with it (rollout-blocked)."""
    command = f"kubectl dscov fix daemonset/{daemonset.name} -n {daemonset.namespace}"
    path = world.snapshot.source.path
    source = f" --from {shlex.quote(path)}" if path else ""
    return Remedy(
        "no-patch",
        SUMMARY,
        why="the old pod holds the room that the new one waits for",
        actions=(f"{command} --set-max-surge 0 --set-max-unavailable 1{source}",),
    )


def _waits(world: World, daemonset: DaemonSet, finding: Finding) -> Iterator[tuple[Node, Object]]:
    for name in finding.nodes:
        waits = waiting(world, daemonset, world.nodes[name])
        if waits:
            yield world.nodes[name], waits.obj


def is_provisioned(node: Node) -> bool:
    """Whether the node was made to measure for waiting pods: by Karpenter, or EKS Auto Mode."""
    auto = node.labels.get("eks.amazonaws.com/compute-type") == "auto"
    return auto or any(key.partition("/")[0].startswith("karpenter.") for key in node.labels)


def _outrank(world: World, daemonset: DaemonSet, *, own: int, beat: int, seen: bool) -> Remedy:
    if own > beat and _may_preempt(world, daemonset):
        return Remedy(
            "no-patch",
            "wait: the scheduler can evict pods of lower priority; if nothing moves, evict one by hand",
            why="the pod outranks pods that hold enough of the node",
        )
    name = class_above(world, daemonset, own, beat)
    if name:
        return Remedy(
            "patch",
            f"set priorityClassName {name}",
            why="the pod can run on this node only, and preemption evicts pods of strictly lower priority",
            actions=("or move one of the pods that hold the node, or lower the daemon's requests",),
            target=daemonset.key,
            patch=(priority_patch(daemonset, name),),
        )
    if max(own, beat) >= _CRITICAL - 1:
        return _nothing_to_evict(daemonset)
    value, path = max(own, beat) + 1, world.snapshot.source.path
    outranked = "no existing class outranks the pods that hold the node" if seen else "who holds the node was not seen"
    return Remedy(
        "policy",
        f"create a PriorityClass above {value - 1} for node agents and set it as priorityClassName",
        why=f"{outranked}; the system classes are not for other namespaces",
        actions=(
            f"kubectl create priorityclass node-agents --value={max(value, 1_000_000)}",
            f"kubectl dscov fix daemonset/{daemonset.name} -n {daemonset.namespace} --set-priority-class node-agents"
            + (f" --from {shlex.quote(path)}" if path else ""),
        ),
    )


def _may_preempt(world: World, daemonset: DaemonSet) -> bool:
    name = text(daemonset.pod_spec, "priorityClassName")
    classes = world.snapshot.others.get("PriorityClass", ())
    return not any(
        text(one, "metadata", "name") == name and text(one, "preemptionPolicy") == "Never" for one in classes
    )


def priority_patch(daemonset: DaemonSet, name: str) -> Mapping[str, Any]:
    """The RFC 6902 operation that sets the class."""
    there = "priorityClassName" in daemonset.pod_spec
    return {"op": "replace" if there else "add", "path": _PATH, "value": name}


def _too_small(daemonset: DaemonSet, lacking: Sequence[Room]) -> Remedy:
    offered = all(found.allocatable for found in lacking if found.too_small)
    names = ", ".join(dict.fromkeys(found.resource for found in lacking if found.too_small))
    if not offered:
        return Remedy(
            "policy",
            f"make the node offer {names} (its device plugin or setting), or keep the daemon off nodes without it",
            why="eviction cannot help: the node has none of it",
            actions=(f"kubectl -n {daemonset.namespace} get daemonset {daemonset.name} -o yaml",),
        )
    return Remedy(
        "policy",
        f"lower the daemon's requests for {names}, or use larger nodes",
        why="eviction cannot help: the pod asks for more than the empty node has",
        actions=(
            f"kubectl -n {daemonset.namespace} set resources daemonset {daemonset.name} --requests=RESOURCE=AMOUNT",
        ),
    )


def _sizing(world: World, daemonset: DaemonSet) -> Remedy:
    late = [key for key in _selected(daemonset) if key in _LATE]
    name = class_above(world, daemonset, 0)
    do = f"give the daemon priority class {name}" if name else "give the daemon a priority class above the workloads"
    return Remedy(
        "policy",
        "make the provisioner count the daemon: "
        + ("drop the selector on a label that comes late" if late else "its requests"),
        why="the node was sized without the daemon and filled before it came; its spec places it correctly",
        actions=(
            do,
            *(f"drop {key} from the selector: the provisioner cannot see it before the node is there" for key in late),
            "upgrade the provisioner, or set a larger minimum size in the node pool",
        ),
    )


def _selected(daemonset: DaemonSet) -> Iterator[str]:
    template = daemonset.template
    yield from (entry.key for entry in template.node_selector)
    for term in (template.affinity or Affinity()).terms:
        yield from (entry.key for entry in term.expressions)


def _nothing_to_evict(daemonset: DaemonSet) -> Remedy:
    return Remedy(
        "policy",
        "free the node: fewer or smaller pods of equal or higher priority, a larger node, or smaller daemon requests",
        why="no priority that the daemon may have evicts enough from the node",
        actions=(
            f"kubectl -n {daemonset.namespace} set resources daemonset {daemonset.name} --requests=RESOURCE=AMOUNT",
        ),
    )
