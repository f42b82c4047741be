"""What an edit means for the data of one DaemonSet: the operations that are still to be done, perhaps none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dscov.errors import NotFound, Refused
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveToleration,
    RemoveTolerationSeconds,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    TolerationSpec,
    UnsetNodeSelector,
)
from dscov.yamltext.meaning import END, Add, Data, Operation, Path, Remove, Replace

#: Where a scheduling field (tolerations, nodeSelector, affinity, priorityClassName, updateStrategy) is kept.
Layout = Callable[[str], Path]

_TERMS = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
_ORDER = ("key", "operator", "value", "effect", "tolerationSeconds", "values")


def in_daemonset(field: str) -> Path:
    """The layout of a DaemonSet manifest."""
    return ("spec", field) if field == "updateStrategy" else ("spec", "template", "spec", field)


def operations(  # noqa: PLR0911 - one return for each kind of edit
    edit: Edit, data: Data, layout: Layout, *, keep_empty: bool = False
) -> list[Operation]:
    """The operations that `edit` needs on `data`; with `keep_empty` the last entry leaves `[]` or `{}` behind."""
    match edit:
        case AddToleration(toleration):
            return _add_toleration(toleration, data, layout("tolerations"))
        case ChangeToleration(old, new):
            return _change_toleration(old, new, data, layout("tolerations"))
        case RemoveToleration(toleration):
            return _remove_toleration(toleration, data, layout("tolerations"), keep_empty=keep_empty)
        case RemoveTolerationSeconds(toleration):
            return _remove_seconds(toleration, data, layout("tolerations"))
        case SetNodeSelector(key, value):
            return put(data, (*layout("nodeSelector"), key), value)
        case UnsetNodeSelector(key):
            return _unset_selector(key, data, layout("nodeSelector"), keep_empty=keep_empty)
        case AddAffinityExpression(expression):
            return _add_expression(expression, data, layout("affinity"))
        case ChangeAffinityExpression(old, new):
            return _change_expression(old, new, data, layout("affinity"))
        case SetPriorityClass(name):
            return put(data, layout("priorityClassName"), name)
        case SetUpdateStrategy():
            return _update_strategy(edit, data, layout("updateStrategy"))


def value_at(data: Data, path: Path) -> Data:
    """What is at `path`, None where there is nothing."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def put(data: Data, path: Path, value: Data, *, after: str | None = None) -> list[Operation]:
    """The operation that gives `path` the scalar `value`."""
    old = value_at(data, path)
    if old == value and type(old) is type(value):
        return []
    return [Add(path, value, after)] if old is None else [Replace(path, value)]


def _tolerations(data: Data, path: Path) -> list[Any]:
    found = value_at(data, path)
    if found is None or found == {}:
        return []
    if not isinstance(found, list):
        raise Refused(f"{'.'.join(map(str, path))} is no list", remedy="Make it a list of tolerations by hand.")
    return found


def _same(item: Data, toleration: TolerationSpec, *, seconds: bool = False) -> bool:
    """Whether a toleration of the data means the same; no operator means Equal (core/v1), absent strings mean empty."""
    if not isinstance(item, dict):
        return False
    wanted = toleration.fields()
    for name, default in (("key", ""), ("operator", "Equal"), ("value", ""), ("effect", "")):
        if (item.get(name) or default) != (wanted.get(name) or default):
            return False
    return not seconds or item.get("tolerationSeconds") == toleration.seconds


def _add_toleration(toleration: TolerationSpec, data: Data, path: Path) -> list[Operation]:
    if any(_same(item, toleration, seconds=True) for item in _tolerations(data, path)):
        return []
    return [Add((*path, END), toleration.fields())]


def _change_toleration(old: TolerationSpec, new: TolerationSpec, data: Data, path: Path) -> list[Operation]:
    items = _tolerations(data, path)
    places = [i for i, item in enumerate(items) if _same(item, old)]
    if not places and any(_same(item, new) for item in items):
        return []
    if not places:
        raise NotFound(f"there is no toleration {_spelt(old)} to change")
    return [step for place in places for step in _fields(items[place], new.fields(), (*path, place))]


def _fields(item: dict[str, Any], wanted: dict[str, Any], path: Path) -> list[Operation]:
    """Give a toleration its new fields; tolerationSeconds stays as it is, an absent operator that means Equal too."""
    changes: list[Operation] = []
    for name in ("key", "operator", "value", "effect"):
        old, new = item.get(name), wanted.get(name)
        if (old or None) == new or (name == "operator" and (old or "Equal") == (new or "Equal")):
            continue
        if new is None:
            changes.append(Remove((*path, name)))
        else:
            changes += put(item, (name,), new, after=_before(name, item))
            changes[-1] = _moved(changes[-1], path)
    # A removal may not be the first thing done to a map with a single key.
    return sorted(changes, key=lambda change: isinstance(change, Remove))


def _moved(change: Operation, base: Path) -> Operation:
    match change:
        case Add(path, value, after):
            return Add((*base, *path), value, after)
        case Replace(path, value):
            return Replace((*base, *path), value)
        case Remove(path):
            return Remove((*base, *path))


def _before(name: str, item: dict[str, Any]) -> str | None:
    """The key that `name` is best written behind, of those there: by custom, or by the alphabet if they are."""
    keys = list(item)
    order = [key for key in _ORDER if key in item or key == name]
    if keys == sorted(keys) and keys != [key for key in order if key != name]:
        order = sorted([*keys, name])
    earlier = order[: order.index(name)]
    return earlier[-1] if earlier else None


def _remove_toleration(toleration: TolerationSpec, data: Data, path: Path, *, keep_empty: bool) -> list[Operation]:
    items = _tolerations(data, path)
    places = [i for i, item in enumerate(items) if _same(item, toleration)]
    if places and len(places) == len(items) and not keep_empty:
        return [Remove(path)]
    return [Remove((*path, place)) for place in reversed(places)]


def _remove_seconds(toleration: TolerationSpec, data: Data, path: Path) -> list[Operation]:
    items = _tolerations(data, path)
    places = [i for i, item in enumerate(items) if _same(item, toleration)]
    if not places:
        raise NotFound(f"there is no toleration {_spelt(toleration)}")
    return [Remove((*path, place, "tolerationSeconds")) for place in places if "tolerationSeconds" in items[place]]


def _unset_selector(key: str, data: Data, path: Path, *, keep_empty: bool) -> list[Operation]:
    labels = value_at(data, path)
    if not isinstance(labels, dict) or key not in labels:
        return []
    return [Remove(path)] if len(labels) == 1 and not keep_empty else [Remove((*path, key))]


def expression_fields(expression: Expression) -> dict[str, Any]:
    """An expression under its manifest names."""
    values = {"values": list(expression.values)} if expression.values else {}
    return {"key": expression.key, "operator": expression.operator, **values}


def _same_expression(item: Data, expression: Expression) -> bool:
    return (
        isinstance(item, dict)
        and (item.get("key"), item.get("operator")) == (expression.key, expression.operator)
        and set(map(str, item.get("values") or [])) == set(expression.values)
    )


def _add_expression(expression: Expression, data: Data, affinity: Path) -> list[Operation]:
    path = (*affinity, *_TERMS)
    terms = value_at(data, path) or []
    if not terms:
        return [Add((*path, END), {"matchExpressions": [expression_fields(expression)]})]
    # A term without any expression selects no node (core/v1); filling it would let nodes in.
    live = [i for i, term in enumerate(terms) if isinstance(term, dict) and any(term.values())]
    if not live:
        raise Refused("every nodeSelectorTerm is empty, so no node matches", remedy="Write the first term by hand.")
    return [
        Add((*path, i, "matchExpressions", END), expression_fields(expression))
        for i in live
        if not any(_same_expression(item, expression) for item in terms[i].get("matchExpressions") or [])
    ]


def _change_expression(old: Expression, new: Expression, data: Data, affinity: Path) -> list[Operation]:
    path = (*affinity, *_TERMS)
    every = [
        ((*path, i, "matchExpressions", j), item)
        for i, term in enumerate(value_at(data, path) or [])
        for j, item in enumerate((term or {}).get("matchExpressions") or [])
    ]
    places = [(where, item) for where, item in every if _same_expression(item, old)]
    if not places and any(_same_expression(item, new) for _, item in every):
        return []
    if not places:
        raise NotFound(f"there is no required expression on {old.key} with operator {old.operator} and these values")
    return [change for where, item in places for change in _expression_changes(where, item, new)]


def _expression_changes(path: Path, item: dict[str, Any], new: Expression) -> list[Operation]:
    changes = [*put(item, ("key",), new.key), *put(item, ("operator",), new.operator)]
    changes = [_moved(change, path) for change in changes]
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


def _update_strategy(edit: SetUpdateStrategy, data: Data, path: Path) -> list[Operation]:
    kind = edit.type or value_at(data, (*path, "type")) or "RollingUpdate"
    numbers = {"maxSurge": edit.max_surge, "maxUnavailable": edit.max_unavailable}
    wanted = {name: number for name, number in numbers.items() if number is not None}
    if wanted and kind != "RollingUpdate":
        raise Refused(
            f"updateStrategy is {kind}, which has no numbers", remedy="Set the type to RollingUpdate as well."
        )
    changes = put(data, (*path, "type"), edit.type) if edit.type else []
    for name, number in wanted.items():
        changes += put(data, (*path, "rollingUpdate", name), number)
    return changes


def _spelt(toleration: TolerationSpec) -> str:
    value = "" if toleration.value is None else f"={toleration.value}"
    return f"{toleration.key or ''}{value}" + (f":{toleration.effect}" if toleration.effect else "")
