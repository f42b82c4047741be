"""Where a verb's snapshot comes from: the flags `--from`, or the cluster that kubectl would talk to."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kubectl_dscov.arguments import DurationType, ExpectType, SelectorType, TimeType, VersionType
from kubectl_dscov.connection import connection_options, overrides_from
from kubectl_dscov.progress import shown_on

if TYPE_CHECKING:
    from dscov import Access, Grace, Settings, Snapshot

Function = TypeVar("Function", bound=Callable[..., Any])


def _sole(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> str | None:
    """The one path; of several all but the last would go unread in silence."""
    if len(given) > 1:
        raise click.UsageError("--from takes one path: put the files into a folder, and name that")
    return given[0] if given else None


_OPTIONS = (
    click.option(
        "--from",
        "path",
        multiple=True,
        callback=_sole,
        metavar="PATH",
        help="Read saved files (JSON, YAML, .gz, .tar.gz, a folder, or -), no cluster.",
    ),
    click.option(
        "--now",
        "clock",
        type=TimeType(),
        help="Judge at this time (RFC 3339); else now, or at the newest time in saved files.",
    ),
    click.option(
        "--kubernetes-version",
        type=VersionType(),
        default="",
        help="With --from: the server's version, if the files lie.",
    ),
)


#: By what the answer is judged.
_GRACES = (
    click.option(
        "--node-grace",
        type=DurationType(),
        default="10m",
        show_default=True,
        metavar="DURATION",
        help="A node younger than this is starting: what it lacks is no gap yet.",
    ),
    click.option(
        "--pod-grace",
        type=DurationType(),
        default="5m",
        show_default=True,
        metavar="DURATION",
        help="A pod younger than this with nothing wrong is starting.",
    ),
)
_INTENTS = (
    click.option(
        "--expect",
        type=ExpectType(),
        metavar="SELECTOR|all",
        help="The nodes that the DaemonSets shown are meant to cover, whatever is declared or inferred.",
    ),
    click.option(
        "--policy", metavar="FILE", help="Declared intent and accepted exclusions; else ./dscov.yaml if it is there."
    ),
)


def grace_options(function: Function) -> Function:
    """Give a command the grace periods; `grace_of` takes the keyword arguments they become."""
    for option in reversed(_GRACES):
        function = option(function)
    return function


def judging_options(function: Function) -> Function:
    """Give a command intent and grace periods; `settings_of` takes the keyword arguments they become."""
    function = grace_options(function)
    for option in reversed(_INTENTS):
        function = option(function)
    return function


def grace_of(values: Mapping[str, Any]) -> Grace:
    """The grace periods."""
    import dscov

    return dscov.Grace(values["node_grace"], values["pod_grace"])


def settings_of(values: Mapping[str, Any]) -> Settings:
    """By what to judge: flags, the policy file that is named or lies here, grace periods."""
    import dscov

    causes = {cause.slug for cause in dscov.registry()}
    named = values["policy"]
    policy = dscov.read_policy(named, causes=causes) if named else dscov.find_policy(causes=causes)
    return dscov.Settings(values["expect"], policy, grace_of(values))


def reading_options(function: Function) -> Function:
    """Give a command the flags that say where to read; `snapshot_of` takes the keyword arguments they become."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return connection_options(function)


def snapshot_of(values: Mapping[str, Any], settings: Settings | None = None) -> tuple[Snapshot, datetime]:
    """The snapshot and the time to judge it at; the settings are those by which it will be judged."""
    import dscov

    settings = settings or dscov.Settings()

    if values["path"]:
        snapshot = dscov.read_saved(values["path"], kubernetes_version=values["kubernetes_version"])
        return snapshot, values["clock"] or dscov.time_of(snapshot)
    access = access_of(values)
    namespace = "" if values["all_namespaces"] else access.namespace
    with shown_on(sys.stderr) as progress:
        snapshot = dscov.read_cluster(
            access, namespace=namespace, now=values["clock"], settings=settings, progress=progress
        )
    return snapshot, values["clock"] or dscov.time_of(snapshot)


def access_of(values: Mapping[str, Any]) -> Access:
    """The way to the cluster that the flags and the kubeconfig lead to."""
    import dscov

    return dscov.resolve(overrides_from(values), os.environ)


def namespace_of(values: Mapping[str, Any], snapshot: Snapshot) -> str:
    """The namespace to show, empty for all: saved files have no current one."""
    if values["all_namespaces"]:
        return ""
    return values["namespace"] or ("" if values["path"] else snapshot.scope)


__all__ = ["SelectorType", "access_of", "namespace_of", "reading_options", "snapshot_of"]
