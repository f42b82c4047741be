"""Scalars as this room keeps them: values as kubectl reads them, and the text that means a value to every reader."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dscov.patterns import pattern
from dscov.yamltext.scalars import ScalarError, scalar_value

Scalar = str | int | float | bool | None

# Words that some reader in use takes for something else than a string: sexagesimals, dates, merge keys, single letters.
_DOUBTFUL = pattern(r"[-+]?[0-9][0-9_:.]*|[0-9]{4}-[0-9].*|[yYnN=]|<<|\.nan|\.NaN|\.NAN")
# Outside ASCII no character has a meaning of its own in YAML.
_PLAIN = pattern(r"[A-Za-z0-9_./\u00a1-\U0010ffff][A-Za-z0-9_./@%+\u00a1-\U0010ffff-]*(:[A-Za-z0-9_./@%+-]+)*")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value that kubectl would refuse or that has a tag of its own, kept as text: compared, never understood."""

    tag: str
    text: str


def value_of(text: str, *, style: str, tag: str | None) -> object:
    """The value of a scalar from its text, its style (empty for plain) and its full tag, if it has one."""
    if tag is not None and tag not in {"tag:yaml.org,2002:str", "!"}:
        return Tagged(tag, text)
    try:
        return scalar_value(text, tag, plain=not style)
    except ScalarError:
        return Tagged("", text)


def is_safe_plain(text: str) -> bool:
    """Whether every reader takes the bare `text` for this very string."""
    looks = bool(_PLAIN.fullmatch(text)) and text.isprintable() and not _DOUBTFUL.fullmatch(text)
    return looks and isinstance(value_of(text, style="", tag=None), str)


def written(value: object, *, quote: str = "") -> str:
    """`value` as a scalar on one line; `quote` is the mark that strings wear, none where they need none."""
    if not isinstance(value, str):
        return json.dumps(value)
    if not quote and is_safe_plain(value):
        return value
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False) if value.isprintable() else _escaped(value)


def _escaped(text: str) -> str:
    """`text` in double quotes; beyond the first plane JSON would write two escapes where YAML knows one."""
    parts = [json.dumps(char)[1:-1] if char < "\U00010000" else f"\\U{ord(char):08x}" for char in text]
    return '"' + "".join(parts) + '"'
