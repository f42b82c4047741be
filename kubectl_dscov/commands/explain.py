"""`kubectl dscov explain`: walk one DaemonSet through one node, or print the page of a cause."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from kubectl_dscov import exits
from kubectl_dscov.arguments import object_name
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.lookup import cause_slug, node_of, the_daemonset
from kubectl_dscov.reading import judging_options, namespace_of, reading_options, settings_of, snapshot_of


@click.command("explain", cls=KubectlCommand)
@click.argument("names", nargs=-1, metavar="daemonset/NAME node/NODE | CAUSE")
@reading_options
@judging_options
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the text.")
def command(names: Sequence[str], color: str, **values: Any) -> int:
    """Walk one DaemonSet through one node: every question the control plane asks, each with the fact it rests on;
    then the causes that speak of the pair, what to do, and whether it is meant to be covered.

    With the name of a cause, such as untolerated-taint, print its page; without a name, list all causes.
    """
    import dscov
    from kubectl_dscov.render.ink import wants_colour
    from kubectl_dscov.render.walk import cause_page, lines

    if len(names) < 2 and not any("/" in name for name in names):
        sys.stdout.writelines(cause_page(dscov.cause_of(cause_slug(names[0]))) if names else _all_causes())
        return exits.OK
    kinds = dict(object_name(name) for name in names)
    if len(names) != 2 or kinds.keys() != {"daemonset", "node"}:
        raise click.UsageError("explain takes daemonset/NAME node/NODE, or one cause such as untolerated-taint")
    settings = settings_of(values)
    snapshot, now = snapshot_of(values, settings)
    daemonset = the_daemonset(snapshot, kinds["daemonset"], namespace_of(values, snapshot))
    node = node_of(snapshot, kinds["node"])
    walk = dscov.explain(snapshot, daemonset, node, now=now, grace=settings.grace)
    diagnosis = dscov.diagnose(
        snapshot,
        now=now,
        wants=lambda one: one.key == daemonset.key,
        shows=lambda one: one.name == node.name,
        settings=settings,
    )
    sys.stdout.writelines(lines(walk, diagnosis, colour=wants_colour(choice=color)))
    return exits.OK


def _all_causes() -> Iterator[str]:
    """A line a cause; on a terminal no line is wider than it."""
    import dscov
    from kubectl_dscov.render.sheet import Sheet

    sheet = Sheet()
    for cause in dscov.registry():
        head = f"{cause.code}  {cause.slug:34} "
        yield from sheet.wrapped(cause.title, head, " " * 43) if sys.stdout.isatty() else (f"{head}{cause.title}\n",)
