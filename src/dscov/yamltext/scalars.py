"""What a YAML scalar means to kubectl: YAML 1.1 with the exceptions of goyaml v2, taken through JSON."""

from __future__ import annotations

import base64

from dscov.patterns import pattern

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
NOT_JSON = frozenset(sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")) | {
    ".nan",
    ".NaN",
    ".NAN",
}

#: Go's strconv.ParseInt with base 0, after the underscores are gone: the leading zero alone means octal.
INTEGER = pattern(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
INT64, UINT64 = 2**63, 2**64


class ScalarError(ValueError):
    """A scalar that kubectl refuses: it has no JSON form, or its tag and its text disagree."""


def scalar_value(text: str, tag: str | None, *, plain: bool) -> object:
    """The value of a scalar by its text, its explicit tag (None without one) and whether it stands without quotes."""
    match tag:
        case None | "!" if not plain:
            return text
        case None | "tag:yaml.org,2002:timestamp":
            return plain_value(text)
        case "tag:yaml.org,2002:binary":
            return _decoded(text)
        case "tag:yaml.org,2002:int" | "tag:yaml.org,2002:float" | "tag:yaml.org,2002:bool" | "tag:yaml.org,2002:null":
            return _as_tagged(text, tag.rpartition(":")[2])
    return text


def plain_value(text: str) -> object:
    """The value of a scalar without quotes and tag."""
    if text in WORDS:
        return WORDS[text]
    if text in NOT_JSON:
        raise ScalarError(f"{text} has no meaning in a Kubernetes object")
    if text[0] in "0123456789+-.":
        return _number(text.replace("_", ""), text)
    return text


def key_text(value: object) -> str:
    """The text that a mapping key becomes: kubectl writes `true: x` and `5: x` with the keys "true" and "5"."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
    raise ScalarError("a key must be a text, a number or true/false")


def _number(digits: str, text: str) -> int | float | str:
    """The number that `digits` (without underscores) spells, else `text`; only whole int64 numbers stay whole."""
    whole = INTEGER.fullmatch(digits)
    if whole:
        sign, *forms = whole.groups()
        base, body = next((base, form) for base, form in zip((16, 2, 8, 10), forms, strict=True) if form is not None)
        value = int(sign + body, base)
        if -INT64 <= value < INT64:
            return value
        if base != 10 and not 0 <= value < UINT64:
            return text
        return float(value)
    if not FLOAT.fullmatch(digits):
        return text
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        return text
    return int(number) if number.is_integer() and abs(number) < INT64 else number


def _decoded(text: str) -> str:
    """The text behind `!!binary`."""
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace")
    except ValueError:
        raise ScalarError("!!binary is not valid base64") from None


def _as_tagged(text: str, tag: str) -> object:
    """The value of a scalar whose tag demands a kind: refused where the text is of another kind."""
    value = plain_value(text)
    kinds: dict[str, tuple[type, ...]] = {"bool": (bool,), "null": (type(None),), "int": (int,), "float": (int, float)}
    if not isinstance(value, kinds[tag]) or (tag in {"int", "float"} and isinstance(value, bool)):
        raise ScalarError(f"{text!r} is not of the kind !!{tag}")
    return value
