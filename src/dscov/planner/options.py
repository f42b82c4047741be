"""The best plan and the others worth a look, each as a patch whose effect the oracle confirms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_

from dscov.model.findings import Effect, Finding
from dscov.model.proposals import Option
from dscov.planner.aims import Task, bits_of
from dscov.planner.fleet import Bits
from dscov.planner.moves import Move, Narrowing, Patch, Reshaping, Selecting, Tolerating, written
from dscov.planner.narrowing import narrowing_moves
from dscov.planner.notes import notes_on
from dscov.planner.problem import Aims, Problem
from dscov.planner.search import Answer, Cost, cost_of, solve
from dscov.planner.selecting import reshaping_moves, selecting_moves
from dscov.planner.tolerating import breadth_of, distinct, tolerating_moves
from dscov.simulation import effect_of, patched

#: The most options of a proposal.
MOST = 4
#: Of so many parts that do not all go together every choice is looked at.
ALL_CHOICES = 8


@dataclass(frozen=True, slots=True)
class Solved:
    """The options, the answer of the search to the first, and what was aimed at."""

    options: tuple[Option, ...]
    answer: Answer
    aims: Aims


def moves_for(problem: Problem, aims: Aims, findings: Sequence[Finding]) -> list[Move]:
    """Every single edit that may be part of a plan."""
    barring = sum(1 << place for place, bits in enumerate(problem.tainted) if bits & aims.enter)
    return [
        *tolerating_moves(problem, barring),
        *selecting_moves(problem, aims.enter),
        *reshaping_moves(problem, aims.enter, findings),
        *narrowing_moves(problem, aims, findings),
    ]


def solved(problem: Problem, task: Task) -> Solved:
    """The options for the task."""
    aims, moves, answer = _reachable(problem, task)
    plans: list[tuple[Move, ...]] = []
    if answer.moves is not None:
        others = sorted(_others(problem, aims, moves, answer.moves), key=lambda plan: _cost(problem, aims, plan))
        plans = [answer.moves, *others]
        aims = _with_all_gained(problem, aims, task.gaps, plans)
    options = list(_options(problem, aims, task, plans))[:MOST]
    return Solved(tuple(options), answer, aims)


def _with_all_gained(problem: Problem, aims: Aims, gaps: Bits, plans: Sequence[Sequence[Move]]) -> Aims:
    """The aims with the gaps that every plan closes though nobody aimed at them."""
    gained = gaps & ~problem.base.runs
    for plan in plans:
        gained &= problem.outcome(plan).runs
    return dataclasses.replace(aims, enter=aims.enter | gained)


def _reachable(problem: Problem, task: Task) -> tuple[Aims, list[Move], Answer]:
    """The aims, less what no plan reaches, and the least plan."""
    aims, findings = task.aims, task.placing
    moves, answer = _planned(problem, aims, findings)
    if answer.moves is not None:
        return aims, moves, answer
    alone = [part for part in _alike(problem, aims, moves) if _is_reached(problem, _only(aims, part), findings)]
    reached = _only(aims, _union(alone))
    moves, answer = _planned(problem, reached, findings)
    if answer.moves is None:
        reached = _most(problem, aims, alone, findings)
        moves, answer = _planned(problem, reached, findings)
    return reached, moves, answer


def _planned(problem: Problem, aims: Aims, findings: Sequence[Finding]) -> tuple[list[Move], Answer]:
    if not aims.enter and not aims.leave:
        return [], Answer((), least=True)
    moves = moves_for(problem, aims, findings)
    return moves, solve(problem, aims, _tried(moves))


def _alike(problem: Problem, aims: Aims, moves: Sequence[Move]) -> list[Bits]:
    """The nodes to enter and to leave, in parts that nothing tells apart; the largest first."""
    marks = [*problem.tainted, *problem.entries.values(), problem.base.affinity]
    marks += [move.within for move in moves if isinstance(move, Narrowing)]
    parts = [aims.enter, aims.leave]
    for mark in dict.fromkeys(marks):
        parts = [piece for part in parts for piece in (part & mark, part & ~mark) if piece]
    return sorted(filter(None, parts), key=lambda part: -part.bit_count())


def _only(aims: Aims, part: Bits) -> Aims:
    return dataclasses.replace(aims, enter=aims.enter & part, leave=aims.leave & part)


def _union(parts: Sequence[Bits]) -> Bits:
    return reduce(or_, parts, 0)


def _is_reached(problem: Problem, aims: Aims, findings: Sequence[Finding]) -> bool:
    return _planned(problem, aims, findings)[1].moves is not None


def _most(problem: Problem, aims: Aims, parts: Sequence[Bits], findings: Sequence[Finding]) -> Aims:
    """The parts that go together and have the most nodes; of more than ALL_CHOICES parts one after another is taken."""

    def go_together(chosen: Sequence[Bits]) -> bool:
        return _is_reached(problem, _only(aims, _union(chosen)), findings)

    if len(parts) <= ALL_CHOICES:
        return _only(aims, _union(_largest(parts, go_together)))
    taken: list[Bits] = []
    for part in parts:
        if go_together([*taken, part]):
            taken.append(part)
    return _only(aims, _union(taken))


def _largest(parts: Sequence[Bits], go_together: Callable[[Sequence[Bits]], bool]) -> Sequence[Bits]:
    """Of the sets of parts that go together one with the most nodes; what two do not do no larger set does."""
    apart = [pair for pair in combinations(parts, 2) if not go_together(pair)]
    sets = [chosen for size in range(1, len(parts) + 1) for chosen in combinations(parts, size)]
    for chosen in sorted(sets, key=lambda chosen: -_union(chosen).bit_count()):
        if not any(one in chosen and other in chosen for one, other in apart) and (
            len(chosen) <= 2 or go_together(chosen)
        ):
            return chosen
    return ()


def _tried(moves: Sequence[Move]) -> list[Move]:
    tolerating = distinct([move for move in moves if isinstance(move, Tolerating)])
    return [*tolerating, *(move for move in moves if not isinstance(move, Tolerating))]


def _others(problem: Problem, aims: Aims, moves: Sequence[Move], best: Sequence[Move]) -> Iterator[tuple[Move, ...]]:
    """Plans of another form: only exact tolerations, any value, nothing changed in place, other labels."""

    def breadth(move: Move) -> int | None:
        return breadth_of(move.toleration, problem.fleet) if isinstance(move, Tolerating) else None

    ways: list[Callable[[Move], bool]] = [
        lambda move: breadth(move) in {None, 0},
        lambda move: not isinstance(move, Tolerating) or move.toleration.operator == "Exists",
        lambda move: not (isinstance(move, Tolerating) and move.place is not None),
        lambda move: isinstance(move, Tolerating) or move not in best,
    ]
    for way in ways:
        if all(way(move) for move in best):
            continue
        answer = solve(problem, aims, _tried([move for move in moves if way(move)]))
        if answer.moves is not None and _edits(answer.moves) <= _edits(best) + 1:
            yield answer.moves


def _edits(plan: Sequence[Move]) -> int:
    return sum(move.edits for move in plan)


def _cost(problem: Problem, aims: Aims, plan: Sequence[Move]) -> Cost:
    return cost_of(problem, aims, frozenset(plan))


def _options(problem: Problem, aims: Aims, task: Task, plans: Sequence[Sequence[Move]]) -> Iterator[Option]:
    shown: list[Patch] = []
    for plan in plans:
        made = _option(problem, aims, task, plan)
        if made is not None and made.patch and made.patch not in shown:
            shown.append(tuple(made.patch))
            yield made


def _option(problem: Problem, aims: Aims, task: Task, plan: Sequence[Move]) -> Option | None:
    """The plan as an option; None where the oracle does not confirm it."""
    daemonset = problem.daemonset
    texts = [move.text for move in sorted(plan, key=_turn)]
    patch: Patch = ()
    for finding in task.besides:
        if finding.remedy:
            patch += tuple(finding.remedy.patch)
            texts.append(finding.remedy.summary)
    try:
        patch += written(patched(daemonset, patch), plan)
        effect = effect_of(problem.fleet.world, daemonset, patch)
    except ValueError:
        return None
    if not _is_confirmed(problem, aims, effect):
        return None
    cost = _cost(problem, aims, plan)[:3]
    return Option("; ".join(texts), patch, effect, tuple(notes_on(problem, aims, plan, effect)), cost)


def _is_confirmed(problem: Problem, aims: Aims, effect: Effect) -> bool:
    gains, loses = bits_of(problem.fleet, effect.gains), bits_of(problem.fleet, effect.loses)
    left: Bits = aims.leave & problem.base.runs & ~loses
    return not (aims.enter & ~gains) and not gains & aims.closed and not loses & aims.inside and not left


_ORDER = (Reshaping, Selecting, Tolerating, Narrowing)


def _turn(move: Move) -> tuple[int, str]:
    return next(i for i, kind in enumerate(_ORDER) if isinstance(move, kind)), move.text
