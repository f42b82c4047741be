"""`kubectl dscov fix` and `undo` run in this process, as a user would type it."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from kubectl_dscov.cli import run

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class Ran:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


def fix(*words: object) -> Ran:
    return ran("fix", *words)


def undo(*words: object) -> Ran:
    return ran("undo", *words)


def ran(*words: object) -> Ran:
    raw = io.BytesIO()
    out, err = io.TextIOWrapper(raw, encoding="utf-8", newline="", write_through=True), io.StringIO()
    with contextlib.redirect_stdout(cast(TextIO, out)), contextlib.redirect_stderr(err):
        code = run([*map(str, words)])
    out.flush()
    return Ran(code, raw.getvalue(), err.getvalue())
