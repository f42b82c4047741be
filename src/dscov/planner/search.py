"""The least plan, exactly: deeper step by step, and at each depth only along moves that mend what is still wrong.

A set of moves that does not reach its aims breaks one of them in some place: a taint that bars a node, an entry that
keeps one out, a node that is still let in. Whatever plan contains these moves and reaches the aims has a move more
that changes just that place; so it is enough to go on with those, and no plan of the depth is passed over. What is
certainly still needed bounds the search: places that no single move mends together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dscov.planner.covers import Covers, Need, Way
from dscov.planner.fleet import Bits, places
from dscov.planner.moves import Move, Narrowing, Reshaping, Selecting, Tolerating
from dscov.planner.problem import Aims, Outcome, Problem

#: How many sets of moves are looked at before the search gives up on an exact answer, and then on any.
PATIENCE = 4_000
#: How many choices one after another are looked at (what has one way only is no choice).
_CHOICES = 400
_ANY = sys.maxsize

#: Edits, breadth, nodes gained or lost beside the aims, and the texts, so that there is one order of all plans.
Cost = tuple[int, int, int, tuple[str, ...]]
_Plan = frozenset[Move]


@dataclass(frozen=True, slots=True)
class Answer:
    """The plan, None where there is none. No plan has fewer than `bound` edits; `least` says that it has no more.

    Where patience lasted, `least` means least by all parts of the cost, or that there is certainly no plan.
    """

    moves: tuple[Move, ...] | None
    least: bool
    bound: int = 0


def cost_of(problem: Problem, aims: Aims, moves: _Plan) -> Cost:
    """What a plan costs, part by part: see Cost."""
    after, before = problem.outcome(moves), problem.base
    beside = (after.runs ^ before.runs) & ~aims.enter & ~aims.leave
    texts = tuple(sorted(move.text for move in moves))
    return sum(move.edits for move in moves), sum(move.breadth for move in moves), beside.bit_count(), texts


def solve(problem: Problem, aims: Aims, moves: Sequence[Move], *, patience: int = PATIENCE) -> Answer:
    """The least set of moves that reaches the aims."""
    search = _Search(problem, aims, moves, patience)
    limit: Need | None = (0, 0)
    while limit is not None:
        edits = limit[0]
        search.look(limit)
        if search.best is not None:
            return Answer(search.ordered(), least=True, bound=edits)
        if search.tired:
            plan = _any_plan(problem, aims, moves, patience)
            least = plan is not None and sum(move.edits for move in plan) == edits
            return Answer(plan, least=least, bound=edits)
        limit = search.deeper
        if limit is not None and limit[0] == edits:
            # Narrow plans were tried first; now those of this many edits whatever their breadth.
            limit = edits, _ANY
    return Answer(None, least=True)


def _any_plan(problem: Problem, aims: Aims, moves: Sequence[Move], patience: int) -> tuple[Move, ...] | None:
    """Some plan, the most useful moves first."""
    search = _Search(problem, aims, moves, patience, greedy=True)
    search.look((_ANY, _ANY))
    return search.ordered() if search.best is not None else None


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A place that is wrong, and the ways to mend it; what is independent of it has another topic."""

    ways: Sequence[Way]
    topic: str

    @property
    def needs(self) -> Need:
        """What is needed to mend it, at least."""
        if self.topic == "taint":
            return min(way.needs for way in self.ways)
        return min(way.needs[0] for way in self.ways), min(way.needs[1] for way in self.ways)


class _Search:
    """One search: the best plan so far, and what is left of the patience."""

    def __init__(
        self, problem: Problem, aims: Aims, moves: Sequence[Move], patience: int, *, greedy: bool = False
    ) -> None:
        self.problem, self.aims, self.patience, self.greedy = problem, aims, patience, greedy
        needed = sum(1 << place for place, bits in enumerate(problem.tainted) if bits & aims.enter)
        self.covers = Covers(needed & problem.base.barring, [one for one in moves if isinstance(one, Tolerating)])
        self.others = [move for move in moves if not isinstance(move, Tolerating)]
        self.best: _Plan | None = None
        self.best_cost: Cost | None = None
        #: The least need beyond the limit, and whether patience ran out.
        self.deeper: Need | None = None
        self.tired = False
        self.limit: Need = (0, 0)
        self.seen: set[_Plan] = set()

    def ordered(self) -> tuple[Move, ...]:
        """The moves of the best plan."""
        return tuple(sorted(self.best or (), key=lambda move: move.text))

    def look(self, limit: Need) -> None:
        """Look at every plan up to the limit."""
        self.limit, self.deeper, self.seen = limit, None, set()
        self._go_on(frozenset(), 0)

    def _go_on(self, plan: _Plan, choices: int) -> None:
        if plan in self.seen or self.tired or (self.greedy and self.best is not None):
            return
        self.seen.add(plan)
        self.patience -= 1
        if self.patience < 0 or choices > _CHOICES:
            self.tired = True
            return
        outcome = self.problem.outcome(plan)
        if self._is_dead(plan, outcome):
            return
        wrong = list(self._wrong(plan, outcome))
        if any(not one.ways for one in wrong):
            return
        if not wrong:
            self._keep(plan)
            return
        choosable = self._choosable(plan, wrong)
        forced = frozenset(ways[0].move for ways in choosable if len(ways) == 1)
        if forced and all(choosable):
            if _go_together(forced):
                self._go_on(plan | forced, choices)
        elif choosable:
            for way in min(choosable, key=len):
                self._go_on(plan | {way.move}, choices + 1)

    def _choosable(self, plan: _Plan, wrong: Sequence[_Wrong]) -> list[list[Way]]:
        """The ways that stay within the limit for each place that is wrong, the best first; none where none does."""
        counted = _counted(wrong)
        edits = sum(move.edits for move in plan) + sum(one.needs[0] for one in counted)
        breadth = sum(move.breadth for move in plan) + sum(one.needs[1] for one in counted)
        if self._is_beyond((edits, breadth)):
            return []
        return [
            [
                way
                for way in sorted(one.ways, key=lambda way: (way.needs, way.move.breadth, way.move.text))
                if one not in counted
                or not self._is_beyond((edits - one.needs[0] + way.needs[0], breadth - one.needs[1] + way.needs[1]))
            ]
            for one in wrong
        ]

    def _is_beyond(self, need: Need) -> bool:
        """Whether plans that need so much are no part of this look, or no better than the best."""
        if need > self.limit:
            self.deeper = min(need, self.deeper or need)
            return True
        return self.best_cost is not None and need > self.best_cost[:2]

    def _keep(self, plan: _Plan) -> None:
        cost = cost_of(self.problem, self.aims, plan)
        if self.best_cost is None or cost < self.best_cost:
            self.best, self.best_cost = plan, cost

    # -- what is wrong ------------------------------------------------------------------------------------------------

    def _is_dead(self, plan: _Plan, outcome: Outcome) -> bool:
        """Whether the plan keeps out, by what it asks itself, a node that must be let in."""
        inside = self.aims.inside
        if inside & ~outcome.asked:
            return True
        return any(inside & ~move.admits for move in plan if isinstance(move, Selecting))

    def _wrong(self, plan: _Plan, outcome: Outcome) -> Iterator[_Wrong]:
        aims, free = self.aims, self._free(plan)
        for ways in self.covers.ways(outcome.barring, self.covers.free(plan)):
            yield _Wrong(ways, "taint")
        for name, bits in outcome.entries.items():
            out = aims.inside & ~bits
            if out:
                fitting = [one for one in free if isinstance(one, Selecting) and one.entry == name]
                yield _wrong([one for one in fitting if not out & ~one.admits], name)
        if aims.inside & ~outcome.affinity:
            yield _wrong([one for one in free if isinstance(one, Reshaping)], "affinity")
        inside = (outcome.goes_on & aims.leave) | (self._surely_runs(outcome) & aims.closed)
        if inside:
            yield _wrong([one for one in free if _shuts(one, inside & -inside)], "inside")

    def _surely_runs(self, outcome: Outcome) -> Bits:
        """The nodes that run where the taints of all nodes to enter are lifted, as they must be."""
        barred = 0
        for place in places(outcome.barring & ~self.covers.needed):
            barred |= self.problem.tainted[place]
        return outcome.selected & ~barred & self.problem.project

    def _free(self, plan: _Plan) -> list[Move]:
        claimed = frozenset[str]().union(*(move.slots for move in plan))
        return [move for move in self.others if move not in plan and not move.slots & claimed]


def _shuts(move: Move, node: Bits) -> bool:
    """Whether a move may keep the node out."""
    match move:
        case Narrowing():
            return not move.within & node
        case Selecting():
            return not move.admits & node
        case _:
            return isinstance(move, Reshaping)


def _wrong(moves: Sequence[Move], topic: str) -> _Wrong:
    return _Wrong([Way(move, (move.edits, move.breadth)) for move in moves], topic)


def _go_together(moves: _Plan) -> bool:
    slots = [slot for move in moves for slot in move.slots]
    return len(slots) == len(set(slots))


def _counted(wrong: Sequence[_Wrong]) -> list[_Wrong]:
    """Places of which no move mends two, so that what each needs is certainly needed."""
    selecting = any(one.topic not in {"taint", "inside"} for one in wrong)
    return [one for one in wrong if one.topic != "inside" or not selecting]
