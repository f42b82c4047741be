"""`kubectl dscov undo`: give a DaemonSet, or files, back what `fix` changed, if nobody changed them since."""

from __future__ import annotations

import shlex
from pathlib import Path
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

    from dscov import Access, FileRecord, Record, Writer


@click.command("undo", cls=KubectlCommand)
@click.argument("daemonset", required=False, metavar="[daemonset/NAME]")
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    metavar="PATH",
    help="Take back what was written to this file or folder.",
)
@click.option("--list", "listed", is_flag=True, help="List what can be taken back, the newest first.")
@click.option("-y", "--yes", is_flag=True, help="Do it without asking.")
@click.option(
    "--dry-run",
    is_flag=False,
    flag_value="server",
    type=click.Choice(["none", "client", "server"]),
    help="Show the change and write nothing; that of a live object is tried by the API server.",
)
@connection_options
def command(daemonset: str | None, *, listed: bool, files: Sequence[str], **values: Any) -> int:
    """Take back the newest patch that `fix` applied from this machine.

    Only the fields that were patched get their former value, and only while the spec is as `fix` left it: what somebody
    changed since is never overwritten. The pods restart once more.

    With -f it is the newest writing of `fix` to a file, or to any below a folder, and no cluster is asked. Every file of
    it becomes what it was, to the byte, and what `fix` made is deleted: all of them, while they are as `fix` left them.

    \b
    kubectl dscov undo daemonset/agent -n logging     the patch of a live object
    kubectl dscov undo -f deploy/agent.yaml           what was written to a file
    """
    if files:
        if daemonset is not None or len(files) > 1:
            raise click.UsageError("undo takes a DaemonSet, or one file or folder with -f: give it one of them")
        return _list_files(files[0]) if listed else _undo_files(files[0], values)
    return _live(daemonset, values, listed=listed)


def _list_files(path: str) -> int:
    import dscov

    found = dscov.kept_files(path)
    for _, record, changed in found:
        click.echo(_told_of_files(record))
        if changed:
            click.echo(f"  changed since, so that it cannot be taken back: {_short(changed)}")
    if not found:
        click.echo(f"{plain(path)}: nothing that was written here can be taken back", err=True)
    return exits.OK


def _undo_files(path: str, values: Mapping[str, Any]) -> int:
    """Take the newest writing back, after a yes."""
    import dscov

    found = dscov.kept_files(path)
    if not found:
        raise NotFound(f"{path}: nothing that `fix` wrote here can be taken back")
    kept, record, _ = found[0]
    undoing = dscov.undoing_files(record)
    click.echo(f"take back: {_told_of_files(record)}", err=True)
    show([*undoing.restored, *undoing.removed])
    for edit in undoing.removed:
        click.echo(f"note: `fix` made {_short(Path(edit.path))}: it is deleted", err=True)
    if values["dry_run"] not in {None, "none"}:
        click.echo("dry run: nothing was written", err=True)
        return exits.OK
    told = [f"restored {_short(Path(edit.path))}" for edit in undoing.restored]
    told += [f"deleted {_short(Path(edit.path))}" for edit in undoing.removed]
    prompt.agree("Take this back?", yes=values["yes"], remedy="Add --yes to take it back, or --dry-run to look.")
    dscov.take_back(undoing)
    dscov.drop(kept)
    for line in told:
        prompt.tell(line)
    _tell_older(path)
    return exits.OK


def _tell_older(path: str) -> None:
    """That what was taken back was not all that `fix` wrote there, with the command to go on."""
    import dscov

    left = len(dscov.kept_files(path))
    if left:
        what = "an older writing" if left == 1 else f"{left} older writings"
        command = shlex.join(["kubectl", "dscov", "undo", "-f", path])
        click.echo(
            f"note: {what} of `fix` {'is' if left == 1 else 'are'} left there; go on with: {plain(command)}", err=True
        )


def _live(daemonset: str | None, values: Mapping[str, Any], *, listed: bool) -> int:
    """Take the newest patch of a live object back, or list the patches."""
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
    prompt.tell(f"restored daemonset/{plain(record.name)} in namespace {plain(record.namespace)}")
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


def _told_of_files(record: FileRecord) -> str:
    names = ", ".join(_short(piece.place) for piece in record.pieces)
    return f"{record.at:%Y-%m-%dT%H:%M:%SZ}  {names}\n  {plain(record.summary)}"


def _short(path: Path) -> str:
    """The file as seen from the working folder, where it is below that."""
    here = Path.cwd()
    return plain(str(path.relative_to(here) if path.is_relative_to(here) else path))
