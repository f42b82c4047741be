"""Unified diffs that `git apply` and `patch -p1` take: every byte kept, missing newlines marked.

Paths are relative to the working folder, or to the top of the git work tree that the file lies in. In a sub folder git
takes the paths of a diff without a `diff --git` line from there, those of one with it from the top, and then passes over
files outside of the sub folder without a word. So that line is written for files below the working folder alone: the
diff can be applied here and at the top, and one of a file elsewhere fails loudly but at the top.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dscov.model.edits import TextEdit

_CONTEXT = 3


class _Run(NamedTuple):
    """Lines `old` to `old_end` become the lines `new` to `new_end` of the new text."""

    old: int
    old_end: int
    new: int
    new_end: int


_NO_NEWLINE = b"\\ No newline at end of file\n"


def unified(edit: TextEdit, *, base: Path | None = None) -> bytes:
    """The change of one file, with paths relative to `base` (by default the working folder); empty without one."""
    if edit.old == edit.new:
        return b""
    name = _relative(edit.path, base or Path.cwd())
    before = b"/dev/null" if edit.old is None else _header("a/" + name)
    head = [b"--- " + before + b"\n", b"+++ " + _header("b/" + name) + b"\n"]
    return b"".join([*head, *_hunks(_lines(edit.old or b""), _lines(edit.new))])


def for_git(edit: TextEdit) -> bytes:
    """The change of one file, with its path relative to the top of its git work tree; without one as `unified`."""
    full = Path(edit.path).resolve()
    top = work_tree(full)
    if top is None or edit.old == edit.new:
        return unified(edit)
    patch = unified(replace(edit, path=str(full)), base=top)
    if not full.is_relative_to(Path.cwd().resolve()):
        return patch
    name = full.relative_to(top).as_posix()
    first = b"diff --git %s %s\n" % tuple(_header(side + name).removesuffix(b"\t") for side in ("a/", "b/"))
    return first + (b"new file mode 100644\n" if edit.old is None else b"") + patch


def work_tree(path: str | Path) -> Path | None:
    """The top of the git work tree that a path lies in; None where it is in none."""
    return next((folder for folder in Path(path).resolve().parents if (folder / ".git").exists()), None)


def _relative(path: str, base: Path) -> str:
    full = Path(path).absolute()
    try:
        return full.relative_to(base.absolute()).as_posix()
    except ValueError:
        return os.path.relpath(full, base).replace(os.sep, "/")


def _header(name: str) -> bytes:
    """A path as git writes it: quoted where it holds odd characters, closed with a tab where it holds a space."""
    raw = os.fsencode(name)
    if any(byte < 0x20 or byte in b'"\\' or byte > 0x7E for byte in raw):
        return b'"' + b"".join(_quoted(byte) for byte in raw) + b'"'
    return raw + (b"\t" if b" " in raw else b"")


def _quoted(byte: int) -> bytes:
    if byte in b'"\\':
        return b"\\" + bytes([byte])
    return bytes([byte]) if 0x20 <= byte <= 0x7E else b"\\%03o" % byte


def _lines(raw: bytes) -> list[bytes]:
    """Lines with their line ends; only `\\n` ends one, so that carriage returns stay where they are."""
    return [line + b"\n" for line in raw.split(b"\n")[:-1]] + [rest for rest in raw.split(b"\n")[-1:] if rest]


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    for group in _groups(_changes(old, new)):
        first, last = group[0], group[-1]
        a1, a2 = max(first.old - _CONTEXT, 0), min(last.old_end + _CONTEXT, len(old))
        b1, b2 = first.new - (first.old - a1), last.new_end + (a2 - last.old_end)
        yield b"@@ -%s +%s @@\n" % (_range(a1, a2), _range(b1, b2))
        here = a1
        for change in group:
            yield from (_ended(b" " + line) for line in old[here : change.old])
            yield from (_ended(b"-" + line) for line in old[change.old : change.old_end])
            yield from (_ended(b"+" + line) for line in new[change.new : change.new_end])
            here = change.old_end
        yield from (_ended(b" " + line) for line in old[here:a2])


def _changes(old: list[bytes], new: list[bytes]) -> list[_Run]:
    """The runs of lines that differ; what both ends share is found beforehand, as a long file changes in few places."""
    room = min(len(old), len(new))
    head = next((i for i in range(room) if old[i] != new[i]), room)
    tail = next((i for i in range(room - head) if old[-1 - i] != new[-1 - i]), room - head)
    middle = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    codes = middle.get_opcodes()
    return [_Run(i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _groups(changes: list[_Run]) -> list[list[_Run]]:
    """Changes whose context would touch belong to one hunk."""
    groups: list[list[_Run]] = []
    for change in changes:
        if groups and change.old - groups[-1][-1].old_end <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _range(start: int, stop: int) -> bytes:
    length = stop - start
    first = start + 1 if length else start
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE
