"""What a person should know before saying yes to edits: a toleration that grows wider, one or a label that is not there."""

from __future__ import annotations

from collections.abc import Sequence

from dscov.model.edits import ChangeToleration, Edit, RemoveToleration, TolerationSpec, UnsetNodeSelector
from dscov.model.spelling import alike, successor
from dscov.patches.fields import Layout, value_at
from dscov.patches.operations import operations
from dscov.patches.wording import spelt
from dscov.yamltext.meaning import Data, applied


def notes_of(edits: Sequence[Edit], data: Data, layout: Layout) -> tuple[str, ...]:
    """The notes on `edits` of `data`, in their order."""
    notes: list[str] = []
    for edit in edits:
        todo = operations(edit, data, layout)
        if todo and isinstance(edit, ChangeToleration) and widens(edit.old, edit.new):
            notes.append(f"{spelt(edit.new)} tolerates taints that {spelt(edit.old)} does not")
        if not todo and isinstance(edit, RemoveToleration):
            notes.append(not_there(edit))
        if not todo and isinstance(edit, UnsetNodeSelector):
            notes.append(_no_label(edit.key, value_at(data, layout("nodeSelector"))))
        for operation in todo:
            data = applied(data, operation)
    return tuple(notes)


def widens(old: TolerationSpec, new: TolerationSpec) -> bool:
    """Whether `new` tolerates a taint that `old` does not."""
    return not (_covers_key(old, new) and _covers_value(old, new) and (not old.effect or old.effect == new.effect))


def _covers_key(old: TolerationSpec, new: TolerationSpec) -> bool:
    return not old.key or old.key == new.key


def _covers_value(old: TolerationSpec, new: TolerationSpec) -> bool:
    """A toleration without a key meets every taint by Exists only (core/v1)."""
    if old.operator == "Exists":
        return True
    before, after = (((spec.operator or "Equal"), spec.value or "") for spec in (old, new))
    return before == after


def not_there(edit: RemoveToleration) -> str:
    """That there is nothing to take out."""
    return f"there is no toleration {spelt(edit.toleration)} to take out"


def _no_label(key: str, labels: Data) -> str:
    there = list(map(str, labels)) if isinstance(labels, dict) else []
    near = [other for other in there if alike(key, other) or key in (successor(other), other.split("/")[-1])]
    near += [other for other in there if other == successor(key) and other not in near]
    return f"there is no label {key} in nodeSelector" + (f"; there is {', '.join(near)}" if near else "")
