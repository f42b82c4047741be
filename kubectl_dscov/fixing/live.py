"""Patches of live objects: tried out on the server, shown, asked for, applied, and watched until they did their work."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dscov.errors import CouldNotLook, DscovError, NotVerified, Refused
from kubectl_dscov import exits, prompt
from kubectl_dscov.fixing.files import show
from kubectl_dscov.progress import counter_on
from kubectl_dscov.render.ink import ink, plain, wants_colour
from kubectl_dscov.render.proposals import promised, unmet

if TYPE_CHECKING:
    from dscov import Access, Check, Coverage, Option, Proposal, Transport, Writer

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
                prompt.tell_error(refusal)
                codes.append(exits.REFUSED)
                continue
            done += [one] if applied else []
        codes += [_watched(writer, one, access, values) for one in done if values["wait"]]
    if done and not values["wait"]:
        prompt.tell("Pods follow one by one; `kubectl dscov diagnose` shows how far they are.")
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
    wanted = dscov.patched(daemonset, option.patch).obj
    expected = None
    if values["dry_run"] != CLIENT:
        expected = writer.try_out(daemonset.obj, option.patch)
        dscov.check_kept(wanted, expected, dscov.fields_of(option))
    show([dscov.edit_of_objects(daemonset.obj, expected or wanted)])
    if values["dry_run"]:
        who = "the server accepts it; " if expected is not None else ""
        click.echo(f"dry run: {who}nothing was written to {one.name}", err=True)
        return False
    where = f" on {plain(access.context)}" if access.context else ""
    question = f"Apply this to {one.name}{where}?"
    prompt.agree(question, yes=values["yes"], remedy="Add --yes to apply, or --dry-run to look.", to=one.name)
    record = dscov.record_of(daemonset, option, server=access.server, now=datetime.now(UTC), expected=expected or {})
    path = dscov.keep(record)
    try:
        stored = writer.write(daemonset.obj, option.patch, expected=expected or {})
    except (Refused, CouldNotLook):
        dscov.drop(path)
        raise
    prompt.tell(f"patched {one.name}; take it back with:\n  {plain(_undoing(one, values))}")
    try:
        dscov.keep(dscov.with_stored(record, stored))
    except CouldNotLook as problem:
        if stored.get("spec") != (expected or {}).get("spec"):
            prompt.tell(f"warning: {plain(str(problem))}; undo may refuse")
    return True


def _undoing(one: Chosen, values: Mapping[str, Any]) -> str:
    """The command that takes it back, on the same way to the cluster."""
    daemonset = one.proposal.daemonset
    way = [word for name in ("kubeconfig", "context", "server") if values[name] for word in (f"--{name}", values[name])]
    return shlex.join(["kubectl", "dscov", "undo", f"daemonset/{daemonset.name}", "-n", daemonset.namespace, *way])


def _watched(writer: Writer, one: Chosen, access: Access, values: Mapping[str, Any]) -> int:
    """The exit code of watching one: what was applied stands, so that whatever goes wrong now is "not verified"."""
    try:
        return _watch(writer, one, access, values)
    except DscovError as problem:
        prompt.tell(f"error: applied, but not verified: {plain(str(problem))}")
        return exits.NOT_VERIFIED


def _watch(writer: Writer, one: Chosen, access: Access, values: Mapping[str, Any]) -> int:
    """Follow the rollout, then hold the promise against what is there."""
    import dscov

    daemonset, option = one.proposal.daemonset, one.option
    seconds = values["timeout"].total_seconds()
    checks: tuple[Check, ...] = ()
    lost: tuple[str, ...] = ()
    rolled, last = False, None
    seconds = max(seconds, 1.0)
    with contextlib.suppress(BrokenPipeError), counter_on(sys.stderr) as tell:
        for now in dscov.follow(writer, daemonset.namespace, daemonset.name, seconds=seconds):
            counts = f"{now.updated} of {now.desired} pods updated, {now.available} available"
            tell(f"{one.name}: {counts if now.seen else 'waiting for the controller to take it up'}")
            done = now.is_done or (now.seen and option.outlook.on_delete)
            if now == last and not (done or rolled):
                continue
            last = now
            seen = _seen(access, one, values)
            checks = dscov.verify(seen, targets=one.proposal.targets, effect=option.effect) if seen else ()
            lost = dscov.lost(seen) if seen else ()
            rolled = done or (now.seen and seen is not None and dscov.is_through(seen))
            if rolled and not list(dscov.broken(checks)):
                break
    if last is None:
        raise NotVerified(f"{one.name} could not be followed: it cannot be read")
    left = list(dscov.broken(checks))
    for line in promised(checks, one.name, lost) if not left else unmet(left, one.name):
        prompt.tell(line)
    if left or not rolled:
        late = "" if left else f"{one.name}: every node that was promised is right, yet the rollout is not through"
        raise NotVerified(late or f"{one.name}: {len(left)} nodes are not as promised yet")
    return exits.OK


def _seen(access: Access, one: Chosen, values: Mapping[str, Any]) -> Coverage | None:
    """A fresh look at the DaemonSet; None where it is gone."""
    import dscov
    from kubectl_dscov.reading import settings_of

    daemonset = one.proposal.daemonset
    settings = settings_of(values)
    snapshot = dscov.read_cluster(access, namespace=daemonset.namespace, settings=settings)
    found = dscov.diagnose(
        snapshot, now=dscov.time_of(snapshot), wants=lambda ds: ds.key == daemonset.key, settings=settings
    )
    return next(iter(found.coverage), None)
