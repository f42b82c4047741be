"""What a failing selector or affinity nearly selects: the value or key written otherwise, a label that pool peers have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dscov.kube.affinity import Field, Term
from dscov.kube.objects import listed, part
from dscov.kube.placement import Reason
from dscov.kube.requirements import Requirement
from dscov.model.classes import MANY
from dscov.model.cluster import DaemonSet, Node
from dscov.model.marks import HOSTNAME, short
from dscov.model.nodes import pool_of
from dscov.model.spelling import misspelt, same_meaning, successor
from dscov.model.unreadable import label_is_no_integer, nearly_admits, nearly_holds
from dscov.model.world import World, once

AFFINITY = "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"

#: The one field of a node that matchFields can be about.
NAME = "metadata.name"

Failure = Requirement | Field | str


class Shortfall(msgspec.Struct, frozen=True):
    """What one term of the required affinity wants and the node has not; a text where the term cannot be read.

    `term` is its place in the list; -1 where there is no term. `is_slip` says that every failure looks like a mistake.
    """

    failures: tuple[Failure, ...] = ()
    term: int = -1
    is_slip: bool = False


def failing_entries(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Requirement]:
    """The nodeSelector entries that the node does not meet."""
    return (reason.entry for reason in _reasons(world, daemonset, node) if reason.entry is not None)


def nearest(world: World, daemonset: DaemonSet, node: Node) -> Shortfall:
    """How the node falls short of the term that it comes nearest to meeting; empty where the affinity lets it in.

    A term that it misses by mistakes only is the nearest; then the readable ones count, then those with few failures.
    """
    affinity = daemonset.template.affinity
    if affinity is None or all(reason.kind != "nodeAffinity" for reason in _reasons(world, daemonset, node)):
        return Shortfall()
    found = [_shortfall(world, daemonset, node, i, term) for i, term in enumerate(affinity.terms)]
    return min(found, key=_distance, default=Shortfall(("there is no term, so nothing matches",)))


def _shortfall(world: World, daemonset: DaemonSet, node: Node, place: int, term: Term) -> Shortfall:
    failures = term.failures(node.name, node.labels)
    if term.problem:
        return Shortfall(failures, place, nearly_admits(daemonset, place, node))
    return Shortfall(failures, place, all(is_slip(world, node, one) for one in failures))


def _distance(one: Shortfall) -> tuple[bool, bool, int]:
    return not one.is_slip, any(isinstance(failure, str) for failure in one.failures), len(one.failures)


def failing_requirements(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Requirement]:
    """Those failures of the nearest term that are about labels."""
    return (entry for entry in nearest(world, daemonset, node).failures if isinstance(entry, Requirement))


def excluding(failures: Sequence[Failure]) -> bool:
    """Whether all failures are exclusions (NotIn, DoesNotExist): the node has what the term will not have."""
    return bool(failures) and all(
        failure.admits(None) if isinstance(failure, Requirement) else isinstance(failure, Field) and failure.complement
        for failure in failures
    )


def excluded_by_one(daemonset: DaemonSet, node: Node) -> Requirement | None:
    """The exclusion that a node fails, of several terms that do nothing but exclude; None where there is none.

    Terms are ORed, so it keeps the node out only if every other term does too; yet its owner wrote it down.
    """
    terms = daemonset.template.affinity.terms if daemonset.template.affinity else ()
    if len(terms) < 2 or not all(
        term.expressions and not term.fields and excluding(term.expressions) for term in terms
    ):
        return None
    return next((entry for term in terms for entry in term.expressions if not entry.matches(node.labels)), None)


def _reasons(world: World, daemonset: DaemonSet, node: Node) -> tuple[Reason, ...]:
    return world.placement(daemonset, node).reasons


def wanted(entry: Requirement) -> tuple[str, ...]:
    """The values that an entry lists, in order."""
    return tuple(sorted(value for value in entry.values if value is not None))


# -- slips --------------------------------------------------------------------------------------------------------


def is_slip(world: World, node: Node, failure: Failure) -> bool:
    """Whether the failure looks like a mistake: of spelling, of a key, or a label that the node should have."""
    if isinstance(failure, Field):
        return names_otherwise(world, node, failure)
    if isinstance(failure, str) or failure.admits(None):
        return False
    if label_is_no_integer(failure, node.labels):
        return nearly_holds(failure, node.labels[failure.key])
    return bool(
        meant_value(world, node, failure) is not None
        or other_key(world, node, failure)
        or (failure.key not in node.labels and peers_with(world, node, failure))
    )


def meant_value(world: World, node: Node, entry: Requirement) -> str | None:
    """The value that the entry asks for and that was meant to be the node's own; None where there is none.

    It means the same, is a slip of the pen, or names the node where the label holds another name of it.
    """
    have = node.labels.get(entry.key)
    if have is None or entry.admits(None) or not entry.values or None in entry.values:
        return None
    return next((value for value in wanted(entry) if _is_meant(world, node, entry.key, value)), None)


def _is_meant(world: World, node: Node, key: str, value: str) -> bool:
    have = node.labels[key]
    if same_meaning(value, have) or value == node.name:
        return True
    held = values_of(world, key)
    if value in held:
        return False
    if key == HOSTNAME:
        names = (name for name in (have, node.name) if "." not in name or "." not in value)
        return any(short(name) == short(value) for name in names)
    return len(held) <= MANY and misspelt(value, have)


def names_otherwise(world: World, node: Node, entry: Field) -> bool:
    """Whether the entry names this node and no other by its host part, or in another case; no node bears that name."""
    if entry.complement or entry.key != NAME or not entry.value or entry.value in world.nodes:
        return False
    key = "nodes otherwise named", entry.value
    return once(world, key, lambda: [one for one in world.snapshot.nodes if _is_name_of(entry.value, one)]) == [node]


def _is_name_of(value: str, node: Node) -> bool:
    one_is_short = "." not in value or "." not in node.name
    return value.lower() == node.name or (one_is_short and short(value) == short(node.name))


def other_key(world: World, node: Node, entry: Requirement) -> str:
    """The key under which the node has what the entry asks for: its newer name, or another spelling; else empty.

    Only where the entry would lose no node by it.
    """
    if entry.key in node.labels or entry.admits(None):
        return ""
    newer = successor(entry.key)
    if newer in node.labels and entry.admits(node.labels[newer]) and _holds_wherever(world, entry, newer):
        return newer
    if values_of(world, entry.key):
        return ""
    return next((key for key in sorted(node.labels) if misspelt(entry.key, key) and entry.admits(node.labels[key])), "")


def _holds_wherever(world: World, entry: Requirement, key: str) -> bool:
    nodes = (node for node in world.snapshot.nodes if entry.matches(node.labels))
    return all(entry.admits(node.labels.get(key)) for node in nodes)


def values_of(world: World, key: str) -> frozenset[str]:
    """The values that a label has on any node."""

    def collect() -> frozenset[str]:
        return frozenset(node.labels[key] for node in world.snapshot.nodes if key in node.labels)

    return once(world, ("values of label", key), collect)


def peers_with(world: World, node: Node, entry: Requirement) -> tuple[Node, ...]:
    """The nodes of the node's pool that meet the entry, where they are the greater part of the pool."""
    pool = pool_of(node)
    if pool is None or pool[0] == entry.key:
        return ()
    peers = [other for other in world.snapshot.nodes if other.name != node.name and pool_of(other) == pool]
    meeting = [other for other in peers if entry.matches(other.labels)]
    return tuple(meeting) if len(meeting) * 2 > len(peers) else ()


# -- the affinity as it stands --------------------------------------------------------------------------------------


def expressions_on(daemonset: DaemonSet, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(JSON pointer, entry) of every matchExpressions entry of the required affinity that is about a label."""
    spec = part(daemonset.obj, "spec", "template", "spec", "affinity", "nodeAffinity")
    terms = listed(spec, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    for i, term in enumerate(terms):
        for j, entry in enumerate(listed(term, "matchExpressions")):
            if entry.get("key") == key:
                yield f"{AFFINITY}/{i}/matchExpressions/{j}", entry


def naming(daemonset: DaemonSet, value: str) -> Iterator[str]:
    """The JSON pointer of every matchFields entry of the required affinity that asks for a node of this name."""
    spec = part(daemonset.obj, "spec", "template", "spec", "affinity", "nodeAffinity")
    terms = listed(spec, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    for i, term in enumerate(terms):
        for j, entry in enumerate(listed(term, "matchFields")):
            if entry.get("key") == NAME and entry.get("operator") == "In" and entry.get("values") == [value]:
                yield f"{AFFINITY}/{i}/matchFields/{j}"
