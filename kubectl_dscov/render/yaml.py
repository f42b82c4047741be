"""Plain values as YAML that every parser, of 1.1 and of 1.2, reads as the same values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

# A word that no YAML version takes for anything but text.
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
UNPRINTABLE = re.compile("[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def lines(value: Any, indent: str = "") -> Iterator[str]:
    """The lines of a dict or list, each with its newline."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _entry(f"{indent}{_scalar(key)}:", inner, indent + "  ")
    else:
        for inner in value:
            yield from _item(inner, indent)


def _entry(head: str, inner: Any, indent: str) -> Iterator[str]:
    if isinstance(inner, dict | list) and inner:
        yield f"{head}\n"
        yield from lines(inner, indent if isinstance(inner, dict) else indent[:-2])
    else:
        yield f"{head} {_scalar(inner)}\n"


def _item(inner: Any, indent: str) -> Iterator[str]:
    if isinstance(inner, dict | list) and inner:
        first, *rest = lines(inner, indent + "  ")
        yield f"{indent}- {first[len(indent) + 2 :]}"
        yield from rest
    else:
        yield f"{indent}- {_scalar(inner)}\n"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
