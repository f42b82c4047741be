"""`kubectl dscov fix`: explicit edits of scheduling fields in the user's own files, shown, asked for, and written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dscov.errors import Refused
from kubectl_dscov import exits, prompt
from kubectl_dscov.edits import edits_of, expression, label, label_key, number, parsed, toleration
from kubectl_dscov.render.ink import plain, wants_colour

if TYPE_CHECKING:
    from dscov import Change, Plan

FORMS = ("diff", "json-patch", "strategic", "kustomize", "yaml")

_EDIT_FLAGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--add-toleration", {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Append a toleration."}),
    (
        "--change-toleration",
        {"callback": toleration, "nargs": 2, "metavar": "OLD NEW", "help": "Change one, field by field."},
    ),
    ("--remove-toleration", {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Take one out."}),
    (
        "--remove-toleration-seconds",
        {"callback": toleration, "metavar": "KEY[=VALUE][:EFFECT]", "help": "Take its tolerationSeconds out."},
    ),
    ("--set-selector", {"callback": label, "metavar": "KEY=VALUE", "help": "Set a nodeSelector label."}),
    ("--unset-selector", {"callback": label_key, "metavar": "KEY", "help": "Take a nodeSelector label out."}),
    (
        "--add-affinity",
        {"callback": expression, "metavar": "EXPR", "help": "Require 'KEY in (A,B)', 'KEY', '!KEY', 'KEY>3'."},
    ),
    (
        "--change-affinity",
        {"callback": expression, "nargs": 2, "metavar": "OLD NEW", "help": "Change a required expression."},
    ),
)


def _edit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, settings in reversed(_EDIT_FLAGS):
        settings = {**settings, "callback": parsed(settings["callback"])}
        function = click.option(name, multiple=True, **settings)(function)
    return function


@click.command(name="fix", no_args_is_help=True)
@click.argument("daemonset", required=False, metavar="[daemonset/NAME]")
@click.option("-f", "--filename", "files", multiple=True, metavar="PATH", help="A manifest, or a folder of them.")
@click.option("-k", "--kustomize", "kustomization", metavar="DIR", help="A kustomization; its base is left as it is.")
@click.option("--values", metavar="FILE", help="A Helm values file.")
@click.option("--values-path", metavar="a.b.tolerations", help="The value that feeds the DaemonSet.")
@click.option("--chart", metavar="DIR", help="The Helm chart, to find that value and its defaults.")
@click.option("-n", "--namespace", metavar="NS", help="The namespace that the DaemonSet is in.")
@_edit_options
@click.option("--set-priority-class", metavar="NAME", help="Set priorityClassName.")
@click.option(
    "--set-max-unavailable", callback=parsed(number), metavar="N|N%", help="Set rollingUpdate.maxUnavailable."
)
@click.option("--set-max-surge", callback=parsed(number), metavar="N|N%", help="Set rollingUpdate.maxSurge.")
@click.option(
    "--set-update-strategy", type=click.Choice(["RollingUpdate", "OnDelete"]), help="Set updateStrategy.type."
)
@click.option("-o", "--output", type=click.Choice(FORMS), help="Print the change in this form; touch no file.")
@click.option("--output-dir", metavar="DIR", help="Write the change as patch files into DIR; touch no other file.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
@click.option("--offline", is_flag=True, help="Ask no cluster (explicit edits never do).")
def command(**options: Any) -> int:
    """Edit tolerations, selectors and affinity in your own files, byte for byte.

    \b
    kubectl dscov fix daemonset/agent -f agent.yaml --add-toleration dedicated=gpu:NoSchedule
    kubectl dscov fix agent -k overlays/prod --set-selector disk=ssd -o diff
    kubectl dscov fix --values values.yaml --chart . --remove-toleration old:NoExecute
    """
    plan = _plan(options)
    change = _change(plan, options)
    if options["output"] and not options["output_dir"]:
        return _print_form(change, options["output"])
    if change.is_empty:
        click.echo(f"{plain(change.name)}: nothing to do, all is as asked", err=True)
        return exits.OK
    if options["output_dir"]:
        return _write_folder(change, plan, options["output_dir"])
    return _show_and_write(change, options)


def _plan(options: dict[str, Any]) -> Plan:
    from dscov import Plan, Target

    ways = [name for name in ("files", "kustomization") if options[name]]
    ways += ["values"] if options["values"] or options["chart"] else []
    if len(ways) != 1:
        raise click.UsageError("name the files with one of -f, -k, or --values (with --chart)")
    edits = edits_of(options)
    if not edits:
        raise click.UsageError("name at least one edit, such as --add-toleration KEY:EFFECT")
    name = options["daemonset"]
    if name and "/" in name:
        kind, _, name = name.partition("/")
        if kind.lower() not in ("daemonset", "daemonsets", "daemonset.apps", "daemonsets.apps", "ds") or not name:
            raise click.UsageError(f"{options['daemonset']!r} is not daemonset/NAME")
    return Plan(Target(name, options["namespace"]), edits)


def _change(plan: Plan, options: dict[str, Any]) -> Change:
    import dscov

    if options["kustomization"]:
        return dscov.change_kustomization(plan, options["kustomization"])
    if options["files"]:
        try:
            return dscov.change(plan, options["files"])
        except dscov.Several as several:
            if options["yes"] or options["output"] or not prompt.can_ask():
                raise
            click.echo(f"{plain(str(several))}:", err=True)
            number = prompt.chosen("Which one", [str(place) for place in several.places])
            return dscov.change_at(several.places[number], plan)
    return dscov.change_values(plan, values=options["values"], path=options["values_path"], chart=options["chart"])


def _print_form(change: Change, form: str) -> int:
    from dscov import rendered

    sys.stdout.flush()
    sys.stdout.buffer.write(rendered(change, form))
    _note(change)
    return exits.OK


def _show_and_write(change: Change, options: dict[str, Any]) -> int:
    from dscov import write
    from kubectl_dscov.render.changes import diff_lines, external_diff

    edits = [edit for edit in change.edits if edit.old != edit.new]
    if not external_diff(edits):
        for line in diff_lines(edits, colour=wants_colour()):
            click.echo(line)
    _note(change)
    if options["dry_run"]:
        click.echo("dry run: nothing was written", err=True)
        return exits.OK
    if not options["yes"]:
        if not prompt.can_ask():
            raise Refused(
                "not a terminal, so nobody can be asked; nothing was written", remedy="Add --yes to write, or -o diff."
            )
        names = ", ".join(plain(edit.path) for edit in edits)
        if not prompt.confirmed(f"Write this to {names}?"):
            raise Refused("declined; nothing was written")
    write(edits)
    for edit in edits:
        click.echo(f"wrote {plain(edit.path)}", err=True)
    return exits.OK


def _write_folder(change: Change, plan: Plan, folder: str) -> int:
    from dscov import folder_edits, write

    edits = folder_edits(change, plan, folder)
    _note(change)
    if not edits:
        click.echo(f"{plain(folder)}: holds these files already", err=True)
        return exits.OK
    if any(Path(edit.path).is_symlink() for edit in edits):
        raise Refused(f"{folder}: holds a symbolic link of the same name", remedy="Name an empty folder.")
    Path(folder).mkdir(parents=True, exist_ok=True)
    write(edits)
    for edit in edits:
        click.echo(f"wrote {plain(edit.path)}", err=True)
    return exits.OK


def _note(change: Change) -> None:
    for note in change.notes:
        click.echo(f"note: {plain(note)}", err=True)
