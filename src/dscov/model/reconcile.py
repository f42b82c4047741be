"""Computed counters beside reported ones, and why they may differ."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from dscov.kube.counters import Counters, Rules, count
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Disagreement
from dscov.model.world import World

_NODE_COUNTS = {"desiredNumberScheduled", "numberMisscheduled", "currentNumberScheduled", "numberUnavailable"}
_CLOCK_COUNTS = {"numberAvailable", "numberUnavailable"}


def computed(world: World, daemonset: DaemonSet) -> Counters:
    """The seven counters as the controller would write them now."""
    known: Counters | None = world.memo.get(("counters", daemonset.key))
    if known is None:
        known = world.memo["counters", daemonset.key] = _computed(world, daemonset)
    return known


def _computed(world: World, daemonset: DaemonSet) -> Counters:
    placements = world.placements(daemonset)
    wanted = [placement.should_run for placement in placements]
    by_node = world.pods_by_node(daemonset)
    rules = Rules(daemonset.min_ready_seconds, world.now, world.snapshot.version, world.updated(daemonset))
    return count(((wanted[number], by_node.get(name, ())) for name, number in world.class_of.items()), rules)


def disagreements(world: World, daemonset: DaemonSet, fresh: Counters) -> Iterator[Disagreement]:
    """Each counter that differs from the reported one, with the likeliest reason."""
    reported = msgspec.to_builtins(daemonset.reported)
    for counter, value in msgspec.to_builtins(fresh).items():
        if value != reported[counter]:
            yield Disagreement(counter, _why(world, daemonset, counter))


def _why(world: World, daemonset: DaemonSet, counter: str) -> str:
    if daemonset.deleted:
        return "the DaemonSet is being deleted: its status is frozen"
    if daemonset.observed_generation < daemonset.generation:
        return (
            f"stale: the controller has seen generation {daemonset.observed_generation} of {daemonset.generation}"
            if daemonset.observed_generation
            else "stale: the controller has never processed the DaemonSet"
        )
    if counter == "updatedNumberScheduled" and world.current_revision(daemonset) is None:
        return "uncertain: the current ControllerRevision was not seen"
    if counter in _CLOCK_COUNTS and daemonset.min_ready_seconds:
        return "lag: pods become available minReadySeconds after they are ready, by the controller's clock"
    if counter in _NODE_COUNTS and world.snapshot.version.node_updates_may_be_skipped:
        return (
            f"possibly not refreshed: since 1.33 a change of a node's labels or taints, or the deletion of a node, does "
            f"not always wake the controller (server {world.snapshot.version})"
        )
    if counter in _NODE_COUNTS:
        return "possibly not refreshed: the deletion of a node does not wake the controller"
    return "stale, or the pods changed between the reads"
