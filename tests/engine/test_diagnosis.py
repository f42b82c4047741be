"""The laws of the main loop, on random clusters, and its bookkeeping on small ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from engine.build import judged, world
from engine.templates import some_world

from dscov.causes import cause_of, registry
from dscov.model.findings import Coverage, Diagnosis, Finding
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.world import World
from dscov.simulation import effect_of, patched

Json = dict[str, Any]

OF_ELIGIBILITY = {cause.slug for cause in registry() if "excluded" in cause.looks_at and cause.stage == 1}
OF_THE_ELIGIBLE = {cause.slug for cause in registry() if "eligible" in cause.looks_at}

#: 50 clusters of 20 nodes and 20 DaemonSets: 20,000 pairs.
SEEDS = range(50)

over_random_clusters = pytest.mark.parametrize("seed", SEEDS)


@cache
def random_answer(seed: int) -> tuple[World, Diagnosis]:
    objects = some_world(seed, nodes=20, daemonsets=20)
    answer = judged(*objects)
    return world(*objects), answer


@over_random_clusters
def test_the_oracle_says_no_if_and_only_if_a_cause_of_eligibility_speaks(seed: int) -> None:
    _, answer = random_answer(seed)
    pairs = [(one.daemonset.name, pair) for one in answer.coverage for pair in one.pairs]
    assert len(pairs) == 400
    wrong = [
        (name, pair.node)
        for name, pair in pairs
        if pair.verdict.should_run is bool(OF_ELIGIBILITY & {*pair.verdict.causes})
    ]
    assert wrong == []


@over_random_clusters
def test_what_is_said_of_a_class_holds_for_each_of_its_nodes(seed: int) -> None:
    seen, answer = random_answer(seed)
    for one in answer.coverage:
        told = {(f.cause, f.facts, name) for f in one.findings for name in f.nodes}
        told = {claim for claim in told if claim[0] in OF_ELIGIBILITY | OF_THE_ELIGIBLE}
        assert told == set(asked_singly(seen, one)), one.daemonset.name


def asked_singly(seen: World, one: Coverage) -> Iterator[tuple[str, Any, str]]:
    for node_ in seen.snapshot.nodes:
        runs = seen.placement(one.daemonset, node_).should_run
        for slug in OF_THE_ELIGIBLE if runs else OF_ELIGIBILITY:
            find = cause_of(slug).find
            assert find is not None
            yield from ((slug, hit.facts, node_.name) for hit in find(seen, one.daemonset, node_))


@over_random_clusters
def test_every_patch_applies_alone_and_all_apply_one_after_another(seed: int) -> None:
    seen, answer = random_answer(seed)
    for one in answer.coverage:
        for finding in offering(one):
            assert finding.remedy is not None
            assert patched(one.daemonset, finding.remedy.patch).key == one.daemonset.key
        whole = effect_of(seen, one.daemonset, joint_patch(one))
        wanted = {pair.node for pair in one.pairs if pair.verdict.expected}
        # What lets a node in may let in one that is no place for daemons too; unwanted-target tells then.
        odd = {n.name for n in seen.snapshot.nodes if is_virtual(n) or is_foreign(one.daemonset, n)}
        assert {*whole.gains} <= wanted | odd, (one.daemonset.name, joint_patch(one))
        unwanted = {pair.node for pair in one.pairs if pair.verdict.unwanted}
        assert {*whole.loses} <= unwanted | odd, (one.daemonset.name, joint_patch(one))


@over_random_clusters
def test_the_patches_together_let_in_every_node_that_only_patches_concern(seed: int) -> None:
    seen, answer = random_answer(seed)
    for one in answer.coverage:
        gained = {*effect_of(seen, one.daemonset, joint_patch(one)).gains}
        silent = {name for f in one.findings if not (f.remedy and f.remedy.patch) for name in f.nodes if is_barring(f)}
        barred = {pair.node for pair in one.pairs if pair.verdict.expected and not pair.verdict.should_run}
        assert barred - silent <= gained, (one.daemonset.name, joint_patch(one))


def is_barring(finding: Finding) -> bool:
    return finding.cause in OF_ELIGIBILITY


def offering(one: Coverage) -> list[Finding]:
    return [
        finding
        for finding in one.findings
        if finding.remedy and finding.remedy.patch and finding.remedy.kind == "patch"
    ]


def joint_patch(one: Coverage) -> list[Any]:
    return [operation for finding in offering(one) if finding.remedy for operation in finding.remedy.patch]


def test_the_random_clusters_have_every_cause_of_eligibility() -> None:
    spoken = {f.cause for seed in SEEDS for one in random_answer(seed)[1].coverage for f in one.findings}
    assert OF_ELIGIBILITY - spoken == {"project-node-selector", "stale-readiness-taint"}
