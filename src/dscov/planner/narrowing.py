"""Every way to keep nodes out by one label more, which all nodes that are to stay in allow.

A mark of virtual nodes or of the control plane is only ever excluded. Whether nodes have some other label may be chance;
so looked at are operating system, architecture, what the template and a declaration name (but for names of single nodes),
and what the causes advise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dscov.kube.requirements import equals, parse
from dscov.model.findings import Finding
from dscov.model.marks import CONTROL_PLANE_LABELS, HOSTNAME, VIRTUAL_LABELS
from dscov.model.platforms import ARCH_LABEL, OS_LABEL
from dscov.planner.fleet import Bits
from dscov.planner.moves import SELECTOR, Narrowing, ask, expressions_of, select, terms_of
from dscov.planner.problem import Aims, Problem
from dscov.planner.selecting import MOST

_AFFINITY = "/spec/template/spec/affinity"
#: How broad a label in the nodeSelector is; any other is as broad as to ask for it at all.
_SELECTED = {OS_LABEL: 0, ARCH_LABEL: 2}
#: Labels that mark nodes of a kind, with the value; an empty one stands for any.
_MARKS = (*VIRTUAL_LABELS, *((key, "") for key in CONTROL_PLANE_LABELS))


def narrowing_moves(problem: Problem, aims: Aims, findings: Sequence[Finding]) -> list[Narrowing]:
    """The moves that keep out a node that is to leave or must not be gained, and none that is to be in."""
    unwanted = aims.leave | aims.closed
    found = [
        *_advised(problem, findings),
        *_declared(problem),
        *_marks(problem),
        # Where no node is to stay, whatever no node has would keep all of them out.
        *(m for key in _keys(problem) if aims.inside for m in _by_label(problem, aims, key)),
    ]
    kept: dict[Bits, Narrowing] = {}
    for move in found:
        if unwanted & ~move.within and not aims.inside & ~move.within:
            twin = kept.get(move.within)
            if twin is None or (move.breadth, move.text) < (twin.breadth, twin.text):
                kept[move.within] = move
    return list(kept.values())


def _declared(problem: Problem) -> Iterator[Narrowing]:
    """What is declared, asked for as it stands there."""
    scope = problem.fleet.world.scopes.get(problem.daemonset.key)
    own = {entry.key for entry in problem.daemonset.template.node_selector}
    for entry in scope.expect.requirements if scope and scope.expect else ():
        values = sorted(value for value in entry.values if value is not None)
        if len(values) == 1 and not entry.complement and entry.key not in own:
            yield select(entry.key, values[0], breadth=0, within=problem.fleet.meeting(entry))
        operator = ("NotIn" if values else "Exists") if entry.complement else ("In" if values else "DoesNotExist")
        if entry.above is None and entry.below is None:
            listed = {"values": values} if values else {}
            yield from _asked(problem, {"key": entry.key, "operator": operator, **listed}, breadth=0)


def _marks(problem: Problem) -> Iterator[Narrowing]:
    for key, value in _MARKS:
        without = (
            {"key": key, "operator": "NotIn", "values": [value]} if value else {"key": key, "operator": "DoesNotExist"}
        )
        yield from _asked(problem, without, breadth=1)


def _keys(problem: Problem) -> list[str]:
    scope = problem.fleet.world.scopes.get(problem.daemonset.key)
    keys = [*_SELECTED, *(entry.key for entry in problem.daemonset.template.node_selector)]
    keys += [str(entry.get("key")) for _, entry in expressions_of(problem.daemonset)]
    keys += [entry.key for entry in (scope.expect.requirements if scope and scope.expect else ())]
    keys += [entry.key for pool in (scope.pools if scope else ()) for entry in pool.nodes.requirements]
    return [key for key in dict.fromkeys(keys) if key != HOSTNAME]


def _advised(problem: Problem, findings: Sequence[Finding]) -> Iterator[Narrowing]:
    """What the causes advise, if it is a label more."""
    own = {entry.key for entry in problem.daemonset.template.node_selector}
    for finding in findings:
        for operation in finding.remedy.patch if finding.remedy else ():
            value = operation.get("value")
            if operation["op"] != "add":
                continue
            for key, wanted in _entries(operation["path"], value):
                if key not in own:
                    yield select(key, wanted, breadth=0, within=problem.fleet.meeting(equals(key, wanted)))
            for expression in _expressions(value) if operation["path"].startswith(_AFFINITY) else ():
                yield from _asked(problem, expression, breadth=0)


def _entries(path: str, value: Any) -> list[tuple[str, str]]:
    if path == SELECTOR and isinstance(value, Mapping):
        return [(str(key), str(one)) for key, one in value.items()]
    if path.startswith(f"{SELECTOR}/"):
        return [(path.removeprefix(f"{SELECTOR}/").replace("~1", "/").replace("~0", "~"), str(value))]
    return []


def _expressions(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every matchExpressions entry within a value of a patch."""
    if isinstance(value, list):
        for one in value:
            yield from _expressions(one)
    elif isinstance(value, Mapping) and {"key", "operator"} <= value.keys():
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _expressions(one)


def _by_label(problem: Problem, aims: Aims, key: str) -> Iterator[Narrowing]:
    fleet, inside = problem.fleet, aims.inside
    held = fleet.values(key)
    have = sorted(value for value, bits in held.items() if value is not None and bits & inside)
    lacking = held.get(None, 0) & inside
    own = {entry.key for entry in problem.daemonset.template.node_selector}
    if len(have) == 1 and not lacking and key not in own:
        within = fleet.meeting(equals(key, have[0]))
        yield select(key, have[0], breadth=_SELECTED.get(key, 3), within=within)
    if inside and not lacking and len(have) <= MOST:
        yield from _asked(problem, {"key": key, "operator": "In", "values": have}, breadth=3 + len(have))
    if not lacking:
        yield from _asked(problem, {"key": key, "operator": "Exists"}, breadth=3)
    if not have:
        yield from _asked(problem, {"key": key, "operator": "DoesNotExist"}, breadth=1)
    for values in _groups(problem, aims, key, have):
        yield from _asked(problem, {"key": key, "operator": "NotIn", "values": list(values)}, breadth=len(values))


def _groups(problem: Problem, aims: Aims, key: str, have: list[str]) -> list[tuple[str, ...]]:
    """Values to exclude: each by itself, those of all nodes that are to leave, and with them those not to be gained."""
    held = problem.fleet.values(key).items()

    def of(nodes: Bits) -> tuple[str, ...]:
        return tuple(sorted(value for value, bits in held if value is not None and bits & nodes and value not in have))

    groups = [*((value,) for value in of(aims.leave | aims.closed)), of(aims.leave), of(aims.leave | aims.closed)]
    return [group for group in dict.fromkeys(groups) if group and len(group) <= MOST]


def _asked(problem: Problem, expression: Mapping[str, Any], *, breadth: int) -> Iterator[Narrowing]:
    """The expression, if it can be read and there is a term to put it in."""
    terms = terms_of(problem.daemonset)
    if problem.daemonset.template.affinity and not any(any(term.values()) for term in terms):
        return
    try:
        entry = parse(str(expression["key"]), str(expression["operator"]), list(expression.get("values") or ()))
    except (ValueError, TypeError):
        return
    yield ask(expression, breadth=breadth, within=problem.fleet.meeting(entry))
