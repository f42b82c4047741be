"""The planner's law: no smaller plan exists, it closes what it claims, opens nothing, gains and loses nothing else.

DSCOV_PLANNER_WORLDS sets how many random clusters are tried (5,000 for the figure in the documentation).
"""

from __future__ import annotations

import os

import pytest
from engine.build import NOW, snapshot
from engine.planner_brute import Brute
from engine.planner_worlds import world_of_seed

from dscov.causes import registry
from dscov.diagnosis import world_of
from dscov.model.findings import Coverage
from dscov.model.policy import DEFAULTS
from dscov.model.proposals import Option, Proposal
from dscov.model.world import World
from dscov.planner import propose
from dscov.simulation import patched

WORLDS = int(os.environ.get("DSCOV_PLANNER_WORLDS", "300"))
BATCH = 25
BARRING = {cause.slug for cause in registry() if cause.stage == 1 and "excluded" in cause.looks_at}


@pytest.mark.parametrize("batch", range((WORLDS + BATCH - 1) // BATCH))
def test_no_smaller_plan_exists_and_the_plan_keeps_its_word(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(seed)


def check(seed: int) -> None:
    seen = snapshot(*world_of_seed(seed))
    diagnosis, proposals = propose(seen, now=NOW)
    world = world_of(seen, now=NOW, settings=DEFAULTS)
    for proposal in proposals:
        (coverage,) = [one for one in diagnosis.coverage if one.daemonset.key == proposal.daemonset.key]
        brute = Brute(world, coverage, frozenset(proposal.targets))
        for option in proposal.options:
            keeps_its_word(seed, brute, option)
        if brute.enter or brute.leave:
            assert proposal.least, seed
            edits, breadth, beside = proposal.options[0].cost
            assert brute.cheapest(edits, breadth, beside) == (edits, breadth, beside), (seed, proposal.options[0])
        left_for_a_reason(seed, world, coverage, proposal)


def keeps_its_word(seed: int, brute: Brute, option: Option) -> None:
    """Simulated anew, it lets in and keeps out what it says, and touches nothing that it must not."""
    before = brute.answers(brute.daemonset.template)
    runs, goes_on = brute.answers(patched(brute.daemonset, option.patch).template)
    assert brute.is_reached(runs, goes_on), (seed, option)
    assert (runs - before[0], before[0] - runs) == ({*option.effect.gains}, {*option.effect.loses}), (seed, option)


def left_for_a_reason(seed: int, world: World, coverage: Coverage, proposal: Proposal) -> None:
    """What has patches by all its causes and is left has no plan of up to two edits, alone or with the rest."""
    patchless = {
        n for f in coverage.findings if not (f.remedy and f.remedy.patch) for n in f.nodes if f.cause in BARRING
    }
    for pair in coverage.pairs:
        curable = pair.verdict.gap and not pair.verdict.should_run and pair.node not in patchless
        if curable and pair.node not in proposal.targets:
            together = Brute(world, coverage, frozenset({*proposal.targets, pair.node}))
            assert together.cheapest(2, 99, 99) is None, (seed, pair.node)
