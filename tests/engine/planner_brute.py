"""The planner's law by brute force: every set of edits up to a cost, judged by the oracle on the template it makes.

Tolerations and selection are asked apart, since a node has to pass both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import msgspec
from engine.planner_asked import TOLERATES_ALL, Edit
from engine.planner_universe import Universe


class Brute(Universe):
    """One DaemonSet and all plans for it."""

    def part(self, edits: frozenset[Edit], *, of_taints: bool) -> tuple[frozenset[str], frozenset[str]]:
        """The answers where only taints count, or only selection."""
        key = of_taints, edits
        if key not in self._asked:
            template = self.template(self.edited(edits))
            if of_taints:
                template = msgspec.structs.replace(template, node_name="", node_selector=(), affinity=None)
            else:
                template = msgspec.structs.replace(template, tolerations=TOLERATES_ALL)
            self._asked[key] = self.answers(template)
        return self._asked[key]

    def is_reached(self, runs: frozenset[str], goes_on: frozenset[str]) -> bool:
        return (
            self.enter | self.keep <= runs
            and self.stay <= goes_on
            and not self.leave & goes_on
            and not self.closed & runs
        )

    def cheapest(self, edits: int, breadth: int, beside: int) -> tuple[int, int, int] | None:
        """The least cost of a plan that reaches the aims, if it is not above the given one; else None.

        Every set of edits of tolerations that lets in all it has to, with every set of edits of selection that does.
        """
        universe = sorted(self.edits(), key=lambda one: (one.breadth, one.name))
        by_taints = self._fitting([one for one in universe if one.of_taints], edits, of_taints=True)
        least = min((len(one) for one, _ in by_taints), default=edits + 1)
        by_labels = self._fitting([one for one in universe if not one.of_taints], edits - least, of_taints=False)
        before = self.part(frozenset(), of_taints=True)[0] & self.part(frozenset(), of_taints=False)[0]
        found = []
        for (some, broad), (more, broader) in product(by_taints, by_labels):
            if len(some) + len(more) <= edits:
                (runs, goes_on), (lets_in, keeps) = self.part(some, of_taints=True), self.part(more, of_taints=False)
                if self.is_reached(runs & lets_in, goes_on & keeps):
                    other = ((runs & lets_in) ^ before) - self.enter - self.leave
                    found.append((len(some) + len(more), broad + broader, len(other)))
        cost = min(found, default=None)
        return cost if cost and cost <= (edits, breadth, beside) else None

    def _fitting(self, universe: list[Edit], most: int, *, of_taints: bool) -> list[tuple[frozenset[Edit], int]]:
        """The sets of up to so many edits that let in all they have to, each with its breadth."""
        found = []
        for count in range(most + 1):
            for edits, broad in _sets(universe, count):
                runs, goes_on = self.part(edits, of_taints=of_taints)
                if self.enter | self.keep <= runs and self.stay <= goes_on:
                    found.append((edits, broad))
        return found


def _sets(universe: list[Edit], count: int) -> Iterator[tuple[frozenset[Edit], int]]:
    """Every set of that many edits that go together, with its breadth."""
    for edits in combinations(universe, count):
        if sum(len(edit.slots) for edit in edits) == len(frozenset[str]().union(*(edit.slots for edit in edits))):
            yield frozenset(edits), sum(edit.breadth for edit in edits)
