"""How a change looks to a person: a coloured diff, or the tool that KUBECTL_EXTERNAL_DIFF names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dscov import TextEdit, unified
from kubectl_dscov.render.ink import ink, plain

_STYLES = {"+": ("green",), "-": ("red",), "@": ("dim",)}


def diff_lines(edits: Sequence[TextEdit], *, colour: bool) -> list[str]:
    """The diffs of all edits for a terminal: every control character is escaped, tabs are kept."""
    lines: list[str] = []
    for edit in edits:
        raw = unified(edit).decode("utf-8", "replace")
        lines += [_styled(line, colour=colour) for line in raw.split("\n")[:-1]]
    return lines


def _styled(line: str, *, colour: bool) -> str:
    text = "\t".join(plain(part) for part in line.removesuffix("\r").split("\t"))
    if line.endswith("\r") and not line.startswith(("---", "+++", "@@")):
        text += "^M"
    styles = ("bold",) if line.startswith(("---", "+++")) else _STYLES.get(line[:1], ())
    return ink(text, *styles, colour=colour)


def external_diff(edits: Sequence[TextEdit]) -> bool:
    """Show the edits with KUBECTL_EXTERNAL_DIFF, by kubectl's rules; False where it is not set or not there.

    The value is split at spaces; of the arguments only those of letters, digits, - and = are kept.
    """
    words = os.environ.get("KUBECTL_EXTERNAL_DIFF", "").split(" ")
    program = shutil.which(words[0]) if words[0] else None
    if program is None:
        return False
    arguments = [word for word in words[1:] if re.fullmatch(r"[a-zA-Z0-9\-=]+", word)]
    with tempfile.TemporaryDirectory(prefix="dscov-") as folder:
        for side in ("OLD", "NEW"):
            Path(folder, side).mkdir()
        for number, edit in enumerate(edits):
            name = f"{number}-{Path(edit.path).name}" if len(edits) > 1 else Path(edit.path).name
            Path(folder, "OLD", name).write_bytes(edit.old or b"")
            Path(folder, "NEW", name).write_bytes(edit.new)
        subprocess.run([program, *arguments, str(Path(folder, "OLD")), str(Path(folder, "NEW"))], check=False)
    return True
