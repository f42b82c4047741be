"""What an edit means for the data of one DaemonSet: the operations that are still to be done, perhaps none."""

from __future__ import annotations

from dscov.errors import Refused
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
    UnsetField,
    UnsetNodeSelector,
)
from dscov.patches import affinity, tolerations
from dscov.patches.fields import POD_SPEC, Layout, field_of, put, value_at, without
from dscov.yamltext.meaning import Add, Data, Operation, Path, Remove

_BY_HAND = "Change it by hand."


def operations(edit: Edit, data: Data, layout: Layout, *, keep_empty: bool = False) -> list[Operation]:
    """The operations that `edit` needs on `data`; with `keep_empty` the last entry leaves `[]` or `{}` behind."""
    path = layout(field_of(edit))
    match edit:
        case AddToleration() | ChangeToleration() | RemoveToleration() | RemoveTolerationSeconds():
            return _tolerations(edit, data, path, keep_empty=keep_empty)
        case SetNodeSelector():
            return _set_selector(edit, data, path)
        case UnsetNodeSelector(key):
            return _unset_selector(key, data, path, keep_empty=keep_empty)
        case SetPriorityClass(name):
            return put(data, path, name)
        case SetUpdateStrategy():
            return _update_strategy(edit, data, path)
        case SetField(_, value):
            return _set_field(data, path, value)
        case UnsetField():
            return _unset_field(data, path)
        case _:
            return _affinity(edit, data, path, keep_empty=keep_empty)


def _tolerations(
    edit: AddToleration | ChangeToleration | RemoveToleration | RemoveTolerationSeconds,
    data: Data,
    path: Path,
    *,
    keep_empty: bool,
) -> list[Operation]:
    match edit:
        case AddToleration():
            return tolerations.add(edit, data, path)
        case ChangeToleration(old, new):
            return tolerations.change(old, new, data, path)
        case RemoveToleration(toleration):
            return tolerations.remove(toleration, data, path, keep_empty=keep_empty)
        case RemoveTolerationSeconds(toleration):
            return tolerations.remove_seconds(toleration, data, path)


def _affinity(
    edit: AddAffinityExpression | ChangeAffinityExpression | RemoveAffinityExpression | ReplaceAffinityTerms,
    data: Data,
    path: Path,
    *,
    keep_empty: bool,
) -> list[Operation]:
    match edit:
        case AddAffinityExpression(expression):
            return affinity.add(expression, data, path)
        case ChangeAffinityExpression(old, new):
            return affinity.change(old, new, data, path)
        case RemoveAffinityExpression(expression):
            return affinity.remove(expression, data, path, keep_empty=keep_empty)
        case ReplaceAffinityTerms(terms):
            return affinity.replace(terms, data, path)


def _set_selector(edit: SetNodeSelector, data: Data, path: Path) -> list[Operation]:
    labels = value_at(data, path)
    keys = list(labels) if isinstance(labels, dict) else []
    if edit.before not in keys or edit.key in keys:
        return put(data, (*path, edit.key), edit.value)
    place = keys.index(edit.before)
    return [Add((*path, edit.key), edit.value, keys[place - 1] if place else None, first=not place)]


def _unset_selector(key: str, data: Data, path: Path, *, keep_empty: bool) -> list[Operation]:
    labels = value_at(data, path)
    if not isinstance(labels, dict) or key not in labels:
        return []
    return [Remove(path)] if len(labels) == 1 and not keep_empty else [Remove((*path, key))]


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


def _set_field(data: Data, path: Path, value: Data) -> list[Operation]:
    old = value_at(data, path)
    if isinstance(old, dict | list):
        kind = "map" if isinstance(old, dict) else "list"
        raise Refused(f"{'.'.join(map(str, path))} holds a {kind}, not a single value", remedy=_BY_HAND)
    return put(data, path, value)


def _unset_field(data: Data, path: Path) -> list[Operation]:
    above = value_at(data, path[:-1]) if len(path) > 1 else data
    if not isinstance(above, dict) or path[-1] not in above:
        return []
    root = path[: len(POD_SPEC)] if path[: len(POD_SPEC)] == POD_SPEC else path[:1]
    return [without(data, path, root=root)]
