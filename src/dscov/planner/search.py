"""The least plan, exactly: deeper step by step, and at each depth only along moves that mend what is still wrong.

A set of moves that does not reach its aims breaks one of them in some place: a taint that bars a node, an entry that
keeps one out, a node that is still let in. Whatever plan contains these moves and reaches the aims has a move more
that changes just that place; so it is enough to go on with those, and no plan of the depth is passed over. What is
certainly still needed bounds the search: places that no single move mends together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dscov.planner.fleet import Bits, places
from dscov.planner.moves import Move, Narrowing, Reshaping, Selecting, Tolerating
from dscov.planner.problem import Aims, Outcome, Problem

#: How many sets of moves are looked at before the search gives up on an exact answer, and then on any.
PATIENCE = 20_000

#: Edits, breadth, nodes gained or lost beside the aims, and the texts, so that there is one order of all plans.
Cost = tuple[int, int, int, tuple[str, ...]]
_Plan = frozenset[Move]


@dataclass(frozen=True, slots=True)
class Answer:
    """The plan, None where there is none; `least` where that is proven. No plan has fewer than `bound` edits."""

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
    depth: int | None = 0
    while depth is not None:
        search.look(depth)
        if search.tired:
            return Answer(_any_plan(problem, aims, moves, patience), least=False, bound=depth)
        if search.best is not None:
            return Answer(search.ordered(), least=True, bound=depth)
        depth = search.deeper
    return Answer(None, least=True)


def _any_plan(problem: Problem, aims: Aims, moves: Sequence[Move], patience: int) -> tuple[Move, ...] | None:
    """Some plan, the most useful moves first."""
    search = _Search(problem, aims, moves, patience, greedy=True)
    search.look(sum(move.edits for move in moves))
    return search.ordered() if search.best is not None else None


@dataclass(slots=True)
class _Wrong:
    """A place that is wrong, the moves that could mend it, and whether another place may be mended by the same."""

    moves: list[Move]
    #: What is independent of it has another topic; taints are compared move by move.
    topic: str


@dataclass(slots=True)
class _Search:
    problem: Problem
    aims: Aims
    moves: Sequence[Move]
    patience: int
    greedy: bool = False
    best: _Plan | None = None
    best_cost: Cost | None = None
    #: The least depth that a branch left for its depth may need, and whether patience ran out.
    deeper: int | None = None
    tired: bool = False
    seen: set[_Plan] = field(default_factory=set)

    def ordered(self) -> tuple[Move, ...]:
        return tuple(sorted(self.best or (), key=lambda move: move.text))

    def look(self, depth: int) -> None:
        """Look at every plan of that many edits."""
        self.deeper, self.seen = None, set()
        self._go_on(frozenset(), depth)

    def _go_on(self, plan: _Plan, depth: int) -> None:
        if plan in self.seen or self.tired or (self.greedy and self.best is not None):
            return
        self.seen.add(plan)
        self.patience -= 1
        if self.patience < 0:
            self.tired = True
            return
        outcome = self.problem.outcome(plan)
        if self._is_dead(plan, outcome):
            return
        wrong = list(self._wrong(plan, outcome))
        if any(not one.moves for one in wrong):
            return
        if not wrong:
            self._keep(plan)
            return
        edits, breadth = _needed(wrong)
        edits += sum(move.edits for move in plan)
        if edits > depth:
            self.deeper = min(edits, self.deeper or edits)
            return
        if self.best_cost and sum(move.breadth for move in plan) + breadth > self.best_cost[1]:
            return
        first = min(wrong, key=lambda one: len(one.moves))
        for move in self._in_order(first.moves):
            self._go_on(plan | {move}, depth)

    def _in_order(self, moves: list[Move]) -> list[Move]:
        def rank(move: Move) -> tuple[int, int, int, str]:
            return -_lifted(move) if self.greedy else 0, move.edits, move.breadth, move.text

        return sorted(moves, key=rank)

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
        free = self._free(plan)
        aims, problem = self.aims, self.problem
        for place in places(outcome.barring):
            if problem.tainted[place] & aims.enter:
                bit = 1 << place
                yield _Wrong([one for one in free if isinstance(one, Tolerating) and one.lifts & bit], "taint")
        for name, bits in outcome.entries.items():
            out = aims.inside & ~bits
            if out:
                fitting = [one for one in free if isinstance(one, Selecting) and one.entry == name]
                yield _Wrong([one for one in fitting if not out & ~one.admits], name)
        if aims.inside & ~outcome.affinity:
            yield _Wrong([one for one in free if isinstance(one, Reshaping)], "affinity")
        inside = (outcome.goes_on & aims.leave) | (self._surely_runs(outcome) & aims.closed)
        if inside:
            yield _Wrong([one for one in free if _shuts(one, inside & -inside)], "inside")

    def _surely_runs(self, outcome: Outcome) -> Bits:
        """The nodes that run where the taints of all nodes to enter are lifted, as they must be."""
        barred = 0
        for place in places(outcome.barring):
            barred |= 0 if self.problem.tainted[place] & self.aims.enter else self.problem.tainted[place]
        return outcome.selected & ~barred & self.problem.project

    def _free(self, plan: _Plan) -> list[Move]:
        claimed = frozenset[str]().union(*(move.slots for move in plan))
        return [move for move in self.moves if move not in plan and not move.slots & claimed]


def _shuts(move: Move, node: Bits) -> bool:
    """Whether a move may keep the node out."""
    match move:
        case Narrowing():
            return not move.within & node
        case Selecting():
            return not move.admits & node
        case _:
            return isinstance(move, Reshaping)


def _lifted(move: Move) -> int:
    return move.lifts.bit_count() if isinstance(move, Tolerating) else 0


def _needed(wrong: Sequence[_Wrong]) -> tuple[int, int]:
    """Edits and breadth that are certainly still needed: those of places of which no move mends two."""
    edits = breadth = 0
    used: set[Move] = set()
    topics = {one.topic for one in wrong}
    for one in wrong:
        if one.topic == "taint" and not used.isdisjoint(one.moves):
            continue
        if one.topic == "inside" and topics - {"taint", "inside"}:
            continue
        used.update(one.moves)
        edits += min(move.edits for move in one.moves)
        breadth += min(move.breadth for move in one.moves)
    return edits, breadth
