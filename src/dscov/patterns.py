"""Regular expressions that are compiled when they are first asked.

A short run asks few of those that the causes know, and compiling them all takes a twentieth of it.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` makes of `text`, at the first use of one of its methods; only there is a mistake in it seen."""
    return cast("re.Pattern[AnyStr]", Lazy(text, flags))


class Lazy:
    """Stands for a pattern, and keeps each of its methods that was asked for."""

    def __init__(self, text: Any, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
