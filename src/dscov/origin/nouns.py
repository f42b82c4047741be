"""The nouns of this room: the source of a DaemonSet, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.owners import Owner
from dscov.origin.asking import Asker
from dscov.origin.fields import Field, emptied, nested, together
from dscov.origin.texts import document, head
from dscov.patches.live_forms import live_form

Operation = Mapping[str, Any]


class Origin(msgspec.Struct, frozen=True):
    """Where a change of one DaemonSet lasts. Text from a cluster is as it was read: harmless only once escaped.

    `place` is one sentence: which object, repository and path. `text` is YAML to put there, lists whole; empty where
    nobody can tell. `commands` are for a shell, quoted; CHART, FILE and other capitals are for the person to fill in.
    `fate` is what becomes of a live edit, as exactly as the owner's settings told; `notes` are what was not seen and
    what to check.
    """

    kind: str
    place: str
    text: str = ""
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fate: str = ""


class Case(NamedTuple):
    """What every kind of owner is asked with: the DaemonSet, its patch, the fields that it changes, and the owner."""

    asker: Asker
    daemonset: DaemonSet
    patch: Sequence[Operation]
    fields: tuple[Field, ...]
    owner: Owner

    def manifest(self) -> str:
        """The changed fields as they stand in a manifest of the DaemonSet, each whole; empty where none changes."""
        values = together([nested((*field.above, field.name), emptied(field)) for field in self.fields])
        return document({**head("apps/v1", "DaemonSet", self.daemonset.obj), **values}) if self.fields else ""

    def overlay(self) -> str:
        """The patch as an entry of a kustomization, guarded by what it rests on; empty where nothing changes."""
        return live_form(self.daemonset, self.patch, "kustomize").decode() if self.fields else ""

    @property
    def named(self) -> tuple[str, str, str]:
        """The words that name the DaemonSet to kubectl."""
        return f"daemonset/{self.daemonset.name}", "-n", self.daemonset.namespace
