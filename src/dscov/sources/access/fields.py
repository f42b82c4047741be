"""Typed fields out of a kubeconfig's entries; complaints name the field and never show its value."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from dscov.errors import BadAccess

Entry = dict[str, Any]


def text_of(entry: Entry, field: str, where: str) -> str:
    """A text field, "" where it is missing; BadAccess where YAML makes it something else."""
    value = entry.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadAccess(f"{where}: {field} is not a text; put it in quotes")
    return value


def flag_of(entry: Entry, field: str, where: str) -> bool:
    """A true/false field, false where it is missing."""
    value = entry.get(field)
    if not isinstance(value, bool | None):
        raise BadAccess(f"{where}: {field} is neither true nor false")
    return bool(value)


def texts_of(entry: Entry, field: str, where: str) -> tuple[str, ...]:
    """A list of texts, empty where it is missing."""
    value = entry.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadAccess(f"{where}: {field} is not a list of texts; put its entries in quotes")
    return tuple(value)


def bytes_of(entry: Entry, field: str, where: str) -> bytes:
    """The content behind `field`: inline from `<field>-data`, else from the file it names; b"" without both."""
    inline, path = text_of(entry, f"{field}-data", where), text_of(entry, field, where)
    if inline and path:
        raise BadAccess(f"{where}: both {field} and {field}-data are given; keep one of them")
    if inline:
        try:
            return base64.b64decode(inline.replace("\n", "").replace("\r", ""), validate=True)
        except ValueError:
            raise BadAccess(f"{where}: {field}-data is not base64") from None
    return read_bytes(path, f"{where}: {field}") if path else b""


def read_bytes(path: str, what: str) -> bytes:
    """The bytes of a file; BadAccess where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a path"
        raise BadAccess(f"{what}: cannot read {path}: {why}") from None
