"""Where something else stands in the way of a field, or a path has a hole, nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance.command import run

ADD = ["--add-toleration", "d=g:NoSchedule", "--yes", "--offline"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: 5\n", "a.tolerations"),
        ("a: text\n", "a.b.tolerations"),
        ("a: [x]\n", "a.tolerations"),
        ("a: {b: {x: 1}}\n", "a.b.x.tolerations"),
        ("[x]\n", "tolerations"),
    ],
)
def test_a_value_in_the_way(tmp_path: Path, text: str, path: str) -> None:
    file = tmp_path / "v.yaml"
    file.write_text(text)
    answer = run(["fix", "--values", str(file), "--values-path", path, *ADD])
    assert (answer.code, file.read_text()) == (4, text)
    assert "fault" not in answer.stderr


@pytest.mark.parametrize("path", ["a.b.", "a..tolerations", ".", ".tolerations"])
def test_an_empty_key_in_a_path(tmp_path: Path, path: str) -> None:
    file = tmp_path / "v.yaml"
    file.write_text("a: {}\n")
    answer = run(["fix", "--values", str(file), "--values-path", path, *ADD])
    assert (answer.code, file.read_text()) == (2, "a: {}\n")
    assert "a key is empty" in answer.stderr
