"""`kubectl dscov undo`: give a DaemonSet back the fields that `fix` changed, if nobody changed it since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dscov.errors import NotFound
from kubectl_dscov import exits, prompt
from kubectl_dscov.arguments import object_name
from kubectl_dscov.connection import KubectlCommand, connection_options
from kubectl_dscov.fixing.files import show
from kubectl_dscov.reading import access_of
from kubectl_dscov.render.ink import plain

if TYPE_CHECKING:
    from dscov import Record


@click.command("undo", cls=KubectlCommand)
@click.argument("daemonset", required=False, metavar="[daemonset/NAME]")
@click.option("--list", "listed", is_flag=True, help="List what can be taken back, the newest first.")
@click.option("-y", "--yes", is_flag=True, help="Do it without asking.")
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
@connection_options
def command(daemonset: str | None, *, listed: bool, **values: Any) -> int:
    """Take back the newest patch that `fix` applied from this machine.

    Only the fields that were patched get their former value, and only while the spec is as `fix` left it: what somebody
    changed since is never overwritten. The pods restart once more.
    """
    import dscov

    access = access_of(values)
    kind, name = object_name(daemonset) if daemonset else ("daemonset", "")
    if kind != "daemonset":
        raise click.UsageError(f"{daemonset!r}: undo takes a DaemonSet, such as daemonset/NAME")
    namespace = "" if values["all_namespaces"] or (not name and not values["namespace"]) else access.namespace
    records = dscov.kept(access.server, namespace=namespace, name=name)
    if listed:
        for _, record in records:
            click.echo(_told(record))
        return exits.OK
    if not records:
        raise NotFound(f"no patch of {daemonset or 'any DaemonSet'} was applied from here to this cluster")
    path, record = records[0]
    with dscov.Transport(access) as transport:
        writer = dscov.Writer(transport)
        fresh = writer.read(record.namespace, record.name)
        patch = dscov.undoing(record, fresh)
        expected = writer.try_out(fresh, patch)
        click.echo(f"take back: {_told(record)}", err=True)
        show([dscov.edit_of_objects(fresh, expected)])
        if values["dry_run"]:
            click.echo("dry run: the server accepts it; nothing was written", err=True)
            return exits.OK
        prompt.agree("Take this back?", yes=values["yes"], remedy="Add --yes to take it back, or --dry-run to look.")
        writer.write(fresh, patch, expected=expected)
    dscov.drop(path)
    click.echo(f"restored daemonset/{plain(record.name)} in namespace {plain(record.namespace)}", err=True)
    return exits.OK


def _told(record: Record) -> str:
    return plain(f"{record.at:%Y-%m-%d %H:%M:%S}Z  {record.namespace}/{record.name}  {record.summary}")
