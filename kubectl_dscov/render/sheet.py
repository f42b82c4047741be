"""Texts fitted to the terminal: the one place where lines are broken."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator

from kubectl_dscov.render.ink import ink

#: No report is wider, and none narrower, whatever the terminal.
_WIDEST, _NARROWEST = 120, 20


class Sheet:
    """Breaks texts for a terminal of some width, in colour or not; words are never broken."""

    def __init__(self, *, colour: bool = False, width: int | None = None) -> None:
        self.colour = colour
        self.width = width or max(_NARROWEST, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))

    def wrapped(self, text: str, indent: str = "", after: str = "", *, style: str = "") -> Iterator[str]:
        """A text in lines; all but the first begin with `after`."""
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=indent,
            subsequent_indent=after or indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines:
            yield ink(line, *([style] if style else []), colour=self.colour) + "\n"
