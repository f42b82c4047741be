"""The two verbs of these tests, and a reader of YAML that shares nothing with the engine."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from dscov.errors import Refused
from dscov.model.edits import AddToleration, Edit, TolerationSpec
from dscov.patches.manifest import daemonsets, edit_text
from dscov.patches.search import parse
from dscov.patches.source import Source

DEDICATED = TolerationSpec("example.com/dedicated", "Exists", None, "NoSchedule")
ADD = (AddToleration(DEDICATED),)


def patched(before: str, edits: Sequence[Edit] = ADD, name: str = "agent") -> str:
    source = Source("in.yaml", before.encode())
    places = [place for place in daemonsets(source, parse(source)) if place.name == name]
    assert len(places) == 1
    return source.encoded(edit_text(places[0], edits)).decode()


def assert_patched(before: str, after: str, edits: Sequence[Edit] = ADD) -> None:
    """The edits give exactly `after`, and once more change nothing."""
    assert patched(before, edits) == after
    assert patched(after, edits) == after


def assert_refused(before: str, why: str, edits: Sequence[Edit] = ADD) -> None:
    """The edits are refused, for a reason that speaks of `why`, with a way out."""
    with pytest.raises(Refused, match=re.escape(why)) as refusal:
        patched(before, edits)
    assert refusal.value.remedy


def manifest(pod_spec: str, *, indent: str = "      ") -> str:
    """A DaemonSet with the given lines in its pod spec (written without indent)."""
    lines = [indent + line if line else line for line in pod_spec.strip("\n").split("\n")]
    head = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\nspec:\n  template:\n    spec:\n"
    return head + "\n".join(lines) + "\n"
