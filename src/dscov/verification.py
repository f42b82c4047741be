"""What was promised of a patch against what is observed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from dscov.model.findings import Coverage, Effect, Pair
from dscov.model.tally import WELL


class Check(msgspec.Struct, frozen=True):
    """One node of a promise. `met` says that it holds; else `state` and `causes` are what is there instead."""

    node: str
    met: bool
    state: str
    causes: tuple[str, ...] = ()


def verify(coverage: Coverage, *, targets: Sequence[str], effect: Effect) -> tuple[Check, ...]:
    """Each node that a patch promised something about: targets closed, gained nodes covered, lost nodes empty.

    A node that is gone by now has kept its promise.
    """
    pairs = {pair.node: pair for pair in coverage.pairs}
    nodes = dict.fromkeys((*targets, *effect.gains, *effect.loses))
    return tuple(_checked(pairs[node], effect) for node in nodes if node in pairs)


def is_through(coverage: Coverage) -> bool:
    """Whether every pod wanted is of the new revision and available, but for nodes that are `lost`: nothing ends there."""
    passed_over = lost(coverage)
    wanted = [pair for pair in coverage.pairs if pair.verdict.should_run]
    return all(pair.verdict.state == "covered" or pair.node in passed_over for pair in wanted)


def lost(coverage: Coverage) -> tuple[str, ...]:
    """The nodes that a pod is wanted on and that do not report."""
    return tuple(pair.node for pair in coverage.pairs if pair.verdict.should_run and "node-lost" in pair.verdict.causes)


def broken(checks: Sequence[Check]) -> Iterator[Check]:
    """The promises that are not met."""
    return (check for check in checks if not check.met)


def _checked(pair: Pair, effect: Effect) -> Check:
    verdict = pair.verdict
    empty, well = not verdict.unwanted and not pair.pods, verdict.state in WELL and not verdict.gap
    met = empty if pair.node in effect.loses else well
    return Check(pair.node, met, verdict.state, verdict.causes)
