"""Patches of live objects: tried out on the server, shown, asked for, applied, and watched until they did their work."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dscov.errors import CouldNotLook, NotVerified, Refused
from kubectl_dscov import exits, prompt
from kubectl_dscov.fixing.files import show
from kubectl_dscov.progress import counter_on
from kubectl_dscov.render.ink import ink, plain, wants_colour
from kubectl_dscov.render.proposals import promised, unmet

if TYPE_CHECKING:
    from dscov import Access, Check, Option, Proposal, Transport, Writer

CLIENT, SERVER = "client", "server"


class Chosen(NamedTuple):
    """A proposal and the option that was taken."""

    proposal: Proposal
    option: Option

    @property
    def name(self) -> str:
        """`daemonset/NAME in namespace NS`, harmless."""
        daemonset = self.proposal.daemonset
        return plain(f"daemonset/{daemonset.name} in namespace {daemonset.namespace}")


def apply_all(access: Access, chosen: Sequence[Chosen], values: Mapping[str, Any]) -> int:
    """Apply what was chosen, one after another, each asked for; the worst of their exit codes."""
    import dscov

    codes = []
    done: list[Chosen] = []
    with dscov.Transport(access) as transport:
        writer = dscov.Writer(transport)
        for one in chosen:
            if one.option.outlook.reverts and not values["live_anyway"]:
                _point_to_source(transport, one)
                codes.append(exits.GAPS)
                continue
            try:
                applied = _apply(writer, one, access, values)
            except Refused as refusal:
                # The others are not to wait for this one; what each came to is told where it stands.
                click.echo(f"error: {plain(str(refusal))}", err=True)
                click.echo("\n".join(map(plain, refusal.remedy.splitlines())), err=True, nl=bool(refusal.remedy))
                codes.append(exits.REFUSED)
                continue
            done += [one] if applied else []
        codes += [_watch(writer, one, access, values) for one in done if values["wait"]]
    if done and not values["wait"]:
        click.echo("Pods follow one by one; `kubectl dscov diagnose` shows how far they are.", err=True)
    return max(codes, default=exits.OK)


def _point_to_source(transport: Transport, one: Chosen) -> None:
    """The object belongs to somebody who would undo the patch: say where it lasts, in the owner's own terms."""
    import dscov
    from kubectl_dscov.render.origin import lines

    colour = wants_colour()
    outlook = one.option.outlook
    owner = plain(f"{outlook.owner} {outlook.owner_name}".rstrip())
    click.echo(ink(f"{one.name} is not patched: {owner} owns it", "yellow", colour=colour))
    for line in lines(dscov.origin_of(transport, one.proposal.daemonset, one.option.patch), colour=colour):
        click.echo(line)
    click.echo("  --live-anyway patches the live object all the same")


def _apply(writer: Writer, one: Chosen, access: Access, values: Mapping[str, Any]) -> bool:
    """Apply one; whether it was, which a dry run never does. Raises Refused where the server or the person will not have it."""
    import dscov

    daemonset, option = one.proposal.daemonset, one.option
    expected = None if values["dry_run"] == CLIENT else writer.try_out(daemonset.obj, option.patch)
    show([dscov.live_edit(daemonset, option.patch)])
    if values["dry_run"]:
        who = "the server accepts it; " if expected is not None else ""
        click.echo(f"dry run: {who}nothing was written to {one.name}", err=True)
        return False
    where = f" on {plain(access.context)}" if access.context else ""
    question = f"Apply this to {one.name}{where}?"
    prompt.agree(question, yes=values["yes"], remedy="Add --yes to apply, or --dry-run to look.")
    record = dscov.record_of(daemonset, option, server=access.server, now=datetime.now(UTC), expected=expected or {})
    path = dscov.keep(record)
    try:
        stored = writer.write(daemonset.obj, option.patch, expected=expected or {})
    except (Refused, CouldNotLook):
        dscov.drop(path)
        raise
    dscov.keep(dscov.with_stored(record, stored))
    undo = f"kubectl dscov undo daemonset/{daemonset.name} -n {daemonset.namespace}"
    click.echo(f"patched {one.name}; take it back with:\n  {plain(undo)}", err=True)
    return True


def _watch(writer: Writer, one: Chosen, access: Access, values: Mapping[str, Any]) -> int:
    """Follow the rollout, then hold the promise against what is there."""
    import dscov

    daemonset, option = one.proposal.daemonset, one.option
    seconds = values["timeout"].total_seconds()
    checks: tuple[Check, ...] = ()
    rolled, last = False, None
    with counter_on(sys.stderr) as tell:
        for now in dscov.follow(writer, daemonset.namespace, daemonset.name, seconds=seconds):
            counts = f"{now.updated} of {now.desired} pods updated, {now.available} available"
            tell(f"{one.name}: {counts if now.seen else 'waiting for the controller to take it up'}")
            rolled = now.is_done or (now.seen and option.outlook.on_delete)
            if now == last and not rolled:
                continue
            last = now
            checks = _checked(access, one, values)
            if rolled and not list(dscov.broken(checks)):
                break
    left = list(dscov.broken(checks))
    for line in promised(checks, one.name) if not left else unmet(left, one.name):
        click.echo(line, err=True)
    if left or not rolled:
        late = "" if left else "every node that was promised is right, yet the rollout is not through"
        raise NotVerified(late or f"{one.name}: applied, but {len(left)} nodes are not as promised yet")
    return exits.OK


def _checked(access: Access, one: Chosen, values: Mapping[str, Any]) -> tuple[Check, ...]:
    """The promise against a fresh look at the namespace."""
    import dscov
    from kubectl_dscov.reading import settings_of

    daemonset, option = one.proposal.daemonset, one.option
    settings = settings_of(values)
    snapshot = dscov.read_cluster(access, namespace=daemonset.namespace, settings=settings)
    seen = dscov.diagnose(
        snapshot, now=dscov.time_of(snapshot), wants=lambda ds: ds.key == daemonset.key, settings=settings
    )
    found = next(iter(seen.coverage), None)
    return dscov.verify(found, targets=one.proposal.targets, effect=option.effect) if found else ()
