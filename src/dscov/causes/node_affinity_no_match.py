"""The node does not meet the required node affinity: a label is absent, or has another value.

An affinity that lists node names where the label holds something else (the label kubernetes.io/hostname is often the
short name), spells a value, a key or a node's name in another way, or asks for a label in its retired name is a slip;
else the exclusion counts as meant. Preferred affinity never excludes a node.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dscov.kube.affinity import Field
from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import (
    AFFINITY,
    NAME,
    Shortfall,
    excluding,
    expressions_on,
    is_slip,
    meant_value,
    names_otherwise,
    naming,
    nearest,
    other_key,
    peers_with,
    values_of,
)
from dscov.model.spelling import loose
from dscov.model.unreadable import entries_of, label_is_no_integer
from dscov.model.world import World

_FIELD = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The entries that the nearest term fails on, unless it only excludes or compares what is no number."""
    found = nearest(world, daemonset, node)
    if excluding(found.failures):
        return
    for failure in found.failures:
        if isinstance(failure, Requirement) and label_is_no_integer(failure, node.labels):
            continue
        if isinstance(failure, Requirement):
            missing = failure.key not in node.labels and bool(peers_with(world, node, failure))
            if not missing:
                yield _unmet(world, daemonset, node, failure)
        elif isinstance(failure, Field):
            yield _misnamed(world, node, failure)
        elif not isinstance(failure, str) or not _are_only_bounds(daemonset, found.term):
            yield _unreadable(daemonset, found, str(failure))


def _are_only_bounds(daemonset: DaemonSet, place: int) -> bool:
    """Whether all that cannot be read of a term are comparisons of numbers."""
    bad = [entry for entry in entries_of(daemonset, place) if entry.problem]
    return bool(bad) and all(entry.is_bound for entry in bad)


def _unmet(world: World, daemonset: DaemonSet, node: Node, entry: Requirement) -> Hit:
    other = other_key(world, node, entry)
    slip = is_slip(world, node, entry)
    shown = other or entry.key
    have = node.labels.get(shown)
    evidence = Evidence(f"Node/{node.name}", f"metadata.labels.{shown}", have or "")
    return Hit(
        (
            ("entry", str(entry)),
            ("key", entry.key),
            ("other", other),
            ("term", ""),
            ("but", f"; the node has {other}" if other else ""),
        ),
        (evidence,) if have is not None else (Evidence(f"DaemonSet/{daemonset.key}", _FIELD, ""),),
        meant=not slip,
        confidence="inferred" if slip else "observed",
    )


def _misnamed(world: World, node: Node, entry: Field) -> Hit:
    slip = names_otherwise(world, node, entry)
    return Hit(
        (
            ("entry", str(entry)),
            ("key", entry.key),
            ("other", entry.value if slip else ""),
            ("term", ""),
            ("but", f"; the node's name is {node.name}" if slip else ""),
        ),
        (Evidence(f"Node/{node.name}", NAME, node.name),),
        meant=not slip,
        confidence="inferred" if slip else "observed",
    )


def _unreadable(daemonset: DaemonSet, found: Shortfall, text: str) -> Hit:
    return Hit(
        (
            ("entry", f"nothing that a node has: {text}"),
            ("key", ""),
            ("other", ""),
            ("term", str(found.term)),
            ("but", ""),
        ),
        (Evidence(f"DaemonSet/{daemonset.key}", _FIELD, ""),),
        meant=not found.is_slip,
    )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Keys and values as the labels have them, in place of node names, retired names or other spellings."""
    facts = dict(finding.facts)
    if finding.severity == "info":
        summary = f"nothing: the affinity asks for {facts['entry']}"
        return Remedy("no-patch", summary, why="an affinity says where a daemon belongs")
    if facts["other"] and facts["key"] == NAME:
        patch = [_replaced(path, "values", [finding.nodes[0]]) for path in naming(daemonset, facts["other"])]
        return _remedy(daemonset, f"name {finding.nodes[0]}", why="no node has the name that it asks for", patch=patch)
    if facts["other"]:
        summary = f"ask for {facts['other']} in place of {facts['key']}"
        patch = [_replaced(path, "key", facts["other"]) for path, _ in expressions_on(daemonset, facts["key"])]
        return _remedy(daemonset, summary, why="every node that has the old label has this one too", patch=patch)
    if facts["term"]:
        patch = list(_cleaned(world, daemonset, int(facts["term"])))
        return _remedy(daemonset, "write values as labels have them", why="no label can hold such a value", patch=patch)
    return _remedy(
        daemonset,
        f"list the values that the label {facts['key']} has on these nodes",
        why="affinity compares labels, not node names",
        patch=[
            _replaced(path, "values", values)
            for path, entry in expressions_on(daemonset, facts["key"])
            if entry.get("operator") == "In"
            and (values := _as_labelled(world, daemonset, entry)) != list(entry.get("values") or ())
        ],
    )


def _remedy(daemonset: DaemonSet, summary: str, *, why: str, patch: list[dict[str, Any]]) -> Remedy:
    return Remedy("patch", summary, why=why, target=daemonset.key, patch=tuple(patch))


def _replaced(path: str, field: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": f"{path}/{field}", "value": value}


def _as_labelled(world: World, daemonset: DaemonSet, entry: Mapping[str, Any]) -> list[str]:
    """The values with each one that no label holds replaced by, and each one that some do followed by, what was meant."""
    key, values = str(entry["key"]), list(entry.get("values") or ())
    requirement = Requirement(key, frozenset(values))
    held = values_of(world, key)
    meant: dict[str, list[str]] = {}
    for node in world.snapshot.nodes:
        if not requirement.matches(node.labels) and not world.placement(daemonset, node).should_run:
            value = meant_value(world, node, requirement)
            if value is not None:
                meant.setdefault(value, []).append(node.labels[key])
    listed = [[value] * (value in held or value not in meant) + meant.get(value, []) for value in values]
    return list(dict.fromkeys(value for many in listed for value in many))


def _cleaned(world: World, daemonset: DaemonSet, place: int) -> Iterator[dict[str, Any]]:
    for entry in entries_of(daemonset, place):
        if entry.problem and entry.operator in {"In", "NotIn"}:
            held = values_of(world, entry.key)
            yield _replaced(f"{AFFINITY}{entry.pointer}", "values", _known(entry.values, held))


def _known(values: Sequence[str], held: frozenset[str]) -> list[str]:
    """Each value as a label has it in whatever spelling, else as it is without quotes and blanks."""
    known = {loose(value): value for value in sorted(held)}
    return [value if value in held else known.get(loose(value), value.strip(" \t\n'\"")) for value in values]


CAUSE = Cause(
    code="DSC113",
    slug="node-affinity-no-match",
    title="the required node affinity does not match",
    says="the node affinity asks for {entry}{but}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
