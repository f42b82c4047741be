"""What is not there is told with what is like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance.command import run

SHOP = ["--from", str(Path(__file__).parent.parent.parent / "examples" / "shop")]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["diagnose", "ds/log-agnt"],
            "daemonset/log-agnt not found in any namespace; did you mean daemonset/log-agent?",
        ),
        (["diagnose", "ds/log-agent", "-n", "loging"], "not found in namespace loging; it is in logging"),
        (["diagnose", "ds/x", "-n", "loging"], "not found in namespace loging; did you mean namespace logging?"),
        (["diagnose", "ds/zzz", "-n", "logging"], "daemonset/zzz not found in namespace logging\n"),
        (["diagnose", "node/gpu1"], "node/gpu1 not found; did you mean node/gpu-1?"),
        (["diagnose", "--nodes", "gpu-1"], "gpu-1; for the node of that name write node/gpu-1"),
        (["explain", "ds/log-agnt", "node/gpu-1"], "did you mean daemonset/log-agent?"),
        (["explain", "ds/log-agent", "node/gpu1"], "did you mean node/gpu-1?"),
        (["explain", "untolerated-taints"], "did you mean untolerated-taint?"),
        (["explain", "zzz"], "'zzz' is no cause; `kubectl dscov explain` lists all causes"),
        (["fix", "--cause", "qouta"], "--cause 'qouta' is no cause; did you mean quota?"),
        (["fix", "--cause", "zzz"], "--cause 'zzz' is no cause; `kubectl dscov explain` lists all causes"),
    ],
)
def test_what_is_not_there(arguments: list[str], text: str) -> None:
    result = run([*arguments, *SHOP])
    assert result.code == 2
    assert text in result.stderr


def test_a_namespace_without_daemonsets() -> None:
    result = run(["diagnose", "-n", "loging", *SHOP])
    assert (result.code, result.stdout) == (0, "No DaemonSets found.\n")
    assert result.stderr == "warning: no DaemonSet in namespace loging; did you mean logging?\n"
    assert "-A shows those of all" in run(["diagnose", "-n", "zzz", *SHOP]).stderr


@pytest.mark.parametrize("word", ["untolerated-taint", "Untolerated-Taint", "DSC101", "dsc101"])
def test_a_cause_by_slug_or_code(word: str) -> None:
    assert run(["explain", word]).stdout.startswith("untolerated-taint  DSC101\n")
    planned = run(["fix", "log-agent", "--cause", word, "--dry-run", *SHOP])
    assert (planned.code, planned.stdout) == (0, run(["fix", "log-agent", "--dry-run", *SHOP, *_TAINT]).stdout)


_TAINT = ["--cause", "untolerated-taint"]


def test_an_expectation_that_no_node_meets() -> None:
    result = run(["diagnose", "--expect", "nosuch=1", "-o", "name", *SHOP])
    assert "warning: no node has the labels that --expect names" in result.stderr
    assert run(["diagnose", "--expect", "kubernetes.io/os=linux", "-o", "name", *SHOP]).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["diagnos"], "No such command 'diagnos'. Did you mean diagnose?"),
        (["zzz"], "No such command 'zzz'.\n"),
        (["diagnose", "--from", "a", "--from", "b"], "--from takes one path: put the files into a folder"),
    ],
)
def test_slips_of_the_command_line(arguments: list[str], text: str) -> None:
    result = run(arguments)
    assert result.code == 2
    assert text in result.stderr


def test_labels_that_no_daemonset_has() -> None:
    result = run(["diagnose", "-A", "-l", "app=zzz", *SHOP])
    assert (result.code, result.stdout) == (0, "No DaemonSets found.\n")
    assert result.stderr == "warning: no DaemonSet has the labels that -l asks for: app in (zzz)\n"
