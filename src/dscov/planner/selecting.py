"""Every change of what a template selects, as it stands: entries of the nodeSelector, nodeName, the required affinity.

An entry of the nodeSelector is taken out, gets a value that a node has which it keeps out, or another key where the
node has what it asks for under a newer or a rightly spelt one. An expression of the affinity takes in the values that
such nodes have (In), lets go of them (NotIn), or is taken out; it also becomes what its cause advises, if that lets any
node in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dscov.kube.requirements import equals
from dscov.model.findings import Finding
from dscov.model.selection import AFFINITY, other_key, wanted
from dscov.planner.fleet import Bits
from dscov.planner.moves import (
    Expression,
    Reshaping,
    Selecting,
    as_advised,
    change_expression,
    drop_affinity,
    drop_node_name,
    expressions_of,
    rename,
    replace,
    terms_of,
    unset,
)
from dscov.planner.problem import Problem

#: The most values that an expression takes in, and the most values of a label that are tried one by one.
MOST = 16


def selecting_moves(problem: Problem, out: Bits) -> Iterator[Selecting]:
    """The changes of entries that keep one of the nodes `out`."""
    fleet = problem.fleet
    if problem.entries.get("nodeName", fleet.all) & out != out:
        yield drop_node_name(fleet.all)
    own = {entry.key for entry in problem.daemonset.template.node_selector}
    for entry in problem.daemonset.template.node_selector:
        kept_out = out & ~fleet.meeting(entry)
        if not kept_out:
            continue
        yield unset(entry.key, breadth=3, admits=fleet.all)
        for value in _held(problem, entry.key, kept_out)[:MOST]:
            yield replace(entry.key, value, breadth=0, admits=fleet.meeting(equals(entry.key, value)))
        asked = wanted(entry)[0]
        for other in _other_keys(problem, entry.key, asked, kept_out) - own:
            yield rename(entry.key, other, asked, admits=fleet.meeting(equals(other, asked)))


def _other_keys(problem: Problem, key: str, value: str, out: Bits) -> set[str]:
    entry, world = equals(key, value), problem.fleet.world
    found = {other_key(world, world.nodes[name], entry) for name in problem.fleet.names(out)}
    return found - {""}


def reshaping_moves(problem: Problem, out: Bits, findings: Sequence[Finding]) -> Iterator[Reshaping]:
    """The changes of the affinity where it keeps one of the nodes `out`, and those that `findings` advise."""
    remedies = [one.remedy for one in findings if one.remedy and one.remedy.patch]
    advised = [one for one in remedies if all(_in_affinity(operation["path"]) for operation in one.patch)]
    moves = [as_advised(one) for one in advised]
    yield from (move for move in moves if problem.affinity(frozenset({move})))
    kept_out = out & ~problem.base.affinity
    if not kept_out:
        return
    entries = [entry for _, entry in expressions_of(problem.daemonset)]
    for place, entry in enumerate(entries):
        if entry not in entries[:place]:
            yield from _changes(problem, entry, kept_out)
    yield drop_affinity()


def _in_affinity(path: str) -> bool:
    return path == AFFINITY or path.startswith(f"{AFFINITY}/")


def _changes(problem: Problem, entry: Expression, out: Bits) -> Iterator[Reshaping]:
    held = _held(problem, str(entry.get("key")), out)
    values = [str(value) for value in entry.get("values") or ()]
    match entry.get("operator"):
        case "In":
            fresh = [value for value in held if value not in values]
            if fresh and len(fresh) <= MOST:
                yield change_expression(entry, _with(entry, [*values, *fresh]), breadth=1)
        case "NotIn":
            left = [value for value in values if value not in held]
            if left and left != values:
                yield change_expression(entry, _with(entry, left), breadth=1)
    terms = terms_of(problem.daemonset)
    if not any(term.get("matchExpressions") == [entry] and not term.get("matchFields") for term in terms):
        yield change_expression(entry, None, breadth=3)


def _with(entry: Expression, values: list[str]) -> dict[str, Any]:
    return {**entry, "values": values}


def _held(problem: Problem, key: str, nodes: Bits) -> list[str]:
    """The values that a label has on any of the nodes, in order."""
    found = problem.fleet.values(key)
    return sorted(value for value, bits in found.items() if value is not None and bits & nodes)
