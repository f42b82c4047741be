"""`kubectl dscov diagnose`: say for every DaemonSet and node what is the case, and why."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from kubectl_dscov import exits
from kubectl_dscov.arguments import SelectorType, object_name
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.lookup import check_selected, daemonsets_of, empty_namespace, expected_nowhere, node_of
from kubectl_dscov.reading import judging_options, namespace_of, reading_options, settings_of, snapshot_of
from kubectl_dscov.render.ink import plain, wants_colour

if TYPE_CHECKING:
    from dscov import DaemonSet, Diagnosis, Node

FORMS = ("table", "wide", "json", "yaml", "name", "markdown")


@click.command("diagnose", cls=KubectlCommand)
@click.argument("names", nargs=-1, metavar="[daemonset/NAME | node/NAME ...]")
@reading_options
@judging_options
@click.option("-l", "--selector", type=SelectorType(), help="Only DaemonSets with these labels.")
@click.option("--nodes", type=SelectorType(), metavar="SELECTOR", help="Only nodes with these labels.")
@click.option("-o", "--output", type=click.Choice(FORMS), default="table", show_default=True)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the table.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 although there are gaps.")
def command(names: Sequence[str], output: str, color: str, *, exit_zero: bool, **values: Any) -> int:
    """Say for every DaemonSet and node what is the case, and why.

    With node/NAME: which daemons are missing on these nodes, why, and what that breaks.

    Which nodes a DaemonSet is meant to cover is said by --expect, else by its annotation dscov.dev/expect, else by the
    policy file, else inferred from its template; the report names the source. `kubectl dscov accept` writes the policy.

    Exit code: 0 all that is expected is covered, 1 there are gaps or unwanted placements, 2 usage, 3 could not look.
    """
    import dscov

    kinds = [object_name(name) for name in names]
    wanted, named = ([name for kind, name in kinds if kind == which] for which in ("daemonset", "node"))
    settings = settings_of(values)
    snapshot, now = snapshot_of(values, settings)
    namespace = namespace_of(values, snapshot)
    for name in wanted:
        daemonsets_of(snapshot, name, namespace)
    for name in named:
        node_of(snapshot, name)
    selector, nodes = values["selector"], values["nodes"]

    def wants(daemonset: DaemonSet) -> bool:
        asked = not wanted or daemonset.name in wanted
        return asked and namespace in {"", daemonset.namespace} and (not selector or selector.matches(daemonset.labels))

    def shows(node: Node) -> bool:
        return (not named or node.name in named) and (not nodes or nodes.matches(node.labels))

    check_selected(snapshot, nodes)
    diagnosis = dscov.diagnose(snapshot, now=now, wants=wants, shows=shows, settings=settings)
    by_node = bool(named) and output in {"table", "wide"}
    sys.stdout.writelines(_by_node(diagnosis, color) if by_node else _written(diagnosis, output, color))
    if output in {"name", "yaml", "json"}:
        sys.stderr.writelines(_warnings(diagnosis))
    none = f"no DaemonSet has the labels that -l asks for: {selector}" if selector and not diagnosis.coverage else ""
    for nothing in (empty_namespace(snapshot, namespace) or none, expected_nowhere(snapshot, settings.expect)):
        if nothing:
            click.echo(f"warning: {plain(nothing)}", err=True)
    code = exits.of_report(diagnosis)
    return exits.OK if exit_zero and code == exits.GAPS else code


def _by_node(diagnosis: Diagnosis, color: str) -> Iterable[str]:
    """The report turned round: what each node lacks."""
    from kubectl_dscov.render.reverse import by_node

    return by_node(diagnosis, colour=wants_colour(choice=color))


def _warnings(diagnosis: Diagnosis) -> Iterator[str]:
    """What could not be seen and leaves pairs undecided, for forms that only programs read."""
    for missing in diagnosis.not_seen:
        if missing.blinds:
            detail = f" ({missing.detail})" if missing.detail else ""
            yield plain(f"warning: not seen: {missing.resource}, {missing.reason}: {missing.meaning}{detail}") + "\n"


def _written(diagnosis: Diagnosis, form: str, color: str) -> Iterable[str]:
    """The report in a form, in pieces."""
    if form == "json":
        from kubectl_dscov.render.machine import report

        return report(diagnosis)
    if form == "yaml":
        from kubectl_dscov.render.machine import report_yaml

        return report_yaml(diagnosis)
    if form == "name":
        return (f"daemonset.apps/{plain(one.daemonset.name)}\n" for one in diagnosis.coverage if one.troubled)
    if form == "markdown":
        from kubectl_dscov.render.markdown import document

        return document(diagnosis)
    from kubectl_dscov.render.coverage import table

    return table(diagnosis, wide=form == "wide", colour=wants_colour(choice=color))
