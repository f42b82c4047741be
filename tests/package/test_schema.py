"""Every report follows the schema that is shipped with the program."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kubectl_dscov.cli import run

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "kubectl_dscov" / "report.schema.json").read_text())
CASES = sorted((ROOT / "tests" / "data" / "cases").rglob("cluster.json*"))


@pytest.mark.parametrize("path", [ROOT / "examples" / "shop", *CASES], ids=lambda path: path.parent.name)
def test_a_report_follows_the_schema(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diagnose", "-A", "--from", str(path), "-o", "json"]) in {0, 1, 3}
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMA)


def test_the_schema_refuses_what_is_no_report() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"apiVersion": "dscov.dev/v1", "kind": "CoverageReport"}, SCHEMA)
