"""The edits that lead from one DaemonSet to another: the least that were meant, proved by doing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dscov.errors import NotFound, Refused
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    RemoveAffinityExpression,
    RemoveToleration,
    RemoveTolerationSeconds,
    ReplaceAffinityTerms,
    SetField,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    Term,
    TolerationSpec,
    UnsetField,
    UnsetNodeSelector,
)
from dscov.patches import affinity
from dscov.patches.change import on_object
from dscov.patches.fields import POD_SPEC, in_daemonset, value_at
from dscov.patches.settled import settled
from dscov.patches.tolerations import items_at, spec_of
from dscov.yamltext.meaning import Path

_BY_HAND = "Make this change by hand."
_STRATEGY = ("spec", "updateStrategy")
_NUMBERS = ("rollingUpdate",)
_TERMS = (*POD_SPEC, "affinity", *affinity.REQUIRED)
_PLACED = ((*POD_SPEC, "tolerations"), (*POD_SPEC, "nodeSelector"), _STRATEGY)
_KEYS = ((*POD_SPEC, "priorityClassName"), _TERMS)
_ENOUGH = 3


def edits_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits that give the `spec` of the DaemonSet `after` when done to `before`, both as the API has them.

    The order of tolerations, of terms, of the expressions in one and of their values means nothing. metadata and status are not
    looked at. Raises Refused, which names the field, where edits cannot say the difference.
    """
    old, new = settled(before), settled(after)
    edits = [*_tolerations(before, after), *_selector(old, new), *_terms(before, after), *_strategy(old, new)]
    old_class, new_class = (value_at(data, in_daemonset("priorityClassName")) for data in (old, new))
    if new_class and old_class != new_class:
        edits.append(SetPriorityClass(new_class))
    edits += _others(old, new, ())
    try:
        _, found = on_object(dict(before), edits)
    except NotFound as error:
        where = ".".join((*POD_SPEC, "tolerations"))
        raise Refused(f"{where}: the difference cannot be said in edits: {error}", remedy=_BY_HAND) from error
    place = next(_differences(settled(found), new, ()), None)
    if place is not None:
        raise Refused(f"{'.'.join(map(str, place))}: the difference cannot be said in edits", remedy=_BY_HAND)
    return tuple(edits)


def _tolerations(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    path = in_daemonset("tolerations")
    old, new = ([spec_of(item) for item in items_at(data, path)] for data in (before, after))
    gone, fresh = _less(old, new), _less(new, old)
    pairs = _pairs(gone, fresh)
    if len(old) == len(new):
        taken = {id(one) for pair in pairs for one in pair}
        free = [{id(one) for one in some if id(one) not in taken} for some in (gone, fresh)]
        pairs += [(a, b) for a, b in zip(old, new, strict=True) if id(a) in free[0] and id(b) in free[1]]
    edits: list[Edit] = []
    for one, other in pairs:
        edits += _changed(one, other)
    made = {id(other) for _, other in pairs}
    kept = [spec for spec in new if id(spec) in made or all(spec is not one for one in fresh)]
    for one in (one for one in fresh if id(one) not in made):
        edits.append(AddToleration(one, _next(new, one, kept)))
    rest = {_meant(one): one for one in gone if all(one is not a for a, _ in pairs)}
    return edits + [RemoveToleration(one) for one in rest.values()]


def _next(new: Sequence[TolerationSpec], one: TolerationSpec, kept: Sequence[TolerationSpec]) -> TolerationSpec | None:
    """The first one behind `one` that is there before it is added."""
    place = next(i for i, spec in enumerate(new) if spec is one)
    return next((spec for spec in new[place:] if any(spec is other for other in kept)), None)


def _changed(old: TolerationSpec, new: TolerationSpec) -> Iterator[Edit]:
    rest = [(spec.key, spec.operator, spec.value, spec.effect) for spec in (old, new)]
    if rest[0] != rest[1] or new.seconds is not None:
        yield ChangeToleration(old, new)
    if old.seconds is not None and new.seconds is None:
        yield RemoveTolerationSeconds(TolerationSpec(*rest[1], seconds=old.seconds))


def _less(some: Sequence[TolerationSpec], others: Sequence[TolerationSpec]) -> list[TolerationSpec]:
    """What is left of `some` when each of `others` has taken one away that means the same."""
    count = Counter(map(_meant, others))
    left: list[TolerationSpec] = []
    for one in some:
        if count[_meant(one)]:
            count[_meant(one)] -= 1
        else:
            left.append(one)
    return left


def _meant(spec: TolerationSpec) -> TolerationSpec:
    return replace(spec, operator=spec.operator or "Equal")


def _pairs(
    gone: Sequence[TolerationSpec], fresh: Sequence[TolerationSpec]
) -> list[tuple[TolerationSpec, TolerationSpec]]:
    """Which toleration became which: the most alike first, of the same key or with all the rest the same."""
    ranks = sorted(
        (-likeness, i, j)
        for i, one in enumerate(gone)
        for j, other in enumerate(fresh)
        if (likeness := _likeness(one, other)) >= _ENOUGH
    )
    taken: dict[int, int] = {}
    for _, i, j in ranks:
        if i not in taken and j not in taken.values():
            taken[i] = j
    return [(gone[i], fresh[j]) for i, j in sorted(taken.items())]


def _likeness(one: TolerationSpec, other: TolerationSpec) -> int:
    """3 for the key, 1 for every other part that is the same."""
    same = [(one.operator or "Equal") == (other.operator or "Equal"), one.value == other.value]
    return 3 * (one.key == other.key) + sum(same) + (one.effect == other.effect)


def _selector(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    old, new = (value_at(data, in_daemonset("nodeSelector")) or {} for data in (before, after))
    keys = list(new)
    edits: list[Edit] = [
        SetNodeSelector(key, new[key], next((other for other in keys[i:] if other in old), None))
        for i, key in enumerate(keys)
        if old.get(key) != new[key]
    ]
    return edits + [UnsetNodeSelector(key) for key in old if key not in new]


def _terms(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    """The edits of single expressions if they lead there, else all the terms."""
    old, new = (affinity.terms_of(value_at(data, in_daemonset("affinity"))) for data in (before, after))
    wanted = value_at(settled(after), _TERMS)
    if not new or value_at(settled(before), _TERMS) == wanted:
        return []
    edits = list(dict.fromkeys(_expressions(old, new)))
    try:
        _, found = on_object(dict(before), edits)
    except (Refused, NotFound):
        return [ReplaceAffinityTerms(new)]
    return edits if value_at(settled(found), _TERMS) == wanted else [ReplaceAffinityTerms(new)]


def _expressions(old: Sequence[Term], new: Sequence[Term]) -> Iterator[Edit]:
    if not old and len(new) == 1:
        yield from (AddAffinityExpression(one) for one in new[0].expressions)
    for one, other in zip(old, new, strict=False):
        gone = [a for a in one.expressions if not any(affinity.alike(a, b) for b in other.expressions)]
        fresh = [b for b in other.expressions if not any(affinity.alike(a, b) for a in one.expressions)]
        for expression in list(gone):
            twin = next((b for b in fresh if b.key == expression.key), None)
            if twin:
                fresh.remove(twin)
                gone.remove(expression)
                yield ChangeAffinityExpression(expression, twin)
        yield from map(AddAffinityExpression, fresh)
        yield from map(RemoveAffinityExpression, gone)


def _strategy(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Edit]:
    """What is to go comes first: a type without numbers takes none."""
    old, new = value_at(before, _STRATEGY) or {}, value_at(after, _STRATEGY) or {}
    if old and not new:
        return [UnsetField(_STRATEGY)]
    whole = [("rollingUpdate",)] if value_at(old, _NUMBERS) and not value_at(new, _NUMBERS) else []
    paths = (("type",), (*_NUMBERS, "maxUnavailable"), (*_NUMBERS, "maxSurge"))
    lost = [path for path in (whole or paths) if value_at(old, path) is not None and value_at(new, path) is None]
    edits: list[Edit] = [UnsetField((*_STRATEGY, *path)) for path in lost]
    kind, unavailable, surge = (
        value_at(new, path) if value_at(new, path) != value_at(old, path) else None for path in paths
    )
    if (kind, unavailable, surge) != (None, None, None):
        edits.append(SetUpdateStrategy(unavailable, surge, kind))
    return edits


def _others(old: Mapping[str, Any], new: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Edit]:
    """Single values and whole keys, wherever they lie; what has edits of its own is left to those."""
    keys = {**old, **new} if path else {"spec": None}
    for key in keys:
        here, a, b = (*path, key), old.get(key), new.get(key)
        if a == b and type(a) is type(b):
            continue
        if _is_own(here, gone=b is None):
            continue
        if b is None:
            yield UnsetField(here)
        elif isinstance(b, Mapping) and (a is None or isinstance(a, Mapping)):
            yield from _others(a or {}, b, here)
        elif isinstance(b, str | int) and not isinstance(a, Mapping | list):
            yield SetField(here, b)


def _is_own(path: tuple[str, ...], *, gone: bool) -> bool:
    """Whether another function speaks of this path; some that are gone are taken out like any other key."""
    return path in _PLACED or (path in _KEYS and not gone)


def _differences(found: Any, wanted: Any, path: Path) -> Iterator[Path]:
    """The deepest places of maps at which two settled specs differ."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        for key in {**found, **wanted}:
            yield from _differences(found.get(key), wanted.get(key), (*path, key))
    elif found != wanted or type(found) is not type(wanted):
        yield path
