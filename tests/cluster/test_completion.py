"""Completion with the real kubectl, on a real cluster: what it asks its plugin, and what bash makes of the answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.command import ROOT
from cluster.handle import Cluster
from cluster.objects import daemonset, node

BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")


@pytest.fixture
def environ(cluster: Cluster, tmp_path: Path) -> dict[str, str]:
    """A PATH with the plugin and its completer, as pip and `completion install` put them there."""
    for name, words in (("kubectl-dscov", '"$@"'), ("kubectl_complete-dscov", '__complete "$@"')):
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\nexec {sys.executable} -m kubectl_dscov {words}\n")
        file.chmod(0o755)
    return os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "KUBECONFIG": str(cluster.kubeconfig),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def world(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> str:
    fake_nodes(node("completed-1"), node("completed-2"))
    cluster.api.create(daemonset("log-agent", namespace))
    cluster.api.create(daemonset("log-shipper", namespace))
    return namespace


def asked(environ: dict[str, str], *words: str) -> list[str]:
    command = ["kubectl", "__complete", "dscov", *words]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "error" not in done.stderr.lower()
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


def test_names_of_the_cluster(environ: dict[str, str], world: str) -> None:
    assert asked(environ, "diagnose", "-n", world, "daemonset/") == [
        "daemonset/log-agent",
        "daemonset/log-shipper",
        ":4",
    ]
    assert asked(environ, "explain", "node/completed-") == ["node/completed-1", "node/completed-2", ":4"]
    assert world in asked(environ, "diagnose", "-n", world[:7])
    assert asked(environ, "fix", "ds/log-a", "-n", world, "--cause", "untol") == ["untolerated-taint", ":4"]


def test_who_may_not_list_gets_no_choice_and_no_word(cluster: Cluster, environ: dict[str, str], world: str) -> None:
    nobody = {**environ, "KUBECONFIG": str(cluster.user([]))}
    assert asked(nobody, "diagnose", "node/") == [":4"]
    assert asked(nobody, "diagnose", "-n", "") == [":4"]


LINES = [
    ("kubectl dscov diagnose node/completed-", ["node/completed-1", "node/completed-2"]),
    ("kubectl dscov expl", ["explain"]),
    ("kubectl dscov explain unto", ["untolerated-taint"]),
    ("kubectl dscov diagnose --exit", ["--exit-zero"]),
]


@pytest.mark.skipif(not BASH_COMPLETION.exists(), reason="the package bash-completion is not installed")
@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_at_the_prompt_of_bash(environ: dict[str, str], world: str, line: str, wanted: list[str]) -> None:
    script = f"""
    source {BASH_COMPLETION}; source <(kubectl completion bash)
    COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}; read -ra COMP_WORDS <<<"$COMP_LINE"
    COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9; COMP_KEY=9
    __start_kubectl; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True, timeout=60)
    found = [choice.split()[0] for choice in done.stdout.splitlines() if choice.strip()]
    assert found == wanted, done.stderr


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_at_the_prompt_of_fish(environ: dict[str, str], world: str, line: str, wanted: list[str]) -> None:
    script = f"kubectl completion fish | source; complete -C {line!r}"
    done = subprocess.run(["fish", "-c", script], env=environ, capture_output=True, text=True, timeout=60)
    assert [choice.partition("\t")[0] for choice in done.stdout.splitlines()] == wanted, done.stderr


#: Presses the tabulator in a shell of its own, as at a terminal, and prints the line that comes of it.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt prompt_sp beep; autoload -Uz compinit; compinit -u; source <(kubectl completion zsh)'
zpty -w shell 'finish() { print -r -- "<$BUFFER>"; BUFFER=; zle accept-line }; zle -N finish; bindkey "^X" finish'
zpty -w shell 'print rea""dy'
zpty -m -r shell out "*ready*"
zpty -w -n shell "$1"$'\t'
sleep 3
zpty -w -n shell $'\x18'
zpty -m -r shell out "*<*>*"
print -r -- "$out"
"""


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_at_the_prompt_of_zsh(environ: dict[str, str], world: str, line: str, wanted: list[str]) -> None:
    """Several choices are completed as far as they agree."""
    command = ["zsh", "-f", "-c", ZSH, "zsh", line]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    said = done.stdout[done.stdout.rindex("<") + 1 : done.stdout.rindex(">")]
    assert said.split()[-1] == os.path.commonprefix(wanted), done.stdout + done.stderr  # noqa: RUF071 - letters
