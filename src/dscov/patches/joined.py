"""Several changes of the same files as one, for forms that hold each file once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dscov.errors import Refused
from dscov.model.edits import TextEdit
from dscov.patches.change import Change


def joined(changes: Sequence[Change]) -> list[Change]:
    """The changes, those that share a file as one; Refused where they change the same part of it differently."""
    found: list[Change] = []
    for change in changes:
        paths = {edit.path for edit in change.edits}
        sharing = [one for one in found if paths & {edit.path for edit in one.edits}]
        found = [one for one in found if one not in sharing]
        found.append(_together([*sharing, change]) if sharing else change)
    return found


def _together(changes: Sequence[Change]) -> Change:
    by_path: dict[str, list[TextEdit]] = {}
    for change in changes:
        for edit in change.edits:
            by_path.setdefault(edit.path, []).append(edit)
    notes = dict.fromkeys(note for change in changes for note in change.notes)
    edits = tuple(_merged(edits) for edits in by_path.values())
    return Change(" ".join(dict.fromkeys(change.name for change in changes)), edits, notes=(*notes,))


def _merged(edits: Sequence[TextEdit]) -> TextEdit:
    """One edit with the changed parts of all; they were worked out from the same text."""
    first, *_ = edits
    regions = sorted({edit.region for edit in edits if edit.old != edit.new})
    apart = all(one[1] < other[0] for one, other in pairwise(regions))
    if not apart or any(edit.old != first.old for edit in edits) or (first.old is None and len(regions) > 1):
        reason = f"{first.path}: several DaemonSets are to be changed in the same place, which one patch cannot hold"
        raise Refused(reason, remedy="Name one of them, or write the files with --yes.")
    text = first.old or b""
    for start, end, new in reversed(regions):
        text = text[:start] + new + text[end:]
    return TextEdit(first.path, first.old, text, first.notes)
