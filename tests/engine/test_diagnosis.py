"""The laws of the main loop, on random clusters, and its bookkeeping on small ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from engine.build import NOW, around, crashing, daemonset, judged, lost_node, node, pod, snapshot, verdict, world
from engine.templates import some_world

from dscov.causes import cause_of, registry
from dscov.diagnosis import diagnose
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


def test_nodes_with_equal_facts_fold_and_those_that_are_meant_stand_apart() -> None:
    lab = [node(f"n{i}", "gpu:NoSchedule") for i in range(3)]
    windows = node("w1", "gpu:NoSchedule", info={"operatingSystem": "windows"})
    (one,) = judged(daemonset(), *lab, windows, node("n9")).coverage
    found = [(f.severity, f.nodes) for f in one.findings if f.cause == "untolerated-taint"]
    assert found == [("error", ("n0", "n1", "n2")), ("info", ("w1",))]


def test_findings_stand_by_weight() -> None:
    nodes = [node("n1", "a:NoSchedule"), *(node(f"m{i}", "b:NoSchedule") for i in range(3))]
    nodes += [node("c1", "node-role.kubernetes.io/control-plane:NoSchedule"), node("n9")]
    (one,) = judged(daemonset(), *nodes).coverage
    assert [f.nodes for f in one.findings if f.cause == "untolerated-taint"] == [("m0", "m1", "m2"), ("n1",), ("c1",)]


def test_the_summary_counts_pairs() -> None:
    ds = daemonset()
    bad = node("n3", "gpu:NoSchedule")
    objects = around(ds, bad, lost_node("n4"), pod(ds, "n1", crashing()), nodes=("n1", "n2"))
    summary = judged(*objects).summary
    assert (summary.daemonsets, summary.nodes, summary.expected, summary.covered, summary.gaps) == (1, 4, 4, 1, 3)
    assert (summary.unwanted, summary.unknown) == (0, 0)


def test_only_what_is_asked_for_is_judged() -> None:
    objects = daemonset("a"), daemonset("b"), node("n1"), node("n2", "gpu:NoSchedule")
    found = diagnose(snapshot(*objects), now=NOW, wants=lambda ds: ds.name == "a", shows=lambda n: n.name == "n2")
    assert [one.daemonset.name for one in found.coverage] == ["a"]
    assert [pair.node for pair in found.coverage[0].pairs] == ["n2"]
    assert found.summary.nodes == 1


def test_a_leaving_node_is_expected_and_no_gap() -> None:
    found = verdict(
        "n1", daemonset(), node("n1", "gpu:NoSchedule", metadata={"deletionTimestamp": "2026-05-12T09:29:00Z"})
    )
    assert (found.state, found.expected, found.gap) == ("excluded", True, False)


def test_a_fault_of_the_node_comes_first_of_the_causes() -> None:
    assert verdict("n1", daemonset(), lost_node("n1"), node("n2")).causes == ("node-lost", "node-condition-taint")
