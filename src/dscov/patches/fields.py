"""Where a scheduling field is kept in each form of a DaemonSet, and the small steps that every edit is made of."""

from __future__ import annotations

from collections.abc import Callable

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
from dscov.yamltext.meaning import Add, Data, Operation, Path, Remove, Replace

#: A field by its own name (tolerations, nodeSelector, affinity, priorityClassName, updateStrategy), or by its whole path.
Field = str | tuple[str, ...]
#: Where a field is kept.
Layout = Callable[[Field], Path]

POD_SPEC = ("spec", "template", "spec")


def in_daemonset(field: Field) -> Path:
    """The layout of a DaemonSet manifest."""
    if isinstance(field, tuple):
        return field
    return ("spec", field) if field == "updateStrategy" else (*POD_SPEC, field)


def field_of(edit: Edit) -> Field:
    """The field that an edit is about."""
    match edit:
        case AddToleration() | ChangeToleration() | RemoveToleration() | RemoveTolerationSeconds():
            return "tolerations"
        case SetNodeSelector() | UnsetNodeSelector():
            return "nodeSelector"
        case AddAffinityExpression() | ChangeAffinityExpression() | RemoveAffinityExpression() | ReplaceAffinityTerms():
            return "affinity"
        case SetPriorityClass():
            return "priorityClassName"
        case SetUpdateStrategy():
            return "updateStrategy"
        case SetField(path) | UnsetField(path):
            return path


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


def without(data: Data, path: Path, *, root: Path) -> Remove:
    """The removal of `path`, with the maps above it that would be left empty; `root` and what is above it stay."""
    while len(path) - 1 > len(root):
        above = value_at(data, path[:-1])
        if not isinstance(above, dict | list) or len(above) > 1:
            break
        path = path[:-1]
    return Remove(path)


def moved(change: Operation, base: Path) -> Operation:
    """The same operation one or more maps deeper."""
    match change:
        case Add(path, value, after, first):
            return Add((*base, *path), value, after, first)
        case Replace(path, value):
            return Replace((*base, *path), value)
        case Remove(path):
            return Remove((*base, *path))
