"""What the edits of the required node affinity mean for the data of one DaemonSet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dscov.errors import NotFound, Refused
from dscov.model.edits import Expression, Term
from dscov.patches.fields import moved, put, value_at, without
from dscov.yamltext.meaning import END, Add, Data, Operation, Path, Remove, Replace

REQUIRED = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
_TERMS = (*REQUIRED, "nodeSelectorTerms")
_LISTS = ("matchExpressions", "matchFields")


def fields_of(expression: Expression) -> dict[str, Any]:
    """An expression under its manifest names."""
    values = {"values": list(expression.values)} if expression.values else {}
    return {"key": expression.key, "operator": expression.operator, **values}


def expression_of(item: Any) -> Expression:
    """An expression as the data has it."""
    fields = item if isinstance(item, dict) else {}
    values = fields.get("values")
    return Expression(
        str(fields.get("key")), str(fields.get("operator")), tuple(map(str, values if isinstance(values, list) else []))
    )


def terms_of(affinity: Data) -> tuple[Term, ...]:
    """The terms of the required node affinity of an `affinity`."""
    found = value_at(affinity, _TERMS)
    return tuple(Term(*(_expressions(term, name) for name in _LISTS)) for term in found or [])


def _expressions(term: Data, name: str) -> tuple[Expression, ...]:
    return tuple(expression_of(item) for item in _listed(term, name))


def _listed(term: Data, name: str) -> list[Any]:
    found = term.get(name) if isinstance(term, dict) else None
    return found if isinstance(found, list) else []


def alike(one: Expression, other: Expression) -> bool:
    """Whether two expressions mean the same: the order of values means nothing."""
    return (one.key, one.operator, set(one.values)) == (other.key, other.operator, set(other.values))


def add(expression: Expression, data: Data, affinity: Path) -> list[Operation]:
    """Demand an expression in every term."""
    path = (*affinity, *_TERMS)
    terms = value_at(data, path) or []
    if not terms:
        return [Add((*path, END), {"matchExpressions": [fields_of(expression)]})]
    live = _live(terms)
    if not live:
        raise Refused("every nodeSelectorTerm is empty, so no node matches", remedy="Write the first term by hand.")
    return [
        Add((*path, i, "matchExpressions", END), fields_of(expression))
        for i in live
        if not any(alike(one, expression) for one in _expressions(terms[i], "matchExpressions"))
    ]


def _live(terms: Sequence[Any]) -> list[int]:
    """The terms that have an expression: one without any selects no node (core/v1); filling it would let nodes in."""
    return [i for i, term in enumerate(terms) if isinstance(term, dict) and any(term.values())]


def change(old: Expression, new: Expression, data: Data, affinity: Path) -> list[Operation]:
    """Turn every expression that equals `old` into `new`; NotFound where there is none."""
    every = list(_every(data, (*affinity, *_TERMS)))
    places = [(where, item) for where, item in every if alike(expression_of(item), old)]
    if not places and any(alike(expression_of(item), new) for _, item in every):
        return []
    if not places:
        raise NotFound(f"there is no required expression {_spelt(old)}{_near(every, old)}")
    return [step for where, item in places for step in _changes(where, item, new)]


def remove(expression: Expression, data: Data, affinity: Path, *, keep_empty: bool = False) -> list[Operation]:
    """Take an expression out of every term; where it is all that is demanded, the required node affinity goes."""
    path = (*affinity, *_TERMS)
    terms = value_at(data, path) or []
    every = list(_every(data, path))
    places = [where for where, item in every if alike(expression_of(item), expression)]
    if not places and (near := _near(every, expression)):
        raise NotFound(f"there is no required expression {_spelt(expression)}{near}")
    counts = Counter(int(where[-3]) for where in places)
    emptied = {i for i, count in counts.items() if count == _size(terms[i])}
    if emptied and emptied == set(_live(terms)):
        return [without(data, (*affinity, *REQUIRED), root=affinity if keep_empty else affinity[:-1])]
    if emptied:
        remedy = "Say which terms are to be left; a term without any expression would select no node at all."
        raise Refused(f"{_spelt(expression)} is all that one of several terms demands", remedy=remedy)
    whole = {i for i, count in counts.items() if count == len(_listed(terms[i], "matchExpressions"))}
    lists: list[Operation] = [Remove((*path, i, "matchExpressions")) for i in sorted(whole)]
    return lists + [Remove(where) for where in reversed(places) if where[-3] not in whole]


def replace(terms: Sequence[Term], data: Data, affinity: Path) -> list[Operation]:
    """Turn the terms into others: each is made out of the one that it shares most with, the rest goes or is added."""
    path = (*affinity, *_TERMS)
    found = value_at(data, path) or []
    old = terms_of(value_at(data, affinity))
    if not terms:
        return [without(data, (*affinity, *REQUIRED), root=affinity[:-1])] if found else []
    pairs = _paired(old, terms)
    changes: list[Operation] = []
    for place, number in sorted(pairs.items()):
        changes += _term_changes(found[place], terms[number], (*path, place))
    changes += [Add((*path, END), _term(term)) for i, term in enumerate(terms) if i not in pairs.values()]
    return changes + [Remove((*path, place)) for place in reversed(range(len(old))) if place not in pairs]


def _paired(old: Sequence[Term], new: Sequence[Term]) -> dict[int, int]:
    """Which old term becomes which new one: the most alike first, then as many more as there are, in their order."""
    ranks = sorted(
        (-_shared(one, other), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if one.expressions or one.fields
    )
    pairs: dict[int, int] = {}
    for _, i, j in ranks:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def _shared(one: Term, other: Term) -> int:
    same = sum(any(alike(a, b) for b in other.expressions) for a in one.expressions)
    return 2 * same + sum(any(a.key == b.key for b in other.expressions) for a in one.expressions)


def _term_changes(item: dict[str, Any], new: Term, path: Path) -> list[Operation]:
    wanted = {"matchExpressions": new.expressions, "matchFields": new.fields}
    changes: list[Operation] = []
    removals: list[Operation] = []
    for name, expressions in wanted.items():
        old = _expressions(item, name)
        gone = [i for i, one in enumerate(old) if not any(alike(one, other) for other in expressions)]
        fresh = [one for one in expressions if not any(alike(one, other) for other in old)]
        for place, one in list(zip(gone, fresh, strict=False)):
            changes += _changes((*path, name, place), item[name][place], one)
        changes += [Add((*path, name, END), fields_of(one)) for one in fresh[len(gone) :]]
        left = gone[len(fresh) :]
        if name in item and not expressions:
            removals.append(Remove((*path, name)))
        else:
            removals += [Remove((*path, name, i)) for i in reversed(left)]
    return changes + removals


def _term(term: Term) -> dict[str, Any]:
    lists = {"matchExpressions": term.expressions, "matchFields": term.fields}
    return {name: [fields_of(one) for one in found] for name, found in lists.items() if found}


def _every(data: Data, path: Path) -> Iterator[tuple[Path, Any]]:
    for i, term in enumerate(value_at(data, path) or []):
        for j, item in enumerate(_listed(term, "matchExpressions")):
            yield (*path, i, "matchExpressions", j), item


def _size(term: Data) -> int:
    return sum(len(_listed(term, name)) for name in _LISTS)


def _changes(path: Path, item: dict[str, Any], new: Expression) -> list[Operation]:
    changes = [*put(item, ("key",), new.key), *put(item, ("operator",), new.operator)]
    changes = [moved(step, path) for step in changes]
    old = [str(value) for value in item.get("values") or []]
    if old and not new.values:
        return [*changes, Remove((*path, "values"))]
    if not old and new.values:
        return [*changes, Add((*path, "values"), list(new.values), "operator")]
    return changes + _list_changes(old, list(new.values), (*path, "values"))


def _list_changes(old: list[str], new: list[str], path: Path) -> list[Operation]:
    """The least operations that make the strings `old` the strings `new`, in any order."""
    gone = [i for i, value in enumerate(old) if value not in new]
    fresh = [value for value in new if value not in old]
    changes: list[Operation] = [Replace((*path, i), value) for i, value in zip(gone, fresh, strict=False)]
    changes += [Add((*path, END), value) for value in fresh[len(gone) :]]
    return changes + [Remove((*path, i)) for i in reversed(gone[len(fresh) :])]


def _near(every: Sequence[tuple[Path, Any]], expression: Expression) -> str:
    found = (expression_of(item) for _, item in every)
    names = dict.fromkeys(_spelt(one) for one in found if one.key == expression.key)
    return f"; there is {', '.join(names)}" if names else ""


def _spelt(expression: Expression) -> str:
    values = f" ({', '.join(expression.values)})" if expression.values else ""
    return f"{expression.key} {expression.operator}{values}"
