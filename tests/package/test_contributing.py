"""The example in CONTRIBUTING.md works as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("src", "kubectl_dscov", "tests/engine", "pyproject.toml")


def test_a_cause_can_be_added_as_it_says(tmp_path: Path) -> None:
    for room in ROOMS:
        copy = shutil.copytree if (ROOT / room).is_dir() else shutil.copyfile
        (tmp_path / room).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / room, tmp_path / room)
    text = (ROOT / "CONTRIBUTING.md").read_text()
    names = re.findall(r"`((?:src|tests)/\S+node_parked\.py)`", text)
    blocks = re.findall(r"   ```python\n(.*?)   ```", text, re.DOTALL)
    for name, block in zip(names, blocks, strict=True):
        (tmp_path / name).write_text(textwrap.dedent(block))
    environment = os.environ | {"PYTHONPATH": f"{tmp_path / 'src'}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "pytest", names[1]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert "2 passed" in done.stdout, done.stdout
    shown = subprocess.run(
        [sys.executable, "-m", "kubectl_dscov", "explain", "node-parked"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "the node is parked" in shown.stdout
