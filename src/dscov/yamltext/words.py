"""What a plain word means to kubectl (YAML 1.1 as goyaml reads it), and how a value is written so that it means itself."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"], False),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], float("inf")),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGERS = (
    (re.compile(r"[-+]?0b[01]+"), 2),
    (re.compile(r"[-+]?0o[0-7]+"), 8),
    (re.compile(r"[-+]?0x[0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
# Words that some reader in use takes for something else than a string: sexagesimals, dates, merge keys, single letters.
_DOUBTFUL = re.compile(r"[-+]?[0-9][0-9_:.]*|[0-9]{4}-[0-9].*|[yYnN=]|<<|\.nan|\.NaN|\.NAN")
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@%+-]*(:[A-Za-z0-9_./@%+-]+)*")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a tag of its own, kept as text: it is compared, never understood."""

    tag: str
    text: str


def resolve(text: str) -> Scalar:
    """The value of the plain scalar `text`: null, bool, int, float, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    digits = text.replace("_", "")
    if len(digits) > 4000 or not digits or digits[0] not in "+-.0123456789":
        return text
    for pattern, base in _INTEGERS:
        if pattern.fullmatch(digits):
            return int(digits, base)
    return float(digits) if _FLOAT.fullmatch(digits) else text


def value_of(text: str, *, style: str, tag: str | None) -> Scalar | Tagged:
    """The value of a scalar from its text, its style (empty for plain) and its full tag, if it has one."""
    if tag in {"tag:yaml.org,2002:str", "!"}:
        return text
    if tag is None:
        return text if style else resolve(text)
    return Tagged(tag, text)


def is_safe_plain(text: str) -> bool:
    """Whether every reader takes the bare `text` for this very string."""
    return bool(_PLAIN.fullmatch(text)) and isinstance(resolve(text), str) and not _DOUBTFUL.fullmatch(text)


def written(value: Scalar, *, quote: str = "") -> str:
    """`value` as a scalar on one line; `quote` is the mark that strings wear, none where they need none."""
    if not isinstance(value, str):
        return json.dumps(value)
    if not quote and is_safe_plain(value):
        return value
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=not value.isprintable())
