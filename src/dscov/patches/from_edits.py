"""Edits said in words, as a JSON Patch of one live DaemonSet and as an option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dscov.model.cluster import DaemonSet
from dscov.model.edits import Edit
from dscov.model.proposals import Option
from dscov.patches.change import effective, on_object
from dscov.patches.fields import in_daemonset
from dscov.patches.forms import json_patch
from dscov.patches.notes import notes_of
from dscov.patches.strategy import check_strategy
from dscov.patches.wording import sentence


def patch_of(daemonset: DaemonSet, edits: Sequence[Edit]) -> tuple[Mapping[str, Any], ...]:
    """RFC 6902 without guards; empty where the object is as the edits want it already. Raises as `operations` does."""
    before = dict(daemonset.obj)
    operations, after = on_object(before, edits)
    check_strategy(after, edits)
    return tuple(step for step in json_patch(before, operations) if step["op"] != "test")


def option_of(daemonset: DaemonSet, edits: Sequence[Edit]) -> Option:
    """The edits as an option, its effect not yet known: what they change, and in notes what of them is not there."""
    before = dict(daemonset.obj)
    summary = "; ".join(map(sentence, effective(before, edits)))
    return Option(summary, patch_of(daemonset, edits), notes=notes_of(edits, before, in_daemonset))
