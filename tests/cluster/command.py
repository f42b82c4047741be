"""Our command as a user runs it: a process of its own, with a kubeconfig."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
SECONDS = 600


def dscov(*arguments: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run `kubectl-dscov` from this source tree."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"} | (environ or {})
    command = [sys.executable, "-m", "kubectl_dscov", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)


def report(kubeconfig: Path, *arguments: str) -> dict[str, Any]:
    """The report of `diagnose -o json`; AssertionError where there is none."""
    done = dscov("diagnose", "-o", "json", "--kubeconfig", str(kubeconfig), *arguments)
    assert done.returncode in {0, 1, 3}, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
