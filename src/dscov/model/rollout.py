"""The rolling update of a DaemonSet as it stands: its next step, from the pods that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dscov.kube.revisions import Budget
from dscov.kube.rollout import Entry, Step, next_step, next_surge_step
from dscov.model.cluster import DaemonSet, Pod
from dscov.model.reconcile import computed
from dscov.model.states import is_available
from dscov.model.world import World


def knows_revisions(world: World, daemonset: DaemonSet) -> bool:
    """Whether old pods can be told from new ones, and the controller has seen the last edit."""
    seen = daemonset.observed_generation >= daemonset.generation
    return world.tells_revisions(daemonset) and daemonset.deleted is None and seen


def rollout(world: World, daemonset: DaemonSet) -> Step | None:
    """The next step of a rolling update; None for OnDelete, once no old pod is left, and where it cannot be told."""
    key = "rollout", daemonset.key
    if key not in world.memo:
        world.memo[key] = _step(world, daemonset) if knows_revisions(world, daemonset) else None
    return world.memo[key]  # type: ignore[no-any-return]


def _step(world: World, daemonset: DaemonSet) -> Step | None:
    counters = computed(world, daemonset)
    budget = Budget(daemonset.strategy, counters.desired_number_scheduled)
    if counters.updated_number_scheduled == counters.current_number_scheduled and not counters.number_misscheduled:
        return None
    if daemonset.strategy.type != "RollingUpdate" or not daemonset.strategy.bounded:
        return None
    try:
        if daemonset.strategy.surges:
            return next_surge_step(_entries(world, daemonset), budget.max_surge)
        usable = budget.usable_unavailable
    except ValueError:
        return None
    counts_old = world.snapshot.version.budget_counts_unavailable_old_pods
    return next_step(_entries(world, daemonset), usable, counts_unavailable_old=counts_old)


def _entries(world: World, daemonset: DaemonSet) -> Mapping[str, Entry]:
    """The controller's map: every node with pods, and every eligible node without."""
    placements, by_node, found = world.placements(daemonset), world.pods_by_node(daemonset), {}
    for name, number in world.class_of.items():
        wanted, pods = placements[number].should_run, by_node.get(name)
        if pods:
            found[name] = _entry(world, daemonset, pods, should_run=wanted)
        elif wanted:
            found[name] = _BARE
    return found


#: A node that is to get a pod and has none.
_BARE = Entry(should_run=True, old=(), new=())


def _entry(world: World, daemonset: DaemonSet, pods: Sequence[Pod], *, should_run: bool) -> Entry:
    is_new = world.updated(daemonset)
    live = [(is_new(pod), is_available(world, daemonset, pod)) for pod in pods if pod.deleted is None]
    return Entry(should_run, tuple(a for new, a in live if not new), tuple(a for new, a in live if new))


def outdated_nodes(world: World, daemonset: DaemonSet) -> tuple[str, ...]:
    """The nodes whose live pod is of an older revision; none where that cannot be told."""
    if not knows_revisions(world, daemonset):
        return ()
    return tuple(
        name
        for name, pods in world.pods_by_node(daemonset).items()
        if name in world.nodes and any(p.deleted is None and not world.is_updated(daemonset, p) for p in pods)
    )
