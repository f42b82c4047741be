"""Snapshot -> proposals: one diagnosis, then for every troubled DaemonSet the least plan and its alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from dscov.causes import cause_of
from dscov.diagnosis import diagnosed, world_of
from dscov.model.cluster import DaemonSet, Snapshot
from dscov.model.findings import Coverage, Diagnosis, Finding, Remedy, Verdict
from dscov.model.policy import DEFAULTS, Settings
from dscov.model.proposals import Left, Proposal
from dscov.planner.aims import Task, bits_of, task_of
from dscov.planner.fleet import Bits, Fleet
from dscov.planner.options import Solved, solved
from dscov.planner.problem import Problem

_ROLLOUT = 7

#: (DaemonSet, node, causes) -> whether that pair is to be planned for. The node is empty for what is wrong with the
#: DaemonSet as a whole (a rollout, say).
Chooses = Callable[[DaemonSet, str, tuple[str, ...]], bool]


def _silent(_text: str) -> None:
    """Report no progress."""


def propose(
    snapshot: Snapshot,
    *,
    now: datetime,
    settings: Settings = DEFAULTS,
    wants: Callable[[DaemonSet], bool] = lambda _: True,
    targets: Chooses = lambda *_: True,
    progress: Callable[[str], None] = _silent,
) -> tuple[Diagnosis, tuple[Proposal, ...]]:
    """Diagnose the DaemonSets that `wants`, and plan for the gaps and unwanted placements that `targets` chooses.

    Nodes that are not chosen are judged too: a plan must neither lose one nor let the daemon in where it does not belong.
    Where there is something to plan for, pods that a rollout would take away for good are planned for as well.
    `progress` is called with how far the planning is, e.g. `3 of 60 DaemonSets`.
    """
    world = world_of(snapshot, now=now, settings=settings, wants=wants)
    diagnosis = diagnosed(world, wants=wants)
    fleet = Fleet(world)
    found: list[Proposal] = []
    for number, one in enumerate(diagnosis.coverage, 1):
        progress(f"{number} of {len(diagnosis.coverage)} DaemonSets")
        proposal = _proposal(fleet, one, targets)
        found += [proposal] if proposal is not None else []
    return diagnosis, tuple(found)


def _proposal(fleet: Fleet, coverage: Coverage, targets: Chooses) -> Proposal | None:
    """None where nothing is chosen."""
    daemonset = coverage.daemonset
    chosen = risky = 0
    for pair in coverage.pairs:
        verdict = pair.verdict
        wrong = verdict.gap or verdict.unwanted
        if (wrong or _is_at_risk(verdict)) and targets(daemonset, pair.node, verdict.causes):
            bit = fleet.bit.get(pair.node, 0)
            chosen, risky = (chosen | bit, risky) if wrong else (chosen, risky | bit)
    whole = {one.cause for one in coverage.findings if one.severity != "info" and _is_of_the_whole(one)}
    asked = [cause for cause in sorted(whole) if targets(daemonset, "", (cause,))]
    if (not chosen and not asked) or not fleet.world.sees_nodes:
        return None
    problem = Problem(fleet, daemonset)
    task = task_of(problem, coverage, chosen, risky=risky, whole=asked)
    return _told(problem, task, solved(problem, task))


def _is_at_risk(verdict: Verdict) -> bool:
    """Whether a pod serves a node where the controller would make no other: a rollout takes it away for good."""
    return verdict.state == "misscheduled" and verdict.expected and bool(verdict.should_continue_running)


def _is_of_the_whole(finding: Finding) -> bool:
    """Whether a finding is no matter of single nodes: a rollout that stands still leaves all nodes without a gap."""
    stands = cause_of(finding.cause).stage == _ROLLOUT and finding.remedy is not None and bool(finding.remedy.patch)
    return stands or not finding.nodes


def _told(problem: Problem, task: Task, found: Solved) -> Proposal:
    fleet, answer = problem.fleet, found.answer
    cured: Bits = 0
    if found.options:
        cured = found.aims.enter | found.aims.leave
        # A rollout that goes on again makes no node well.
        for finding in (one for one in task.besides if cause_of(one.cause).stage < _ROLLOUT):
            cured |= bits_of(fleet, finding.nodes) & task.chosen
    cost = sum(move.edits for move in answer.moves or ()) + len(task.besides) * bool(found.options)
    return Proposal(
        problem.daemonset,
        fleet.names(cured),
        found.options,
        least=answer.least,
        cost=cost,
        bound=cost if answer.least else answer.bound + len(task.besides),
        left=tuple(_left(problem, task, cured)),
    )


def _left(problem: Problem, task: Task, cured: Bits) -> Iterator[Left]:
    """What is left as it is: for every node at least one finding, those first that no patch cures."""
    fleet, told = problem.fleet, 0
    uncured = task.chosen & ~cured
    going = uncured & ~task.gaps & ~problem.base.goes_on
    for finding in task.findings:
        nodes = bits_of(fleet, finding.nodes) & uncured & ~going
        remedy = finding.remedy
        if remedy is None or remedy.patch or (finding.nodes and not nodes):
            continue
        told |= nodes
        yield Left(finding.cause, fleet.names(nodes), remedy)
    for finding in task.findings:
        untold = bits_of(fleet, finding.nodes) & uncured & ~told
        told |= untold
        for nodes, remedy in _reasons(problem, task, untold, finding.remedy):
            if nodes:
                yield Left(finding.cause, fleet.names(nodes), remedy)


def _reasons(problem: Problem, task: Task, nodes: Bits, remedy: Remedy | None) -> Iterator[tuple[Bits, Remedy]]:
    """Why a finding that has a patch, or is of an unwanted daemon, is left, by the nodes that it is left on."""
    runs, goes_on = problem.base.runs, problem.base.goes_on
    barred, unwanted = nodes & task.gaps & ~runs, nodes & ~task.gaps
    own = f"; the cause's own way is: {remedy.summary}" if remedy else ""
    yield (
        barred,
        Remedy("no-patch", _TELL_APART, why=f"no change of the template lets it in here and nowhere else{own}"),
    )
    yield (
        unwanted & goes_on,
        Remedy("no-patch", _TELL_APART, why=f"no change of the template keeps it out here alone{own}"),
    )
    yield unwanted & ~goes_on, Remedy("no-patch", "nothing: the controller takes the daemon off these nodes by itself")
    if remedy:
        yield nodes & task.gaps & runs, remedy


_TELL_APART = "give these nodes a label by which they differ from the others, or change what is meant"
