"""Where a change lasts, for people: the place, the YAML to put there, the commands, and what was not seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubectl_dscov.render.ink import ink, plain
from kubectl_dscov.render.sheet import Sheet

if TYPE_CHECKING:
    from dscov import Origin

WIDTH = 80
_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")


def lines(origin: Origin, *, colour: bool) -> Iterator[str]:
    """The lines of one origin. YAML and commands are not wrapped inside of a word, so that they can be copied."""
    yield from _wrapped(f"the change belongs into {origin.place}", colour=colour)
    if origin.fate:
        yield from _wrapped(f"a live edit is {origin.fate}", colour=colour)
    if origin.text:
        yield ""
        for line in origin.text.removesuffix("\n").split("\n"):
            yield ink(f"    {plain(line)}".rstrip(), "green", colour=colour)
    if origin.commands:
        yield ""
        for command in origin.commands:
            yield from _command(command)
    if origin.notes:
        yield ""
    for note in origin.notes:
        yield from _wrapped(f"note: {note}", style="dim", colour=colour)


def _wrapped(text: str, *, style: str = "", colour: bool) -> Iterator[str]:
    found = Sheet(colour=colour, width=WIDTH).wrapped(plain(text), "  ", "    ", style=style)
    return (line.removesuffix("\n") for line in found)


def _command(command: str) -> Iterator[str]:
    """A command over as many lines as it needs, which a shell takes as one."""
    words = _words(command)
    line = "    " + words[0]
    for word in words[1:]:
        if len(line) + len(word) + 3 > WIDTH:
            yield plain(f"{line} \\")
            line = "      " + word
        else:
            line += f" {word}"
    yield plain(line)


def _words(command: str) -> list[str]:
    """The words of a command as they are written in it, quotes included."""
    return _WORD.findall(command) or [command]
