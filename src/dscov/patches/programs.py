"""Other programs, run with no input, for a bounded time and without a way to a cluster or the network."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dscov.errors import CouldNotLook

_PATIENCE = 120
_NOWHERE = "http://127.0.0.1:9"
_SHUT = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"), _NOWHERE),
    "KUBECONFIG": os.devnull,
}


class Ran(NamedTuple):
    """What a program left behind."""

    code: int
    out: str
    said: str

    @property
    def reason(self) -> str:
        """The line that it called an error, else the last one that it said."""
        lines = self.said.strip().splitlines() or ["no reason given"]
        errors = (line.removeprefix("Error: ") for line in lines if line.startswith("Error: "))
        return next(errors, lines[-1])


def run(words: Sequence[str], *, shut: bool = False, more: Mapping[str, str] | None = None) -> Ran:
    """Run a program to its end; CouldNotLook where it does not start or takes too long. If `shut`, without network."""
    surroundings = {**os.environ, **(_SHUT if shut else {}), **(more or {})}
    if shut:
        surroundings = {name: value for name, value in surroundings.items() if name not in ("NO_PROXY", "no_proxy")}
    try:
        done = subprocess.run(
            list(words),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            env=surroundings,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CouldNotLook(f"{words[0]} did not finish: {error}") from error
    return Ran(done.returncode, done.stdout, done.stderr)
