"""A change that is worked out and proved, and not written yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dscov.model.edits import Edit, TextEdit
from dscov.patches.fields import in_daemonset
from dscov.patches.operations import operations
from dscov.yamltext.meaning import Data, Operation, applied


@dataclass(frozen=True, slots=True)
class Change:
    """The files that change (none for a live object), and the DaemonSet before and after where it is known."""

    name: str
    edits: tuple[TextEdit, ...]
    before: dict[str, Any] | None = None
    operations: tuple[Operation, ...] = ()
    after: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    #: The name by which patches of its own kustomization meet it, which is not yet the one that is put out.
    patched_as: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether everything is already as planned."""
        return not any(edit.old != edit.new for edit in self.edits) if self.edits else not self.operations


def on_object(before: dict[str, Any], edits: Sequence[Edit]) -> tuple[tuple[Operation, ...], dict[str, Any]]:
    """The operations that `edits` need on a DaemonSet, and what it is afterwards."""
    done: list[Operation] = []
    data: Data = before
    for edit in edits:
        for operation in operations(edit, data, in_daemonset):
            data = applied(data, operation)
            done.append(operation)
    return tuple(done), data


def effective(before: Data, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Those of `edits` that change anything of a DaemonSet when they are done one after another."""
    found: list[Edit] = []
    for edit in edits:
        todo = operations(edit, before, in_daemonset)
        for operation in todo:
            before = applied(before, operation)
        found += [edit] if todo else []
    return tuple(found)
