"""Proposals for people: what each option does, what comes with it, and what no patch is right for."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from dscov import Check, DaemonSet, Option, Outlook, Proposal
from kubectl_dscov.render.ink import ink, plain
from kubectl_dscov.render.nodes import described

_FEW = 4

Labels = Mapping[str, Mapping[str, str]]


class Writer:
    """Writes proposals for a terminal of some width."""

    def __init__(self, labels: Labels, *, colour: bool) -> None:
        self.labels, self.colour = labels, colour
        self.width = min(shutil.get_terminal_size((80, 24)).columns, 120)

    def proposal(self, one: Proposal, *, chosen: int = 0) -> Iterator[str]:
        """One DaemonSet: its options, the chosen one in full, and what is left."""
        name = plain(one.daemonset.key)
        if one.options:
            what = f"{name}: {described(one.targets, self.labels)}"
            yield from self._wrapped(what, "", "  ", style="bold")
            for number, option in enumerate(one.options):
                yield from self._option(option, number, full=number == chosen, single=len(one.options) == 1)
            if not one.least:
                yield from self._wrapped(
                    f"not proven least: this costs {one.cost}, no plan costs less than {one.bound}",
                    "  ",
                    "  ",
                    style="dim",
                )
        else:
            yield from self._wrapped(f"{name}: no patch is right", "", "  ", style="bold")
        for left in one.left:
            where = described(left.nodes, self.labels) if left.nodes else "the DaemonSet as a whole"
            yield from self._wrapped(f"NOT BY A PATCH  {where} [{left.cause}]", "  ", "    ", style="yellow")
            yield from self._wrapped(plain(left.remedy.summary), "    do: ", "        ")
            for action in left.remedy.actions[:_FEW]:
                yield f"        {plain(action)}"

    def _option(self, option: Option, number: int, *, full: bool, single: bool) -> Iterator[str]:
        mark = "" if single else f"{number + 1}) "
        style = ("green",) if full else ()
        yield from self._wrapped(plain(option.summary), f"  {mark}", "  " + " " * len(mark), style=style and style[0])
        indent = "     "
        yield from self._wrapped(_gains(option, self.labels), indent, indent + "  ")
        if full:
            for line in _outlook(option.outlook, option):
                yield from self._wrapped(plain(line), indent, indent + "  ")
        for note in option.notes:
            yield from self._wrapped(f"note: {plain(note)}", indent, indent + "  ", style="dim")

    def _wrapped(self, text: str, first: str, rest: str, *, style: str | tuple[()] = ()) -> Iterator[str]:
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines:
            yield ink(line, *([style] if isinstance(style, str) else []), colour=self.colour)


def _gains(option: Option, labels: Labels) -> str:
    effect = option.effect
    parts = [f"gains {described(effect.gains, labels)}"] if effect.gains else ["gains no node"]
    parts += [f"loses {described(effect.loses, labels)}"] if effect.loses else ["loses none"]
    return "; ".join(parts)


def _outlook(outlook: Outlook, option: Option) -> Iterator[str]:
    yield _restarts(outlook)
    if outlook.squeezed:
        for one in outlook.squeezed[:_FEW]:
            evicts = (
                f"; to make room the scheduler may evict pods of {', '.join(one.evicts[:_FEW])}" if one.evicts else ""
            )
            yield f"{one.node} has no room: {'; '.join(one.short)}{evicts}"
        if len(outlook.squeezed) > _FEW:
            yield f"and {len(outlook.squeezed) - _FEW} more nodes without room"
    elif option.effect.gains:
        yield "the new pods fit" if outlook.room_seen else "whether the new pods fit was not seen"
    for manager, field in outlook.managers:
        yield f"{manager} owns {field} and loses it by a live patch; its next apply may conflict or take it back"
    if outlook.fate:
        yield f"owned by {outlook.owner} {outlook.owner_name}: a live edit is {outlook.fate}"


def _restarts(outlook: Outlook) -> str:
    if outlook.on_delete:
        return "restarts nothing by itself (OnDelete): pods that run keep the old template until they are deleted"
    if not outlook.restarts:
        return "restarts no pod"
    pods = "1 pod" if outlook.restarts == 1 else f"all {outlook.restarts} pods"
    budget = f", at most {outlook.at_once} at a time" if outlook.at_once and outlook.restarts > 1 else ""
    return f"restarts {pods}{budget} (a rollout does not heed PodDisruptionBudgets)"


def refused_for_owner(daemonset: DaemonSet, option: Option, *, colour: bool) -> Iterator[str]:
    """Why a live patch is not the way, and where the change belongs."""
    outlook = option.outlook
    name = plain(daemonset.key)
    yield ink(f"{name}: not patched, since {plain(outlook.owner)} owns it", "yellow", colour=colour)
    yield plain(f"  a live edit would be {outlook.fate}; the change belongs into {outlook.source}")
    yield "  -o json-patch|strategic|kustomize prints it for that place; --live-anyway patches all the same"


def promised(checks: Sequence[Check], name: str) -> Iterator[str]:
    """That all is as promised."""
    nodes = f"{len(checks)} node{'' if len(checks) == 1 else 's'}"
    yield f"verified {name}: {nodes} as promised" if checks else f"verified {name}"


def unmet(left: Sequence[Check], name: str) -> Iterator[str]:
    """The nodes that are not as promised, with what is there instead."""
    for check in left[:_FEW]:
        why = f" ({', '.join(check.causes)})" if check.causes else ""
        yield plain(f"{name}: {check.node} is {check.state}{why}")
    if len(left) > _FEW:
        yield f"and {len(left) - _FEW} more nodes"
