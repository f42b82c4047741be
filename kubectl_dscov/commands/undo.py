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
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dscov import Access, Record, Writer


@click.command("undo", cls=KubectlCommand)
@click.argument("daemonset", required=False, metavar="[daemonset/NAME]")
@click.option("--list", "listed", is_flag=True, help="List what can be taken back, the newest first.")
@click.option("-y", "--yes", is_flag=True, help="Do it without asking.")
@click.option(
    "--dry-run",
    is_flag=False,
    flag_value="server",
    type=click.Choice(["none", "client", "server"]),
    help="Show the change, which the API server tries, and write nothing.",
)
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
    if daemonset is not None and not name:
        raise click.UsageError("the name of the DaemonSet is empty")
    records = dscov.kept(access.server, namespace=namespace, name=name)
    if listed:
        for _, record in records:
            click.echo(_told(record))
        if not records:
            click.echo("nothing that was applied from here to this cluster can be taken back", err=True)
        return exits.OK
    with dscov.Transport(access) as transport:
        writer = dscov.Writer(transport)
        path, record, fresh = _newest(writer, records, daemonset or "any DaemonSet", access)
        patch = dscov.undoing(record, fresh)
        expected = writer.try_out(fresh, patch)
        dscov.check_kept({"spec": record.before}, expected, record.fields)
        click.echo(f"take back: {_told(record)}", err=True)
        show([dscov.edit_of_objects(fresh, expected)])
        if values["dry_run"] not in {None, "none"}:
            click.echo("dry run: the server accepts it; nothing was written", err=True)
            return exits.OK
        prompt.agree("Take this back?", yes=values["yes"], remedy="Add --yes to take it back, or --dry-run to look.")
        writer.write(fresh, patch, expected=expected)
    dscov.drop(path)
    click.echo(f"restored daemonset/{plain(record.name)} in namespace {plain(record.namespace)}", err=True)
    return exits.OK


def _newest(
    writer: Writer, records: Sequence[tuple[Path, Record]], named: str, access: Access
) -> tuple[Path, Record, Mapping[str, Any]]:
    """The newest record that stands for something, and the object as it is now."""
    import dscov

    for path, record in records:
        fresh = writer.read(record.namespace, record.name)
        if not dscov.is_void(record, fresh):
            return path, record, fresh
        # Its patch never came about, or was taken back when nobody could note it any more.
        dscov.drop(path)
    places = sorted({record.namespace for _, record in dscov.kept(access.server, name=named.rpartition("/")[2])})
    hint = f"; one of that name was, in namespace {', '.join(places)}" if places else ""
    raise NotFound(f"no patch of {named} was applied from here to this cluster{hint}")


def _told(record: Record) -> str:
    return plain(f"{record.at:%Y-%m-%dT%H:%M:%SZ}  {record.namespace}/{record.name}") + f"\n  {plain(record.summary)}"
