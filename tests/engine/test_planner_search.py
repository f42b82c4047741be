"""The search and its bound: least covers against every set of moves, many keys, and what is said when patience ends."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from itertools import combinations

import pytest
from engine.build import NOW, daemonset, node, snapshot

from dscov.diagnosis import world_of
from dscov.kube.taints import Toleration
from dscov.model.policy import DEFAULTS
from dscov.planner import propose
from dscov.planner.covers import Covers
from dscov.planner.fleet import Fleet
from dscov.planner.moves import Tolerating, add_toleration
from dscov.planner.options import _largest
from dscov.planner.problem import Aims, Problem
from dscov.planner.search import solve
from dscov.planner.tolerating import tolerating_moves


def some_moves(rng: random.Random, places: int) -> list[Tolerating]:
    def move(number: int) -> Tolerating:
        slots = frozenset({f"toleration {rng.randrange(2)}"}) if rng.random() < 0.4 else frozenset[str]()
        lifts = rng.randrange(1, 1 << places)
        return Tolerating(f"m{number}", rng.choice([1, 3, 5, 7]), lambda _: (), slots, lifts=lifts)

    return [move(number) for number in range(rng.randint(1, 7))]


def cheapest(moves: list[Tolerating], needed: int) -> tuple[int, int] | None:
    """Every set of moves, tried."""
    found = []
    for count in range(len(moves) + 1):
        for plan in combinations(moves, count):
            lifted = 0
            for move in plan:
                lifted |= move.lifts
            slots = [slot for move in plan for slot in move.slots]
            if not needed & ~lifted and len(slots) == len(set(slots)):
                found.append((count, sum(move.breadth for move in plan)))
    return min(found, default=None)


@pytest.mark.parametrize("seed", range(200))
def test_the_parts_add_up_to_the_least_cover(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 6)
    moves, needed = some_moves(rng, count), (1 << count) - 1
    covers = Covers(needed, moves)
    parts = list(covers.ways(needed, covers.free(())))
    needs = [min((way.needs for way in ways), default=None) for ways in parts]
    least = cheapest(moves, needed)
    if least is None:
        assert None in needs
    else:
        assert (sum(one[0] for one in needs if one), sum(one[1] for one in needs if one)) == least


def test_more_keys_than_calls_can_be_nested() -> None:
    nodes = [node(f"n{place}-{value}", f"k{place}=v{value}:NoSchedule") for place in range(1200) for value in range(2)]
    world = world_of(snapshot(daemonset(), *nodes), now=NOW, settings=DEFAULTS)
    problem = Problem(Fleet(world), world.snapshot.daemonsets[0])
    aims = Aims(enter=problem.fleet.all)
    answer = solve(problem, aims, tolerating_moves(problem, problem.base.barring))
    assert (answer.least, answer.bound, len(answer.moves or ())) == (True, 1200, 1200)
    assert problem.outcome(answer.moves or ()).runs == problem.fleet.all


def test_many_own_tolerations_that_miss_are_proven_least() -> None:
    own = [{"key": f"k{n}", "operator": "Equal", "value": "nope", "effect": "NoSchedule"} for n in range(30)]
    nodes = [
        node(f"n{n}-{v}-{e}", f"k{n}={v}:{e}") for n in range(30) for v in "ab" for e in ("NoSchedule", "NoExecute")
    ]
    _, (found,) = propose(snapshot(daemonset(spec={"tolerations": own}), *nodes), now=NOW)
    assert (found.least, found.cost, found.bound) == (True, 30, 30)


def test_where_patience_ends_the_gap_is_told() -> None:
    nodes = [node(f"n{place}", f"k{place}:NoSchedule") for place in range(6)]
    world = world_of(snapshot(daemonset(), *nodes), now=NOW, settings=DEFAULTS)
    problem = Problem(Fleet(world), world.snapshot.daemonsets[0])
    moves = [
        add_toleration(Toleration(taint.key, "Exists", "", effect), breadth=0, lifts=1 << place)
        for place, taint in enumerate(problem.taints)
        for effect in ("", "NoSchedule")
    ]
    aims = Aims(enter=problem.fleet.all)
    answer = solve(problem, aims, moves, patience=3)
    assert (answer.moves, answer.least, answer.bound) == (None, False, 6)
    assert solve(problem, aims, moves[2:]).moves is None
    # Patience for one plan of so few edits, not for all of them: no plan has fewer.
    answer = solve(problem, aims, moves, patience=9)
    assert (len(answer.moves or ()), answer.least, answer.bound) == (6, True, 6)


@pytest.mark.parametrize("seed", range(60))
def test_of_parts_that_do_not_all_go_together_those_with_the_most_nodes_are_taken(seed: int) -> None:
    """Against every subset; what does not go together does not in a larger set either, and a part alone does."""
    draw = random.Random(seed)
    parts, start = [], 0
    for size in sorted((draw.randint(1, 4) for _ in range(draw.randint(2, 6))), reverse=True):
        parts.append(((1 << size) - 1) << start)
        start += size
    apart = [frozenset(draw.sample(parts, min(len(parts), draw.choice((2, 2, 3))))) for _ in range(draw.randint(1, 4))]

    def go_together(chosen: Sequence[int]) -> bool:
        return not any(one <= frozenset(chosen) for one in apart)

    sizes = [
        sum(part.bit_count() for part in chosen)
        for size in range(1, len(parts) + 1)
        for chosen in itertools.combinations(parts, size)
        if go_together(chosen)
    ]
    found = _largest(parts, go_together)
    assert go_together(found)
    assert sum(part.bit_count() for part in found) == max(sizes)
