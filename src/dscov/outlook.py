"""What comes with a patch beside the nodes gained and lost: restarts, room on the new nodes, owners of the fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from dscov.kube.objects import listed, name_of, part, steps_of, text
from dscov.kube.revisions import Budget
from dscov.model.capacity import STAY, SYSTEM_CLASSES, in_words, owner_name, port_holders, priority_to_beat, short_of
from dscov.model.cluster import DaemonSet, Node, Object, Snapshot
from dscov.model.owners import keeper_of
from dscov.model.proposals import Option, Outlook, Proposal, Squeeze
from dscov.model.reconcile import computed
from dscov.model.rollout import outdated_nodes
from dscov.model.world import World
from dscov.simulation import effect_of, patched

#: The name under which this tool writes to a server.
FIELD_MANAGER = "kubectl-dscov"


def foresee(snapshot: Snapshot, proposals: Sequence[Proposal], *, now: datetime) -> tuple[Proposal, ...]:
    """The proposals, every option with what comes with it."""
    world = World(snapshot, now)
    return tuple(
        msgspec.structs.replace(one, options=tuple(_foreseen(world, one.daemonset, option) for option in one.options))
        for one in proposals
    )


def assess(snapshot: Snapshot, daemonset: DaemonSet, option: Option, *, now: datetime) -> Option:
    """An option with its effect on the nodes as they are in `snapshot`; ValueError where its patch does not apply."""
    return msgspec.structs.replace(option, effect=effect_of(World(snapshot, now), daemonset, option.patch))


def _foreseen(world: World, daemonset: DaemonSet, option: Option) -> Option:
    after = patched(daemonset, option.patch)
    gained = [world.nodes[name] for name in option.effect.gains if name in world.nodes]
    owner = keeper_of(daemonset)
    outlook = Outlook(
        restarts=option.effect.restarts or 0,
        waiting=_waiting(world, daemonset, after),
        at_once=_at_once(world, daemonset, after, option),
        on_delete=after.strategy.type == "OnDelete",
        squeezed=tuple(_squeezed(world, after, gained)),
        room_seen=_sees_pods_on(world, gained),
        managers=tuple(_losing(daemonset, option)),
        owner=owner.kind,
        owner_name=owner.name,
        fate=owner.fate,
        source=owner.source,
        reverts=owner.reverts,
    )
    return msgspec.structs.replace(option, outlook=outlook)


def _waiting(world: World, daemonset: DaemonSet, after: DaemonSet) -> int:
    """Old pods whose rollout goes on because the update strategy changes."""
    changed = after.strategy != daemonset.strategy and after.strategy.type == "RollingUpdate"
    return len(outdated_nodes(world, daemonset)) if changed else 0


def _at_once(world: World, daemonset: DaemonSet, after: DaemonSet, option: Option) -> int:
    """How many pods the rollout may have replaced at one time; 0 where it does not roll or cannot be read."""
    if after.strategy.type != "RollingUpdate":
        return 0
    wanted = computed(world, daemonset).desired_number_scheduled
    budget = Budget(after.strategy, wanted + len(option.effect.gains) - len(option.effect.loses))
    try:
        return budget.max_surge if after.strategy.surges else budget.usable_unavailable
    except ValueError:
        return 0


# -- room ---------------------------------------------------------------------------------------------------------


def _sees_pods_on(world: World, nodes: Sequence[Node]) -> bool:
    """Whether all pods on these nodes were read, of whatever owner; a live reading takes them node by node."""
    if world.snapshot.source.kind == "saved":
        return world.sees_pods_of("")
    return all(node.name in world.snapshot.bound for node in nodes)


def _squeezed(world: World, after: DaemonSet, nodes: Sequence[Node]) -> Iterator[Squeeze]:
    pod = _new_pod(world, after)
    for node in nodes:
        rooms = list(short_of(world, node, pod))
        short = [
            f"{found.resource}: asks {in_words(found.asked, found.resource, up=True)}, "
            f"{in_words(max(0, found.free), found.resource)} free"
            for found in rooms
        ]
        short += [
            f"host port {port} is held by {owner_name(other)}" for port, other, _ in port_holders(world, node, pod)
        ]
        if short:
            yield Squeeze(node.name, tuple(short), tuple(_evicted(world, node, pod)) if rooms else ())


def _evicted(world: World, node: Node, pod: Object) -> Iterator[str]:
    """The owners whose pods the scheduler may take away for this one."""
    beaten = priority_to_beat(world, node, pod)
    own = part(pod, "spec")["priority"]
    if beaten is None or beaten >= own or text(pod, "spec", "preemptionPolicy") == "Never":
        return
    names: dict[str, None] = {}
    for found in short_of(world, node, pod):
        below = [holder.name for holder in found.holders if holder.priority <= beaten]
        names |= dict.fromkeys(name for name in below if not name.startswith(STAY))
    yield from names


def _new_pod(world: World, daemonset: DaemonSet) -> Object:
    """The pod that the template makes, with the priority that admission will give it."""
    template = part(daemonset.obj, "spec", "template")
    spec = dict(part(template, "spec"))
    name = text(spec, "priorityClassName")
    classes = list(world.snapshot.others.get("PriorityClass", ()))
    found = next((one for one in classes if (name_of(one) == name if name else one.get("globalDefault") is True)), {})
    value = found.get("value", SYSTEM_CLASSES.get(name, 0))
    spec["priority"] = value if isinstance(value, int) else 0
    spec.setdefault("preemptionPolicy", found.get("preemptionPolicy") or "PreemptLowerPriority")
    return {"metadata": {**part(template, "metadata"), "namespace": daemonset.namespace}, "spec": spec}


# -- fields -------------------------------------------------------------------------------------------------------


def fields_of(option: Option) -> tuple[tuple[str, ...], ...]:
    """The fields that a patch writes, as paths of keys; what is below a field of the pod's spec counts as that field."""
    found: dict[tuple[str, ...], None] = {}
    for operation in option.patch:
        way = steps_of(str(operation["path"]))
        found[tuple(way[: 4 if way[:3] == ["spec", "template", "spec"] else 2])] = None
    return tuple(found)


def _losing(daemonset: DaemonSet, option: Option) -> Iterator[tuple[str, str, bool]]:
    """The field managers, other than this tool, that own a field which the patch writes."""
    for entry in listed(daemonset.obj, "metadata", "managedFields"):
        manager = text(entry, "manager")
        if manager == FIELD_MANAGER or text(entry, "subresource"):
            continue
        for way in fields_of(option):
            owned = part(entry, "fieldsV1", *(f"f:{step}" for step in way[:-1]))
            if f"f:{way[-1]}" in owned:
                yield manager, ".".join(way), text(entry, "operation") == "Apply"
