"""What was proposed, told and chosen from, and carried out in the files where the DaemonSets are kept."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dscov.errors import DscovError, NotFound
from kubectl_dscov import exits, prompt
from kubectl_dscov.edits import edits_of
from kubectl_dscov.fixing import drift, files
from kubectl_dscov.fixing.proposals import Proposed
from kubectl_dscov.lookup import empty_namespace
from kubectl_dscov.reading import namespace_of
from kubectl_dscov.render.ink import plain, wants_colour

if TYPE_CHECKING:
    from dscov import Change, Option, Plan, Proposal


class _Worked(NamedTuple):
    """What the option for one DaemonSet comes to in the files, or why it comes to nothing."""

    proposal: Proposal
    option: Option
    plan: Plan
    change: Change | None
    error: DscovError | None

    @property
    def is_there(self) -> bool:
        """Whether the files have it already."""
        return self.change is not None and self.change.is_empty


def choices(proposed: Proposed, values: Mapping[str, Any]) -> list[tuple[Proposal, Option]]:
    """The option that was asked for, of every proposal that has one."""
    number = values["choose"]
    found = [one for one in proposed.proposals if one.options]
    for one in found:
        if number > len(one.options):
            raise NotFound(f"{one.daemonset.key}: there is no option {number}, only {len(one.options)}")
    return [(one, one.options[number - 1]) for one in found]


def explain(proposed: Proposed, values: Mapping[str, Any], *, settled: Container[str] = ()) -> None:
    """The proposals in words, but for options of DaemonSets that are `settled` (by their keys).

    On standard error where the change itself goes to standard output.
    """
    import msgspec

    from kubectl_dscov.render.proposals import Writer

    to_stderr = bool(values["output"])
    writer = Writer(
        {node.name: node.labels for node in proposed.snapshot.nodes},
        colour=wants_colour(sys.stderr if to_stderr else sys.stdout),
    )
    if not (values["output"] or values["save_plan"]):
        warn(proposed)
    open_ones = [
        msgspec.structs.replace(one, options=()) if one.daemonset.key in settled else one for one in proposed.proposals
    ]
    shown = [one for one in open_ones if one.options or one.left]
    if not any(one.options or one.left for one in proposed.proposals) and not proposed.blind:
        click.echo(_nothing(proposed, values), err=True)
    for line in writer.proposals(shown, chosen=values["choose"] - 1):
        click.echo(line, err=to_stderr, nl=False)


def warn(proposed: Proposed) -> None:
    """What could not be looked at."""
    for text in proposed.blind:
        click.echo(plain(f"warning: {text}"), err=True)


def in_files(proposed: Proposed, values: Mapping[str, Any]) -> int:
    """The planned edits, each DaemonSet in the file where it is kept; the worst of the exit codes."""
    worked = _apart([_worked(one, option, values) for one, option in choices(proposed, values)])
    explain(proposed, values, settled={one.proposal.daemonset.key for one in worked if one.is_there})
    codes = [proposed.remaining]
    for one in worked:
        try:
            codes.append(_done(one, proposed, values))
        except prompt.Declined:
            if len(worked) == 1:
                raise
            # A no is for this one alone: others may be written already, or still be wanted.
            click.echo(f"declined: {plain(one.proposal.daemonset.key)}: nothing was written for it", err=True)
            codes.append(exits.REFUSED)
    if values["output"]:
        files.print_changes([one.change for one in worked if one.change], values["output"])
    return max(codes)


def _worked(one: Proposal, option: Option, values: Mapping[str, Any]) -> _Worked:
    import dscov

    daemonset = one.daemonset
    edits = dscov.edits_between(daemonset.obj, dscov.patched(daemonset, option.patch).obj)
    plan = dscov.Plan(dscov.Target(daemonset.name, daemonset.namespace), edits)
    try:
        return _Worked(one, option, plan, files.change_of(plan, values), None)
    except DscovError as error:
        return _Worked(one, option, plan, None, error)


def _apart(worked: Sequence[_Worked]) -> list[_Worked]:
    """With the namespace in the names of changes that would else have the same, and one folder to be written to."""
    names = Counter(one.change.name for one in worked if one.change)
    return [
        one._replace(change=replace(one.change, name=one.proposal.daemonset.key.replace("/", ".")))
        if one.change and names[one.change.name] > 1
        else one
        for one in worked
    ]


def _done(worked: _Worked, proposed: Proposed, values: Mapping[str, Any]) -> int:
    """Carry one out, and say where that is not to be."""
    key, change = plain(worked.proposal.daemonset.key), worked.change
    if isinstance(worked.error, NotFound):
        click.echo(f"{key}: not in these files: {plain(str(worked.error))}", err=True)
        return exits.GAPS
    if change is None:
        raise worked.error or NotFound(f"{key}: not in these files")
    told = drift.told(proposed, worked.proposal, worked.option, change=change, values=values)
    if told:
        click.echo(f"warning: {plain(told)}", err=True)
    if change.is_empty:
        where = ", ".join(edit.path for edit in change.edits) or "the source"
        who = "saved cluster does" if values["path"] else "cluster does"
        click.echo(f"{key}: nothing to do: {plain(where)} has it already, the {who} not yet", err=True)
        return exits.OK
    if values["output"]:
        return exits.OK
    if _is_stale(change):
        change = files.change_of(worked.plan, values)
    return files.carry_out(change, worked.plan, values, why=proposed.why(worked.proposal, worked.option, drift=told))


def _is_stale(change: Change) -> bool:
    """Whether one of its files was written for another DaemonSet in the meantime."""
    there = [(edit.old, Path(edit.path)) for edit in change.edits]
    return any((path.read_bytes() if path.exists() else None) != old for old, path in there)


def _nothing(proposed: Proposed, values: Mapping[str, Any]) -> str:
    """Why there is nothing to do."""
    if edits_of(values) or values["plan"]:
        return "nothing to do: all is as asked"
    where = empty_namespace(proposed.snapshot, namespace_of(values, proposed.snapshot))
    return plain(where) or "nothing to do: no gap and no unwanted placement that a patch could mend"
