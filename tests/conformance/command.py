"""Running the command line inside the test's own process, with what it prints and its exit code."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """What one run left behind: exit code, stdout and stderr."""

    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """Stdout as the JSON object it has to be."""
        found: dict[str, Any] = json.loads(self.stdout)
        return found


def run(args: Sequence[str], stdin: bytes = b"") -> Result:
    """Run `kubectl dscov ARGS` in this process. What the command lets escape (an error it does not catch) is raised."""
    from kubectl_dscov.cli import run as run_command

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
        code = run_command(list(args))
    return Result(code, _text(out), _text(err))


def diagnose(path: Path, now: str, *more: str) -> dict[str, Any]:
    """The report of `diagnose -A -o json` on a saved cluster. It must have been able to look (exit 0, 1 or 3)."""
    result = run(["diagnose", "-A", "--from", str(path), "--now", now, "-o", "json", *more])
    assert result.code in {0, 1, 3}, f"exit {result.code}: {result.stderr}"
    return result.report


def pairs(report: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The verdicts of a report by (namespace/name of the DaemonSet, name of the node)."""
    return {(f"{d['namespace']}/{d['name']}", n["node"]): n for d in report["daemonsets"] for n in d["nodes"]}


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def _stdin(content: bytes) -> Any:
    old, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = old
