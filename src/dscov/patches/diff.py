"""Unified diffs that `git apply` takes: paths below the working folder, every byte kept, missing final newlines marked."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

from dscov.model.edits import TextEdit

_CONTEXT = 3
_NO_NEWLINE = b"\\ No newline at end of file\n"


def unified(edit: TextEdit, *, base: Path | None = None) -> bytes:
    """The change of one file, with paths relative to `base` (default: the working folder); empty where there is none."""
    if edit.old == edit.new:
        return b""
    name = _relative(edit.path, base or Path.cwd())
    before = b"/dev/null" if edit.old is None else _header("a/" + name)
    head = [b"--- " + before + b"\n", b"+++ " + _header("b/" + name) + b"\n"]
    return b"".join([*head, *_hunks(_lines(edit.old or b""), _lines(edit.new))])


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
    for group in _changed(old, new).get_grouped_opcodes(_CONTEXT):
        a1, a2, b1, b2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield b"@@ -%s +%s @@\n" % (_range(a1, a2), _range(b1, b2))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from map(_ended, (b" " + line for line in old[i1:i2]))
            else:
                yield from map(_ended, (b"-" + line for line in old[i1:i2]))
                yield from map(_ended, (b"+" + line for line in new[j1:j2]))


def _changed(old: list[bytes], new: list[bytes]) -> difflib.SequenceMatcher[bytes]:
    """A matcher for lines; what both ends share is found beforehand, since a long file changes in few places."""
    room = min(len(old), len(new))
    head = next((i for i in range(room) if old[i] != new[i]), room)
    tail = next((i for i in range(room - head) if old[-1 - i] != new[-1 - i]), room - head)
    middle = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    blocks = [difflib.Match(a + head, b + head, size) for a, b, size in middle.get_matching_blocks()[:-1]]
    ends = [difflib.Match(0, 0, head), *blocks, difflib.Match(len(old) - tail, len(new) - tail, tail)]
    whole = difflib.SequenceMatcher[bytes](None, [], [])
    whole.a, whole.b = old, new
    whole.matching_blocks = [match for match in ends if match.size] + [difflib.Match(len(old), len(new), 0)]
    return whole


def _range(start: int, stop: int) -> bytes:
    length = stop - start
    first = start + 1 if length else start
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE
