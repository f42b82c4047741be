"""Edits said in words, as a JSON Patch of one live DaemonSet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dscov.model.cluster import DaemonSet
from dscov.model.edits import Edit
from dscov.patches.change import on_object
from dscov.patches.forms import json_patch


def patch_of(daemonset: DaemonSet, edits: Sequence[Edit]) -> tuple[Mapping[str, Any], ...]:
    """RFC 6902 without guards; empty where the object is as the edits want it already. Raises as `operations` does."""
    before = dict(daemonset.obj)
    operations, _ = on_object(before, edits)
    return tuple(step for step in json_patch(before, operations) if step["op"] != "test")
