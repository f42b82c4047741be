"""`kubectl dscov fix`: the least change that closes the gaps, in files or on live objects, shown and asked for."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from dscov.errors import Refused
from kubectl_dscov.arguments import DurationType
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.edits import edit_options, edits_of
from kubectl_dscov.fixing import files, homes, live, planned, proposals
from kubectl_dscov.lookup import cause_slug
from kubectl_dscov.reading import access_of, judging_options, reading_options
from kubectl_dscov.render.ink import plain

if TYPE_CHECKING:
    from dscov import Option, Proposal

FORMS = ("diff", "json-patch", "strategic", "kustomize", "yaml", "json")


@click.command(name="fix", cls=KubectlCommand)
@click.argument("names", nargs=-1, metavar="[daemonset/NAME ...]")
@click.option("-f", "--filename", "files", multiple=True, metavar="PATH", help="Edit a manifest, or a folder of them.")
@click.option(
    "-k", "--kustomize", "kustomization", metavar="DIR", help="Edit a kustomization; its base stays as it is."
)
@click.option("--values", metavar="FILE", help="Edit a Helm values file.")
@click.option("--values-path", metavar="a.b.tolerations", help="The value that feeds the DaemonSet.")
@click.option("--chart", metavar="DIR", help="The Helm chart, to find that value and its defaults.")
@click.option("--nodes", multiple=True, metavar="SELECTOR|node/NAME", help="Plan for these nodes only.")
@click.option(
    "--cause", multiple=True, metavar="SLUG", help="Plan for nodes with this cause only, e.g. untolerated-taint."
)
@click.option("--choose", type=click.IntRange(1), default=1, metavar="N", help="Take the Nth option, not the first.")
@edit_options
@click.option("-o", "--output", type=click.Choice(FORMS), help="Print the change in this form; change nothing.")
@click.option("--output-dir", metavar="DIR", help="Write the change as patch files into DIR; change nothing else.")
@click.option("--save-plan", metavar="FILE", help="Write the plan into FILE, to apply it later; change nothing.")
@click.option("--plan", metavar="FILE", help="Carry out a plan that was saved; refused when it is stale.")
@click.option("-y", "--yes", is_flag=True, help="Do it without asking.")
@click.option(
    "--dry-run",
    is_flag=False,
    flag_value=live.CLIENT,
    type=click.Choice(["none", live.CLIENT, live.SERVER]),
    help="Show the change and do nothing; =server lets the API server try it.",
)
@click.option("--wait", is_flag=True, help="Follow the rollout, then check that the promise holds.")
@click.option(
    "--timeout",
    type=DurationType(),
    default="10m",
    show_default=True,
    metavar="DURATION",
    help="How long --wait waits.",
)
@click.option("--live-anyway", is_flag=True, help="Patch the live object although its owner will undo that.")
@click.option("--offline", is_flag=True, help="Ask no cluster and run no other program.")
@reading_options
@judging_options
def command(timeout: timedelta, **values: Any) -> int:
    """Plan the least change that closes the gaps, show what it costs, and make it.

    \b
    kubectl dscov fix --dry-run                       what would be changed, and what comes with it
    kubectl dscov fix daemonset/agent -n logging      patch the live object, after a yes
    kubectl dscov fix daemonset/agent -f agent.yaml   write the change into a manifest, byte for byte
    kubectl dscov fix -k overlays/prod -o diff        ... or print it for a kustomization

    Without -n the DaemonSets of -f are looked up in the namespace that their manifest names.

    With --add-toleration and the like the edits are yours, not the planner's; in files they need no cluster:

    \b
    kubectl dscov fix ds/agent -f agent.yaml --add-toleration dedicated=gpu:NoSchedule
    kubectl dscov fix --values values.yaml --chart . --remove-toleration old:NoExecute

    Patches (-o diff, --output-dir) of files in a git work tree are for its top, `git apply` or `patch -p1` there;
    where the files lie below the current folder `git apply` takes them here too.

    Exit code: 0 done or nothing to do, 1 gaps remain that no patch may or can close, 2 usage, 3 could not look,
    4 refused or declined, 5 applied but not verified.
    """
    values |= {"timeout": timeout, "dry_run": None if values["dry_run"] == "none" else values["dry_run"]}
    values["cause"] = tuple(cause_slug(word, flag="--cause ") for word in values["cause"])
    in_files = files.named(values)
    _check(values, in_files=in_files)
    if in_files and not edits_of(values):
        files.check(values)
    if values["namespace"] or not edits_of(values):
        values = homes.at_home(values, proposals.names_of(values))
    if in_files and edits_of(values):
        return _explicit_in_files(values)
    proposed = proposals.propose(values)
    if in_files:
        return planned.in_files(proposed, values)
    if values["output_dir"]:
        return _into_folder(proposed, values)
    if values["output"] or values["save_plan"]:
        return _print_or_save(proposed, values)
    return _live(proposed, values)


def _check(values: dict[str, Any], *, in_files: bool) -> None:
    """Flags that do not go together."""
    edits = bool(edits_of(values))
    chosen = any(values[name] for name in ("names", "save_plan", "nodes", "cause"))
    if values["plan"] and (edits or chosen or values["choose"] != 1):
        raise click.UsageError("--plan says all that is to be done: give it no names, nodes, causes or edits")
    if values["values_path"] and not (values["values"] or values["chart"]):
        raise click.UsageError("--values-path says where in a Helm values file: name that with --values or --chart")
    outputs = [flag for flag in ("output", "output_dir", "save_plan") if values[flag]]
    if len(outputs) > 1:
        raise click.UsageError("-o, --output-dir and --save-plan each say where the change goes: give one of them")
    if values["dry_run"] and outputs:
        raise click.UsageError("--dry-run shows and does nothing: leave it out, or -o, --output-dir and --save-plan")
    if edits and (values["nodes"] or values["cause"]):
        raise click.UsageError("--nodes and --cause choose what is planned for; edits that you spell out need no plan")
    if in_files and (values["wait"] or values["save_plan"] or values["live_anyway"]):
        raise click.UsageError("--wait, --save-plan and --live-anyway are for live objects, not for files")
    if values["offline"] and not (in_files and edits) and not values["path"]:
        raise click.UsageError("--offline asks no cluster: name files and edits, or a saved cluster with --from")
    if values["output"] == "json" and in_files:
        raise click.UsageError("-o json prints the plan for live objects; for files use -o diff")


def _explicit_in_files(values: dict[str, Any]) -> int:
    from dscov import Plan, Target

    names = proposals.names_of(values)
    if len(names) > 1:
        raise click.UsageError("edits that you spell out are for one DaemonSet at a time")
    plan = Plan(Target(names[0] if names else None, values["namespace"] or None), edits_of(values))
    return files.carry_out(files.change_of(plan, values), plan, values)


def _into_folder(proposed: proposals.Proposed, values: dict[str, Any]) -> int:
    """The planned patches of live objects as files for other tools."""
    import dscov

    planned.explain(proposed, values)
    codes = [proposed.remaining]
    names = Counter(one.daemonset.name for one, _ in planned.choices(proposed, values))
    for one, option in planned.choices(proposed, values):
        change, plan = dscov.live_change(one.daemonset, option.patch)
        if names[change.name] > 1:
            change = replace(change, name=f"{one.daemonset.namespace}.{change.name}")
        codes.append(files.carry_out(change, plan, values, why=proposed.why(one, option)))
    return max(codes)


def _print_or_save(proposed: proposals.Proposed, values: dict[str, Any]) -> int:
    """The plan for other tools, or for later: nothing is changed."""
    import dscov

    chosen = planned.choices(proposed, values)
    form = values["output"]
    planned.warn(proposed)
    if values["save_plan"]:
        planned.explain(proposed, values)
        files.write_new([dscov.replacing(values["save_plan"], _plan_text(proposed, chosen))], values)
        command = ["kubectl", "dscov", "fix", "--plan", values["save_plan"]]
        command += ["--from", values["path"]] if values["path"] else []
        click.echo(f"carry it out with: {plain(shlex.join(command))}", err=True)
    elif form == "json":
        click.echo(_plan_text(proposed, chosen), nl=False)
    else:
        texts = [dscov.live_form(one.daemonset, option.patch, form) for one, option in chosen]
        files.print_forms(texts, form)
    return proposed.remaining


def _plan_text(proposed: proposals.Proposed, chosen: Sequence[tuple[Proposal, Option]]) -> bytes:
    """What was chosen, as a plan file holds it."""
    import dscov

    items = [dscov.item_of(one.daemonset, one.targets, option) for one, option in chosen]
    return dscov.plan_text(items, context=proposed.snapshot.source.context, now=proposed.now)


def _live(proposed: proposals.Proposed, values: dict[str, Any]) -> int:
    """Show everything, then patch one object after another."""
    planned.explain(proposed, values)
    remaining = proposed.remaining
    chosen = [live.Chosen(one, option) for one, option in planned.choices(proposed, values)]
    if not chosen:
        return remaining
    if proposed.snapshot.source.kind != "cluster":
        for one in chosen:
            files.show([_live_edit(one)], offline=values["offline"])
        if values["yes"]:
            raise Refused("a saved cluster is never written to", remedy="Name files with -f, -k or --values.")
        click.echo("a saved cluster is never written to: name files to edit, or print with -o", err=True)
        return remaining
    return max(remaining, live.apply_all(access_of(values), chosen, values))


def _live_edit(one: live.Chosen) -> Any:
    from dscov import live_edit

    return live_edit(one.proposal.daemonset, one.option.patch)
