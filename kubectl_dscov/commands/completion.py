"""`kubectl dscov completion`: what makes kubectl complete `kubectl dscov ...`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from dscov.errors import NotFound, Refused
from kubectl_dscov import exits
from kubectl_dscov.completing import kept
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.render.ink import plain

#: kubectl looks for a program of this name on the PATH and asks it; krew can install only one program of a plugin.
PROGRAM = "kubectl_complete-dscov"
OURS = "kubectl-dscov __complete"
UNIX = f'#!/bin/sh\n# Made by `kubectl dscov completion install`.\nexec {OURS} "$@" 2>/dev/null\n'
WINDOWS = f"@echo off\r\nrem Made by kubectl dscov completion install.\r\n{OURS} %* 2>nul\r\n"

SCRIPTS = {
    "bash": "source <(kubectl completion bash)",
    "zsh": "source <(kubectl completion zsh)",
    "fish": "kubectl completion fish | source",
    "powershell": "kubectl completion powershell | Out-String | Invoke-Expression",
}
FILES = {
    "bash": "~/.bashrc (and the package bash-completion is needed)",
    "zsh": "~/.zshrc, after compinit",
    "fish": "~/.config/fish/config.fish",
    "powershell": "$PROFILE",
}


@click.command("completion", cls=KubectlCommand, no_args_is_help=True)
@click.argument("action", type=click.Choice(["install", "uninstall", *SCRIPTS]))
@click.option("--path", "folder", metavar="DIR", help="Install into this folder; it must be on the PATH.")
def command(action: str, folder: str | None) -> int:
    """Complete DaemonSets, nodes, namespaces, contexts, causes and flags at the prompt, through kubectl.

    \b
    kubectl dscov completion install          once: put kubectl_complete-dscov beside kubectl-dscov
    source <(kubectl dscov completion bash)   in ~/.bashrc, unless kubectl completes there already
    kubectl dscov completion uninstall        take it away again, and the names that were kept

    Names are read from the cluster, kept for a minute, and never waited for longer than a second and a half.
    """
    if action == "install":
        return _install(folder)
    if action == "uninstall":
        return _uninstall()
    click.echo(f"# For {FILES[action]}. kubectl completes its plugins itself;")
    click.echo("# `kubectl dscov completion install` gives it the program that it asks.")
    click.echo(SCRIPTS[action])
    return exits.OK


def _install(folder: str | None) -> int:
    """Put the program where kubectl finds it, unless it is found already."""
    there = shutil.which(PROGRAM)
    if there and not folder:
        click.echo(f"{plain(there)} is there already", err=True)
        return exits.OK
    path = _target(folder)
    if path.exists() and not _made_here(path):
        raise Refused(f"{path} was not made by this command", remedy="Move it away, or choose a folder with --path.")
    try:
        path.write_text(WINDOWS if os.name == "nt" else UNIX, encoding="utf-8", newline="")
        path.chmod(0o755)
    except OSError as problem:
        remedy = "Choose a folder on the PATH that you may write to with --path."
        raise Refused(f"{path} could not be written: {problem.strerror}", remedy=remedy) from None
    click.echo(f"wrote {plain(str(path))}", err=True)
    if not shutil.which(PROGRAM):
        click.echo(f"warning: {plain(str(path.parent))} is not on the PATH, so kubectl does not find it", err=True)
    return exits.OK


def _target(folder: str | None) -> Path:
    """The file to write: in the folder that is named, else beside kubectl-dscov."""
    name = f"{PROGRAM}.cmd" if os.name == "nt" else PROGRAM
    if folder:
        return Path(folder) / name
    plugin = shutil.which("kubectl-dscov")
    if not plugin:
        raise NotFound(
            "kubectl-dscov is not on the PATH, so kubectl has no plugin to complete; give a folder with --path"
        )
    return Path(plugin).parent / name


def _uninstall() -> int:
    """Take away the program, if this command made it, and the names that were kept."""
    there = shutil.which(PROGRAM)
    if there and _made_here(Path(there)):
        Path(there).unlink()
        click.echo(f"removed {plain(there)}", err=True)
    elif there:
        click.echo(f"{plain(there)} came with the package and goes with it", err=True)
    names = kept.folder(os.environ)
    if names.is_dir():
        shutil.rmtree(names, ignore_errors=True)
        click.echo(f"removed {plain(str(names))}", err=True)
    return exits.OK


def _made_here(path: Path) -> bool:
    """Whether this command wrote a file."""
    try:
        return path.read_bytes() in {UNIX.encode(), WINDOWS.encode()}
    except OSError:
        return False
