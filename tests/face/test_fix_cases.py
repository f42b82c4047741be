"""One toleration added to files in every handwriting, through the command line: byte for byte, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from face.fix import DATA, fix

CASES = sorted(path.parent for path in DATA.glob("yaml/*/edit.json"))
FILE = {"HelmValues": "values.yaml", "KustomizePatch": "kustomization.yaml"}


def words(case: Path, file: Path) -> list[str]:
    edit = json.loads((case / "edit.json").read_text())
    target, toleration = edit["target"], edit["toleration"]
    flag = toleration["key"] + (f"={toleration['value']}" if "value" in toleration else "") + f":{toleration['effect']}"
    if target["kind"] == "HelmValues":
        return ["--values", str(file), "--values-path", target["path"], "--add-toleration", flag]
    name = target.get("name") or target["target"]["name"]
    return [f"daemonset/{name}", "-f", str(file), "--add-toleration", flag]


def test_there_are_cases() -> None:
    assert len(CASES) > 90


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    edit = json.loads((case / "edit.json").read_text())
    file = tmp_path / FILE.get(edit["target"]["kind"], "in.yaml")
    file.write_bytes((case / "in.yaml").read_bytes())
    done = fix(*words(case, file), "--yes", "--offline")
    assert file.read_bytes() == (case / "expected.yaml").read_bytes()
    assert list(tmp_path.iterdir()) == [file]
    assert done.code == (4 if edit["expect"] == "refuse" else 0)
    if edit["expect"] == "refuse":
        assert len(done.err.splitlines()) >= 2, "a refusal says why, and what to do by hand"
        return
    again = fix(*words(case, file), "--yes", "--offline")
    assert (again.code, again.out) == (0, b"")
    assert "nothing to do" in again.err
