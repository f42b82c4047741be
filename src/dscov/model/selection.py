"""What a failing selector entry nearly selects: the same value written otherwise, or a label that the pool's peers have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.affinity import Field
from dscov.kube.placement import Reason
from dscov.kube.requirements import Requirement, parse_int64
from dscov.model.cluster import DaemonSet, Node
from dscov.model.nodes import pool_of
from dscov.model.world import World

_YES = frozenset({"", "true", "yes", "1", "enabled", "on"})


def failing_entries(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Requirement]:
    """The nodeSelector entries that the node does not meet."""
    return (reason.entry for reason in _reasons(world, daemonset, node) if reason.entry is not None)


def nearest_failures(world: World, daemonset: DaemonSet, node: Node) -> tuple[Requirement | Field | str, ...]:
    """What keeps the node out of the required affinity: the failures of the term that it comes nearest to meeting.

    A text where a term cannot be read or is empty. Empty where the affinity does not keep the node out.
    """
    affinity = daemonset.template.affinity
    if affinity is None or all(reason.kind != "nodeAffinity" for reason in _reasons(world, daemonset, node)):
        return ()
    failures = [term.failures(node.name, node.labels) for term in affinity.terms]
    return min(failures, key=_distance, default=("there is no term, so nothing matches",))


def _distance(failures: tuple[Requirement | Field | str, ...]) -> tuple[bool, int]:
    return any(isinstance(failure, str) for failure in failures), len(failures)


def failing_requirements(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Requirement]:
    """Those of `nearest_failures` that are about labels."""
    return (entry for entry in nearest_failures(world, daemonset, node) if isinstance(entry, Requirement))


def excluding(failures: tuple[Requirement | Field | str, ...]) -> bool:
    """Whether all failures are exclusions (NotIn, DoesNotExist): the node has what the term will not have."""
    return bool(failures) and all(
        failure.admits(None) if isinstance(failure, Requirement) else isinstance(failure, Field) and failure.complement
        for failure in failures
    )


def _reasons(world: World, daemonset: DaemonSet, node: Node) -> tuple[Reason, ...]:
    return world.placement(daemonset, node).reasons


def wanted(entry: Requirement) -> tuple[str, ...]:
    """The values that an entry lists, in order."""
    return tuple(sorted(value for value in entry.values if value is not None))


def same_meaning(wanted_value: str, value: str) -> bool:
    """Whether two label values mean the same to people: both say yes, or they differ in case and separators only."""
    a, b = (text.strip().lower().replace("_", "-") for text in (wanted_value, value))
    return a == b or (a in _YES and b in _YES)


def peers_with(world: World, node: Node, entry: Requirement) -> tuple[Node, ...]:
    """The nodes of the node's pool that meet the entry, where they are the greater part of the pool."""
    pool = pool_of(node)
    if pool is None or pool[0] == entry.key:
        return ()
    peers = [other for other in world.snapshot.nodes if other.name != node.name and pool_of(other) == pool]
    meeting = [other for other in peers if entry.matches(other.labels)]
    return tuple(meeting) if len(meeting) * 2 > len(peers) else ()


def is_no_integer(node: Node, entry: Requirement) -> bool:
    """Whether an entry is a bound (Gt, Lt) and the node has its label with a value that is no integer."""
    have = node.labels.get(entry.key)
    bounded = (entry.above, entry.below) != (None, None)
    return bounded and have is not None and parse_int64(have) is None


AFFINITY = "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"


def expressions_on(daemonset: DaemonSet, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(JSON pointer, entry) of every matchExpressions entry of the required affinity that is about a label."""
    spec = ((daemonset.obj.get("spec") or {}).get("template") or {}).get("spec") or {}
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    for i, term in enumerate(required.get("nodeSelectorTerms") or []):
        for j, entry in enumerate(term.get("matchExpressions") or []):
            if entry.get("key") == key:
                yield f"{AFFINITY}/{i}/matchExpressions/{j}", entry
