"""Reading the tables of `tests/data`, and comparing a whole table at once."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"
TABLES = DATA / "conformance"
SHOWN = 10


def lines(name: str) -> list[dict[str, Any]]:
    """The rows of one table of JSON lines, gzipped or plain."""
    raw = (TABLES / name).read_bytes()
    text = gzip.decompress(raw) if name.endswith(".gz") else raw
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def assert_every_row(rows: list[dict[str, Any]], difference: Callable[[dict[str, Any]], str | None]) -> None:
    """Ask `difference` about every row; fail with the first ten differences and how many there are."""
    found = list(_differences(rows, difference))
    assert not found, f"{len(found)} of {len(rows)} rows differ:\n" + "\n".join(found[:SHOWN])


def _differences(rows: list[dict[str, Any]], difference: Callable[[dict[str, Any]], str | None]) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        text = difference(row)
        if text is not None:
            yield f"row {number}: {text}"
