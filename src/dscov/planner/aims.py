"""From verdicts to aims: which of the chosen pairs a change of the spec can cure, and what must stay as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dscov.causes import cause_of
from dscov.kube.taints import Toleration
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Coverage, Finding, Pair, Remedy
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.owners import owner_of
from dscov.model.tolerations import LIST
from dscov.planner.fleet import Bits, Fleet
from dscov.planner.problem import Aims, Problem
from dscov.planner.tolerating import must_tolerate
from dscov.simulation import Operation, patched

#: Causes that call a selector meant; where the nodes are declared, the selector is what is wrong.
_BY_SELECTION = frozenset({"node-selector-no-match", "node-affinity-no-match", "node-affinity-excludes"})


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done for one DaemonSet: the `aims` by placement, and the findings that speak of them.

    `besides` are findings that a patch cures without a change of placement (priority, update strategy, ...).
    """

    aims: Aims
    chosen: Bits
    #: Those of the chosen nodes that have a gap; the others have a daemon that is unwanted.
    gaps: Bits
    placing: tuple[Finding, ...] = ()
    besides: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()


def task_of(problem: Problem, coverage: Coverage, chosen: Bits, *, risky: Bits, whole: Sequence[str]) -> Task:
    """The task for the `chosen` nodes.

    `risky` are those where a pod runs that would not be made anew; `whole` are the causes of the DaemonSet as a whole
    that count too.
    """
    fleet = problem.fleet
    serious = tuple(one for one in coverage.findings if one.severity != "info" and one.remedy)
    spoken = tuple(one for one in serious if bits_of(fleet, one.nodes) & (chosen | risky) or one.cause in whole)
    barred = 0
    for finding in coverage.findings:
        if _bars(finding) and not _is_curable(problem, finding):
            barred |= bits_of(fleet, finding.nodes)
    aims = _aims(problem, coverage.pairs, chosen | risky, barred)
    besides = tuple(one for one in spoken if _is_beside(coverage.daemonset, one.remedy))
    cured = aims.enter | aims.leave
    placing = tuple(one for one in spoken if one not in besides and bits_of(fleet, one.nodes) & cured)
    gaps = bits_of(fleet, (pair.node for pair in coverage.pairs if pair.verdict.gap)) & chosen
    return Task(aims, chosen, gaps, placing, besides, spoken)


def bits_of(fleet: Fleet, names: Iterable[str]) -> Bits:
    """The nodes of these names, as a set."""
    whole = 0
    for name in names:
        whole |= fleet.bit.get(name, 0)
    return whole


def _aims(problem: Problem, pairs: Iterable[Pair], chosen: Bits, barred: Bits) -> Aims:
    enter = leave = keep = stay = closed = 0
    bit_of, goes_on = problem.fleet.bit, problem.base.goes_on
    for pair in pairs:
        bit, verdict = bit_of[pair.node], pair.verdict
        if verdict.unwanted:
            leave |= bit & chosen & goes_on
            closed |= bit if not verdict.should_run else 0
            continue
        if verdict.should_run:
            keep |= bit
        elif verdict.expected:
            enter |= bit & chosen & ~barred
        else:
            closed |= bit
        if pair.pods and verdict.should_continue_running and _is_a_place(problem, pair, verdict.expected):
            stay |= bit
    return Aims(enter, leave, keep, stay, closed)


def _is_a_place(problem: Problem, pair: Pair, expected: bool) -> bool:
    """Whether a pod may well be there: it is expected, or the node is a machine of no foreign system."""
    node = problem.fleet.world.nodes[pair.node]
    return expected or not (is_virtual(node) or is_foreign(problem.daemonset, node))


def _bars(finding: Finding) -> bool:
    cause = cause_of(finding.cause)
    return cause.stage == 1 and "excluded" in cause.looks_at


def _is_curable(problem: Problem, finding: Finding) -> bool:
    """Whether a change of the spec is right: the cause offers one, it is declared so, or nobody else could lift it."""
    if finding.remedy and finding.remedy.patch:
        return True
    scope = problem.fleet.world.scopes.get(problem.daemonset.key)
    if finding.cause in _BY_SELECTION and scope is not None and scope.expect is not None:
        return True
    key = dict(finding.facts).get("key", "")
    return any(
        taint.key == key and must_tolerate(problem.fleet.world, problem.daemonset, taint) for taint in problem.taints
    )


def _is_beside(daemonset: DaemonSet, remedy: Remedy | None) -> bool:
    """Whether a remedy is a patch that leaves alone where pods are placed.

    An owner that would undo it makes it one for the source; where there is none, the cause itself points elsewhere.
    """
    if remedy is None or not remedy.patch or (remedy.kind != "patch" and not owner_of(daemonset).reverts):
        return False
    if _adds_tolerations(daemonset, remedy.patch):
        return False
    before, after = daemonset.template, patched(daemonset, remedy.patch).template
    same = (before.node_name, before.node_selector, before.affinity) == (
        after.node_name,
        after.node_selector,
        after.affinity,
    )
    return same and _endless(before.own_tolerations) == _endless(after.own_tolerations)


def _adds_tolerations(daemonset: DaemonSet, patch: Iterable[Operation]) -> bool:
    """Whether a patch does nothing else, so that there are certainly more of them afterwards."""
    own = len(daemonset.template.own_tolerations)
    return all(
        one["op"] == "add" and (one["path"] == f"{LIST}/-" or (one["path"] == LIST and len(one["value"]) > own))
        for one in patch
    )


def _endless(tolerations: Iterable[Toleration]) -> list[tuple[str, str, str, str]]:
    return [(one.key, one.operator, one.value, one.effect) for one in tolerations]
