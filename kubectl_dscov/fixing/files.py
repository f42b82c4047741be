"""Edits of the user's own files: worked out, shown, asked for, written."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dscov.errors import Refused
from kubectl_dscov import exits, prompt
from kubectl_dscov.render import pull_request
from kubectl_dscov.render.ink import plain, wants_colour

if TYPE_CHECKING:
    from dscov import Change, Plan, TextEdit
    from kubectl_dscov.render.pull_request import Why


def named(values: Mapping[str, Any]) -> bool:
    """Whether files are named to edit; a usage error where they are named in two ways."""
    ways = [bool(values["files"]), bool(values["kustomization"]), bool(values["values"] or values["chart"])]
    if sum(ways) > 1:
        raise click.UsageError("name the files with one of -f, -k, or --values (with --chart)")
    return any(ways)


def check(values: Mapping[str, Any]) -> None:
    """Raise what stands against editing the files, before anything is planned for them."""
    from dscov import check_sources

    own = str(Path(values["chart"], "values.yaml")) if values["chart"] else None
    check_sources(values["files"], kustomization=values["kustomization"], values=values["values"] or own)


def change_of(plan: Plan, values: Mapping[str, Any]) -> Change:
    """What the plan makes of the files; asks which manifest is meant where there are several."""
    import dscov

    if values["kustomization"]:
        return dscov.change_kustomization(plan, values["kustomization"], offline=values["offline"])
    if values["files"]:
        try:
            return dscov.change(plan, values["files"])
        except dscov.Several as several:
            if values["yes"] or values["output"] or not prompt.can_ask():
                raise
            click.echo(f"{plain(str(several))}:", err=True)
            number = prompt.chosen("Which one", [str(place) for place in several.places])
            return dscov.change_at(several.places[number], plan)
    return dscov.change_values(
        plan,
        values=values["values"],
        path=values["values_path"],
        chart=values["chart"],
        offline=values["offline"],
    )


def carry_out(change: Change, plan: Plan, values: Mapping[str, Any], *, why: Why | None = None) -> int:
    """Print the change in a form, write patch files, or show it, ask and write it."""
    if values["output"] and not values["output_dir"]:
        print_changes([change], values["output"])
        return exits.OK
    if change.is_empty:
        _note(change.notes)
        click.echo(f"{plain(change.name)}: nothing to do, all is as asked", err=True)
        return exits.OK
    if values["output_dir"]:
        return _write_folder(change, pull_request.body(change, plan, why), values)
    edits = [edit for edit in change.edits if edit.old != edit.new]
    from dscov import sentence

    summary = f"{change.name}: {'; '.join(sentence(edit) for edit in plan.edits)}"
    return show_and_write(edits, values, notes=change.notes, summary=plain(summary))


def print_changes(changes: Sequence[Change], form: str) -> None:
    """The changes in a form, on standard output."""
    from dscov import joined, rendered

    if form in {"diff", "yaml"}:
        changes = joined(changes)
    print_forms([rendered(change, form) for change in changes], form)
    for change in changes:
        _note(change.notes)


def print_forms(texts: Sequence[bytes], form: str) -> None:
    """Texts of one form as one document; Refused where the form holds one DaemonSet and there are several."""
    if form == "json-patch" and len(texts) > 1:
        raise Refused(f"-o {form} holds one DaemonSet, and {len(texts)} are to be changed", remedy="Name one of them.")
    if form == "kustomize" and len(texts) > 1:
        head = b"patches:\n"
        whole = head + b"".join(text.removeprefix(head) for text in texts if text.startswith(head))
    else:
        whole = (b"---\n" if form in {"strategic", "yaml"} else b"").join(texts)
    sys.stdout.flush()
    sys.stdout.buffer.write(whole)


def write_new(edits: Sequence[TextEdit], values: Mapping[str, Any]) -> None:
    """Write files of our own; what is there with other content is replaced only after a yes."""
    from dscov import write

    others = [plain(edit.path) for edit in edits if edit.old is not None]
    if others:
        question = f"Replace {', '.join(others)}?"
        prompt.agree(question, yes=values["yes"], remedy="Add --yes to replace what is there, or name another place.")
    write(edits)
    for edit in edits:
        prompt.tell(f"wrote {plain(edit.path)}")


def show(edits: Sequence[TextEdit], *, offline: bool = False) -> None:
    """The difference, in colour on a terminal, or by the tool that KUBECTL_EXTERNAL_DIFF names, unless `offline`."""
    from kubectl_dscov.render.changes import diff_lines, external_diff

    if offline or not external_diff(edits):
        for line in diff_lines(edits, colour=wants_colour()):
            click.echo(line)


def show_and_write(
    edits: Sequence[TextEdit], values: Mapping[str, Any], *, notes: Sequence[str] = (), summary: str = ""
) -> int:
    """Show the edits, and write them once somebody says yes; with a `summary` so that `undo` can take them back."""
    from dscov import write, write_kept

    show(edits, offline=bool(values.get("offline")))
    _note(notes)
    if values["dry_run"]:
        click.echo("dry run: nothing was written", err=True)
        return exits.OK
    names = ", ".join(plain(edit.path) for edit in edits)
    prompt.agree(f"Write this to {names}?", yes=values["yes"], remedy="Add --yes to write, or --dry-run to look.")
    if not summary:
        write(edits)
    elif problem := write_kept(edits, summary=summary, now=datetime.now(UTC)):
        _note([f"`undo` will not be able to take this back: {problem}"])
    for edit in edits:
        prompt.tell(f"wrote {plain(edit.path)}")
    return exits.OK


def _write_folder(change: Change, body: str, values: Mapping[str, Any]) -> int:
    from dscov import folder_edits

    folder = values["output_dir"]

    edits = folder_edits(change, folder, body=body)
    _note(change.notes)
    if not edits:
        click.echo(f"{plain(folder)}: holds these files already", err=True)
        return exits.OK
    if any(Path(edit.path).is_symlink() for edit in edits):
        raise Refused(f"{folder}: holds a symbolic link of the same name", remedy="Name an empty folder.")
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_new(edits, values)
    return exits.OK


def _note(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(f"note: {plain(note)}", err=True)
