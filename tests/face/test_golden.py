"""Whole outputs, byte for byte. DSCOV_GOLDEN=write makes them anew; then read the difference before you commit it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubectl_dscov.cli import run

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parent.parent.parent
SHOP = ["--from", "examples/shop"]

OUTPUTS: dict[str, tuple[list[str], int]] = {
    "help": (["--help"], 0),
    "shop": (["diagnose", "-A", *SHOP], 1),
    "shop-node": (["diagnose", "node/general-07", "node/gpu-1", *SHOP], 1),
    "shop-expect": (["diagnose", "ds/log-agent", "--expect", "kubernetes.io/arch=amd64", *SHOP], 1),
    "shop-wide": (["diagnose", "-n", "monitoring", "-o", "wide", *SHOP], 1),
    "shop-colour": (["diagnose", "-n", "logging", "--color", "always", *SHOP], 1),
    "shop-name": (["diagnose", "-A", "-o", "name", *SHOP], 1),
    "shop-markdown": (["diagnose", "-A", "-o", "markdown", *SHOP], 1),
    "shop-json": (["diagnose", "daemonset/log-agent", "--nodes", "accelerator=nvidia", "-o", "json", *SHOP], 1),
    "shop-yaml": (["diagnose", "daemonset/log-agent", "--nodes", "accelerator=nvidia", "-o", "yaml", *SHOP], 1),
    "shop-healthy": (["diagnose", "daemonset/log-agent-windows", *SHOP], 0),
    "shop-exit-zero": (["diagnose", "ds/log-agent", "--nodes", "accelerator", "--exit-zero", *SHOP], 0),
    "explain-taint": (["explain", "daemonset/log-agent", "node/gpu-1", *SHOP], 0),
    "explain-lost": (["explain", "ds/log-agent", "no/general-07", "-n", "logging", *SHOP], 0),
    "explain-crash": (["explain", "daemonset/runtime-guard", "node/storage-1", *SHOP], 0),
    "explain-covered": (["explain", "daemonset/log-agent", "node/general-01", *SHOP], 0),
    "explain-cause": (["explain", "toleration-seconds-churn"], 0),
    "fix-shop": (["fix", "-A", *SHOP], 1),
    "fix-agent": (["fix", "ds/log-agent", "--cause", "untolerated-taint", *SHOP], 0),
    "fix-choose": (["fix", "ds/log-agent", "--choose", "2", "--nodes", "node/gpu-1", "-o", "json-patch", *SHOP], 0),
    "fix-healthy": (["fix", "daemonset/log-agent-windows", *SHOP], 0),
    "fix-no-option": (["fix", "ds/log-agent", "--choose", "7", *SHOP], 2),
    "fix-two": (["fix", "-A", "-o", "json-patch", *SHOP], 4),
    "no-such-daemonset": (["diagnose", "daemonset/nobody", "-n", "logging", *SHOP], 2),
    "no-such-file": (["diagnose", "--from", "examples/nowhere.json"], 2),
    "no-such-cause": (["explain", "untolerated-taints"], 2),
    "no-such-node": (["explain", "ds/log-agent", "node/gpu-99", *SHOP], 2),
    "bad-selector": (["diagnose", "-l", "a in (", *SHOP], 2),
    "bad-kind": (["diagnose", "deployment/web", *SHOP], 2),
    "bad-time": (["diagnose", "--now", "yesterday", *SHOP], 2),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_output(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    arguments, code = OUTPUTS[name]
    assert run(arguments) == code
    captured = capsys.readouterr()
    text = captured.out + (f"--- stderr\n{captured.err}" if captured.err else "")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("DSCOV_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


def test_no_output_is_wider_than_the_terminal() -> None:
    """But for commands to copy and names that cannot be broken."""
    for path in GOLDEN.glob("*.txt"):
        if path.stem not in {"shop-json", "shop-yaml", "shop-markdown", "shop-colour"}:
            lines = path.read_text().splitlines()
            assert [one for one in lines if len(one) > 80 and "kubectl" not in one and "Error: " not in one] == []


def test_every_golden_is_asked_for() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == OUTPUTS.keys()
