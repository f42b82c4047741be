"""When to colour, and how text from a cluster is made harmless for a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

# C0 and C1 controls, DEL, the line and paragraph separators, and the marks that reorder text (a name must not look like another).
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_CODES = {"red": "31", "yellow": "33", "green": "32", "dim": "2", "bold": "1"}


def plain(text: str) -> str:
    """`text` with every character that could steer a terminal written as an escape (`\\x1b`), tabs and newlines included."""
    return _UNSAFE.sub(lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)


def wants_colour(stream: TextIO | None = None, *, choice: str = "auto") -> bool:
    """Whether to colour what goes to `stream` (default standard output), by kubectl's rules.

    NO_COLOR set at all means no; `choice` ("always", "never") overrules the environment.
    """
    if choice != "auto":
        return choice == "always"
    stream = stream or sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ


def ink(text: str, *styles: str, colour: bool) -> str:
    """`text` in the given styles (red, yellow, green, dim, bold) when `colour`, else unchanged."""
    return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m" if colour and styles else text
