"""What tolerations are certainly needed: the least covers of the taints that bar nodes to enter, part by part.

Taints that no move lifts together, and moves that claim no place together, make parts that have nothing to do with each
other. So the least cover of each, as if nothing else mattered, adds up to a bound for any plan, in edits and breadth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from dscov.planner.fleet import Bits, places
from dscov.planner.moves import Move, Tolerating

#: Edits and breadth, compared in this order.
Need = tuple[int, int]
#: How many sets of moves are looked at for one cover before it counts as broad as nothing.
_STEPS = 300


@dataclass(frozen=True, slots=True)
class Way:
    """A move that mends a place, and what is needed if it is taken: for the move and for what then is left."""

    move: Move
    needs: Need


class Covers:
    """The moves that lift taints, as bits of their numbers; the narrowest come first."""

    def __init__(self, needed: Bits, moves: Collection[Tolerating]) -> None:
        #: The taints that have to be lifted, as bits of their places in the problem.
        self.needed = needed
        self._moves: Sequence[Tolerating] = sorted(moves, key=lambda move: (move.breadth, move.text))
        self._lifts = [move.lifts & needed for move in self._moves]
        self._lifting = dict.fromkeys(places(needed), 0)
        claiming: dict[str, Bits] = {}
        for number, move in enumerate(self._moves):
            for place in places(self._lifts[number]):
                self._lifting[place] |= 1 << number
            for slot in move.slots:
                claiming[slot] = claiming.get(slot, 0) | 1 << number
        self._clashing = [
            reduce(or_, (claiming[slot] for slot in move.slots), 1 << number) for number, move in enumerate(self._moves)
        ]
        self._numbers = {move: number for number, move in enumerate(self._moves)}
        self._parts = _parts([*self._lifting.items()], claiming.values())
        self._known: dict[tuple[Bits, Bits], Need | None] = {}
        self._steps = 0

    def free(self, plan: Collection[Move]) -> Bits:
        """The moves that may be taken beside a plan."""
        taken = 0
        for move in plan:
            if isinstance(move, Tolerating):
                taken |= self._clashing[self._numbers[move]]
        return ((1 << len(self._moves)) - 1) & ~taken

    def ways(self, barring: Bits, free: Bits) -> Iterator[list[Way]]:
        """For each part with a taint to be lifted yet, the ways to lift the one with the fewest; none where it stays."""
        for part in self._parts:
            if barring & part:
                yield self._ways(barring & part, free)

    def _ways(self, barring: Bits, free: Bits) -> list[Way]:
        found = []
        for number in places(self._fewest(barring, free)):
            rest = self._least(barring & ~self._lifts[number], free & ~self._clashing[number])
            if rest is not None:
                move = self._moves[number]
                found.append(Way(move, (move.edits + rest[0], move.breadth + rest[1])))
        return found

    def _fewest(self, barring: Bits, free: Bits) -> Bits:
        return min((self._lifting[place] & free for place in places(barring)), key=int.bit_count)

    def _least(self, barring: Bits, free: Bits) -> Need | None:
        """The edits of the least cover, and its breadth or less; None where there is none."""
        useful = 0
        for place in places(barring):
            useful |= self._lifting[place] & free
        if (barring, useful) not in self._known:
            self._known[barring, useful] = self._sought(barring, useful)
        return self._known[barring, useful]

    def _sought(self, barring: Bits, free: Bits) -> Need | None:
        self._steps = _STEPS
        for most in range(self._apart(barring, free), barring.bit_count() + 1):
            breadth = self._within(barring, free, most)
            if breadth is not None:
                return most, breadth
        return None

    def _apart(self, barring: Bits, free: Bits) -> int:
        """How many taints there are at least of which no move lifts two."""
        count = used = 0
        for place in places(barring):
            if not self._lifting[place] & free & used:
                count, used = count + 1, used | self._lifting[place] & free
        return count

    def _within(self, barring: Bits, free: Bits, most: int) -> int | None:
        """The least breadth of a cover of so many moves, 0 where patience ends; None where there is none."""
        self._steps -= 1
        if self._steps < 0:
            return 0
        breadth = 0
        while barring:
            fewest = self._fewest(barring, free)
            if not fewest or most <= 0:
                return None
            if fewest & (fewest - 1):
                break
            number = fewest.bit_length() - 1
            barring, free = barring & ~self._lifts[number], free & ~self._clashing[number]
            breadth, most = breadth + self._moves[number].breadth, most - 1
        if not barring:
            return breadth
        if self._apart(barring, free) > most:
            return None
        found = [
            self._moves[number].breadth + rest
            for number in places(fewest)
            if (rest := self._within(barring & ~self._lifts[number], free & ~self._clashing[number], most - 1))
            is not None
        ]
        return breadth + min(found) if found else None


def _parts(lifting: Sequence[tuple[int, Bits]], claiming: Collection[Bits]) -> list[Bits]:
    """The places in parts: those that a move lifts together, or moves that claim one place."""
    parts: list[tuple[Bits, Bits]] = []
    for places_, moves in [*((1 << place, moves) for place, moves in lifting), *((0, moves) for moves in claiming)]:
        whole, apart = (places_, moves), []
        for part in parts:
            if part[1] & whole[1]:
                whole = whole[0] | part[0], whole[1] | part[1]
            else:
                apart.append(part)
        parts = [*apart, whole]
    return [found for found, _ in parts if found]
