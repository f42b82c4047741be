"""Proposals for people: what each option does, what comes with it, and what no patch is right for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dscov import Check, Left, Option, Outlook, Proposal, cause_of
from kubectl_dscov.render.ink import plain
from kubectl_dscov.render.nodes import described
from kubectl_dscov.render.sheet import Sheet

_FEW = 4
#: The stage of causes that are faults of a node.
NODE = 6

Labels = Mapping[str, Mapping[str, str]]


class Writer(Sheet):
    """Writes proposals for a terminal of some width."""

    def __init__(self, labels: Labels, *, colour: bool) -> None:
        super().__init__(colour=colour)
        self.labels = labels

    def proposals(self, found: Sequence[Proposal], *, chosen: int = 0) -> Iterator[str]:
        """All of them: first what can be patched, with what comes with it; then, once each, what no patch mends."""
        for one in found:
            if one.options:
                yield from self._proposal(one, chosen)
                yield "\n"
        groups = left_over(found)
        if groups:
            yield from self.wrapped("No patch of a DaemonSet mends these:", style="bold")
        for left, names in groups:
            where = described(left.nodes, self.labels) if left.nodes else "the DaemonSet as a whole"
            yield from self.wrapped(f"{where} [{left.cause}]", "  ", "    ", style="yellow")
            named = ", ".join(map(plain, names[:_FEW])) + (
                f", and {len(names) - _FEW} more" if len(names) > _FEW else ""
            )
            yield from self.wrapped(f"for: {named}", "    ", "         ")
            yield from self.wrapped(f"do: {plain(left.remedy.summary)}", "    ", "        ")
            for action in left.remedy.actions[:_FEW]:
                yield f"        {plain(action)}\n"

    def _proposal(self, one: Proposal, chosen: int) -> Iterator[str]:
        gains = len(one.targets)
        what = (
            f"{plain(one.daemonset.key)}: {described(one.targets, self.labels)}" if gains else plain(one.daemonset.key)
        )
        yield from self.wrapped(what, "", "  ", style="bold")
        for number, option in enumerate(one.options):
            mark = f"{number + 1}) " if len(one.options) > 1 else ""
            style = "green" if number == chosen else ""
            yield from self.wrapped(plain(option.summary), f"  {mark}", "  " + " " * len(mark), style=style)
            same = number and set(option.effect.gains) == set(one.options[0].effect.gains)
            alike = bool(same) and set(option.effect.loses) == set(one.options[0].effect.loses)
            told = [] if alike else [_gains(option, one, self.labels)]
            told += [*comes_with(option)] if number == chosen else []
            for line in told:
                yield from self.wrapped(plain(line), "     ", "       ")
            for note in option.notes:
                yield from self.wrapped(f"note: {plain(note)}", "     ", "       ", style="dim")
        if not one.least:
            text = f"not proven least: this costs {one.cost}, no plan costs less than {one.bound}"
            yield from self.wrapped(text, "  ", style="dim")


def left_over(found: Sequence[Proposal]) -> list[tuple[Left, list[str]]]:
    """What no patch mends, with the DaemonSets it is left for; a fault of a node stands for all else on that node."""
    groups: dict[tuple[str, tuple[str, ...], str], tuple[Left, list[str]]] = {}
    for one in found:
        told: set[str] = set()
        for left in sorted(one.left, key=lambda left: cause_of(left.cause).stage != NODE):
            if left.nodes and told.issuperset(left.nodes):
                continue
            told.update(left.nodes)
            group = groups.setdefault((left.cause, left.nodes, left.remedy.summary), (left, []))
            group[1].append(one.daemonset.key)
    return list(groups.values())


def _gains(option: Option, one: Proposal, labels: Labels) -> str:
    """The nodes, by name where they are not those that the proposal is for."""
    effect = option.effect
    named = "these nodes" if set(effect.gains) == set(one.targets) else described(effect.gains, labels)
    parts = [f"gains {named}"] if effect.gains else ["gains no node"]
    parts += [f"loses {described(effect.loses, labels)}"] if effect.loses else ["loses none"]
    return "; ".join(parts)


def comes_with(option: Option) -> Iterator[str]:
    """What comes with an option beside nodes gained and lost, one text for each thing."""
    outlook = option.outlook
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
    for manager, field, applies in outlook.managers:
        after = ", and its next server-side apply will conflict" if applies else ""
        yield f"field manager {manager} loses {field} by a live patch{after}"
    if outlook.fate:
        owner = f"{outlook.owner} {outlook.owner_name}" if outlook.owner != "none" else outlook.owner_name
        yield f"kept by {owner}: a live edit is {outlook.fate}"


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _restarts(outlook: Outlook) -> str:
    if outlook.on_delete:
        return "restarts nothing by itself (OnDelete): pods that run keep the old template until they are deleted"
    many = outlook.restarts or outlook.waiting
    if not many:
        return "restarts no pod"
    budget = f", at most {outlook.at_once} at a time" if outlook.at_once and many > 1 else ""
    if not outlook.restarts:
        return f"lets the rollout that waits go on: {_pods(many)} of an old revision restart{budget}"
    pods = "1 pod" if many == 1 else f"all {many} pods"
    return f"restarts {pods}{budget} (a rollout does not heed PodDisruptionBudgets)"


def promised(checks: Sequence[Check], name: str, lost: Sequence[str] = ()) -> Iterator[str]:
    """That all is as promised, and which nodes were not waited for since they do not report."""
    nodes = f"{len(checks)} node{'' if len(checks) == 1 else 's'}"
    yield f"verified {name}: {nodes} as promised" if checks else f"verified {name}"
    if lost:
        more = f" and {len(lost) - _FEW} more" if len(lost) > _FEW else ""
        yield plain(f"{name}: not waited for, since they do not report: {', '.join(lost[:_FEW])}{more}")


def unmet(left: Sequence[Check], name: str) -> Iterator[str]:
    """The nodes that are not as promised, with what is there instead."""
    for check in left[:_FEW]:
        why = f" ({', '.join(check.causes)})" if check.causes else ""
        yield plain(f"{name}: {check.node} is {check.state}{why}")
    if len(left) > _FEW:
        yield f"and {len(left) - _FEW} more nodes"
