"""The commands that a report offers: the one that plans a patch, and the one that looks closer."""

from __future__ import annotations

import shlex
from datetime import UTC

import click
from click.core import ParameterSource

from dscov import DaemonSet, Remedy, Source


def fixing(remedy: Remedy, source: Source) -> str:
    """`kubectl dscov fix ...` for a patch of a DaemonSet; empty where there is none."""
    if remedy.kind != "patch" or not remedy.patch:
        return ""
    namespace, _, name = remedy.target.partition("/")
    return shlex.join(["kubectl", "dscov", "fix", f"daemonset/{name}", "-n", namespace, *_from(source), *_intent()])


def explaining(daemonset: DaemonSet, node: str, source: Source) -> str:
    """`kubectl dscov explain ...` for one pair, on the files that were read where it was no cluster."""
    words = ["kubectl", "dscov", "explain", f"daemonset/{daemonset.name}", f"node/{node}", "-n", daemonset.namespace]
    return shlex.join([*words, *_from(source), *_intent()])


def _from(source: Source) -> list[str]:
    return ["--from", source.path] if source.path else []


def _intent() -> list[str]:
    """The flags that this report was judged by: without them the command would be about something else."""
    context = click.get_current_context(silent=True)
    given = context.params if context else {}
    words = []
    if given.get("expect") is not None:
        words += ["--expect", str(given["expect"]) or "all"]
    if given.get("policy"):
        words += ["--policy", given["policy"]]
    if given.get("clock"):
        words += ["--now", f"{given['clock'].astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"]
    if given.get("kubernetes_version"):
        words += ["--kubernetes-version", given["kubernetes_version"]]
    for name in ("node_grace", "pod_grace"):
        if context and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [f"--{name.replace('_', '-')}", f"{given[name].total_seconds():.0f}s"]
    return words
