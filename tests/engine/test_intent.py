"""Declared intent: who overrules whom, what is a gap and what is unwanted under it, and what stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from engine.build import NOW, ago, daemonset, node, pod, revision, snapshot
from engine.evidence import unproved

from dscov.diagnosis import diagnose
from dscov.intent import read_expectation
from dscov.model.findings import Coverage, Diagnosis
from dscov.model.policy import Exclusion, Policy, Pool, Rule, Settings

Json = dict[str, Any]
GPU, WEB = {"pool": "gpu"}, {"pool": "web"}
SELECTS_WEB = {"nodeSelector": WEB}
FARGATE = {"eks.amazonaws.com/compute-type": "fargate"}


def annotated(text: str, **more: Any) -> Json:
    return daemonset(metadata={"annotations": {"dscov.dev/expect": text}}, **more)


def judged(*objects: Json, now: datetime = NOW, **settings: Any) -> Diagnosis:
    """The answer; every claim in it, also of its timeline, holds in the objects."""
    found = diagnose(snapshot(*objects), now=now, settings=Settings(**settings))
    assert [flaw for one in found.coverage for finding in one.findings for flaw in unproved(finding, objects)] == []
    return found


def gaps(one: Coverage) -> list[str]:
    return [pair.node for pair in one.pairs if pair.verdict.gap]


def unwanted(one: Coverage) -> list[str]:
    return [pair.node for pair in one.pairs if pair.verdict.unwanted]


def policy(*rules: Rule, pools: tuple[Pool, ...] = ()) -> Policy:
    return Policy("dscov.yaml", rules, pools)


def rule(expect: str = "", *accept: Exclusion, name: str = "agent") -> Rule:
    return Rule(name, None, read_expectation(expect) if expect else None, accept, "dscov.yaml: daemonsets[0]")


def test_the_flag_overrules_the_annotation_and_the_annotation_the_policy() -> None:
    objects = (annotated("pool=gpu"), node("n1", labels=GPU))
    said = policy(rule("all"))
    by_flag = judged(*objects, expect=read_expectation("pool=web"), policy=said).coverage[0].intent
    by_annotation = judged(*objects, policy=said).coverage[0].intent
    by_policy = judged(daemonset(), node("n1"), policy=said).coverage[0].intent
    assert (by_flag.source, by_flag.text) == ("flag", "the nodes with pool=web")
    assert (by_annotation.source, by_annotation.text) == ("annotation", "the nodes with pool=gpu")
    assert (by_policy.source, by_policy.text) == ("policy", "all nodes (dscov.yaml: daemonsets[0])")
    assert judged(daemonset(), node("n1")).coverage[0].intent.source == "inferred"


@pytest.mark.parametrize("text", ["a in (", "", "  ", "a=b=c"])
def test_an_annotation_that_says_nothing_is_told_of_and_passed_over(text: str) -> None:
    intent = judged(annotated(text), node("n1")).coverage[0].intent
    assert intent.source == "inferred"
    assert "its annotation dscov.dev/expect is of no use" in intent.text


@pytest.mark.parametrize(
    "taint",
    [
        "node-role.kubernetes.io/control-plane:NoSchedule",
        "dedicated=db:NoSchedule",
        "team.example.com/maintenance:NoSchedule",
        "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ],
)
def test_what_is_declared_and_kept_out_is_a_gap(taint: str) -> None:
    one = judged(annotated("all"), node("n1", taint)).coverage[0]
    known = taint.startswith("node.kubernetes.io")
    assert gaps(one) == ([] if known else ["n1"])
    if not known:
        assert one.findings[0].severity == "error"


def test_a_selector_that_keeps_declared_nodes_out_is_an_error_and_not_meant() -> None:
    objects = (annotated("all", spec=SELECTS_WEB), node("n1", labels=GPU), node("n2", labels=WEB))
    one = judged(*objects).coverage[0]
    assert "n1" in gaps(one)
    finding = next(finding for finding in one.findings if finding.cause == "node-selector-no-match")
    assert finding.severity == "error"
    assert finding.remedy is not None
    assert finding.remedy.actions == ("kubectl label node n1 pool=web",)
    inferred = judged(daemonset(spec=SELECTS_WEB), *objects[1:]).coverage[0]
    assert "n1" not in gaps(inferred)


def test_a_placement_outside_is_unwanted() -> None:
    ds = annotated("pool=gpu")
    objects = (ds, revision(ds), node("n1", labels=GPU), node("n2", labels=WEB), pod(ds, "n1"), pod(ds, "n2"))
    one = judged(*objects).coverage[0]
    assert (gaps(one), unwanted(one)) == ([], ["n2"])
    (finding,) = [finding for finding in one.findings if finding.cause == "wrong-nodes"]
    assert finding.nodes == ("n2",)
    assert finding.remedy is not None
    assert finding.remedy.patch == (
        {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"pool": "gpu"}},
    )


def test_a_pod_outside_that_would_not_be_placed_now_is_unwanted_too() -> None:
    ds = annotated("pool=gpu")
    objects = (ds, revision(ds), node("n2", "dedicated=db:NoSchedule", labels=WEB), pod(ds, "n2"))
    one = judged(*objects).coverage[0]
    assert unwanted(one) == ["n2"]
    assert "wrong-nodes" in one.pairs[0].verdict.causes


def test_a_node_outside_without_a_pod_is_nothing() -> None:
    one = judged(annotated("pool=gpu"), node("n2", "dedicated=db:NoSchedule", labels=WEB)).coverage[0]
    assert (gaps(one), unwanted(one)) == ([], [])


def test_no_declaration_reaches_virtual_nodes_or_another_system() -> None:
    windows = node("w1", info={"operatingSystem": "windows"})
    objects = (annotated("all", spec=SELECTS_WEB), node("f1", labels=FARGATE), windows)
    assert gaps(judged(*objects).coverage[0]) == []
    named = (annotated("kubernetes.io/os=windows", spec=SELECTS_WEB), windows)
    assert gaps(judged(*named).coverage[0]) == ["w1"]


def test_a_young_node_is_no_gap_yet() -> None:
    objects = (annotated("all"), node("n1", "startup.example.com/uninitialized:NoSchedule", created=ago(2)))
    assert gaps(judged(*objects).coverage[0]) == []


def test_a_virtual_pool_is_never_expected_and_a_placement_there_unwanted() -> None:
    objects = (daemonset(), node("n1", labels=GPU))
    said = policy(pools=(Pool(read_expectation("pool=gpu")),))
    one = judged(*objects, policy=said).coverage[0]
    assert (gaps(one), unwanted(one)) == ([], ["n1"])
    assert one.pairs[0].verdict.causes[0] == "wrong-nodes"


TAINTED = (daemonset(), node("n1", "dedicated=db:NoSchedule", labels=GPU), node("n2", "spot=1:NoSchedule", labels=WEB))
UNTIL = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("exclusion", "left"),
    [
        (Exclusion("r", nodes=read_expectation("pool=gpu")), ["n2"]),
        (Exclusion("r", nodes=read_expectation("all")), []),
        (Exclusion("r", names=("n2",)), ["n1"]),
        (Exclusion("r", names=("n*",)), []),
        (Exclusion("r", cause="untolerated-taint"), []),
        (Exclusion("r", cause="quota"), ["n1", "n2"]),
        (Exclusion("r", nodes=read_expectation("pool=gpu"), cause="quota"), ["n1", "n2"]),
    ],
)
def test_accepted_exclusions_are_no_gaps(exclusion: Exclusion, left: list[str]) -> None:
    found = judged(*TAINTED, policy=policy(rule("", exclusion)))
    one = found.coverage[0]
    assert gaps(one) == left
    assert found.summary.gaps == len(left)
    assert unwanted(one) == []
    excused = sorted({"n1", "n2"} - set(left))
    assert [accepted.nodes for accepted in one.accepted] == ([tuple(excused)] if excused else [])


def test_an_exclusion_is_accepted_under_a_declaration_too() -> None:
    said = policy(rule("all", Exclusion("r", names=("n1",))))
    assert gaps(judged(*TAINTED, policy=said).coverage[0]) == ["n2"]
    assert gaps(judged(*TAINTED, policy=said, expect=read_expectation("all")).coverage[0]) == ["n2"]


def test_after_its_end_an_exclusion_counts_no_more_and_is_named() -> None:
    said = policy(rule("", Exclusion("r", names=("n1",), until=UNTIL, until_text="2026-05-31")))
    before = judged(*TAINTED, policy=said, now=datetime(2026, 5, 31, 23, 59, tzinfo=UTC)).coverage[0]
    after = judged(*TAINTED, policy=said, now=UNTIL).coverage[0]
    assert (gaps(before), [one.over for one in before.accepted]) == (["n2"], [False])
    assert (gaps(after), [one.over for one in after.accepted]) == (["n1", "n2"], [True])


def test_what_is_covered_needs_no_exclusion() -> None:
    ds = daemonset()
    objects = (ds, revision(ds), node("n1"), pod(ds, "n1"))
    one = judged(*objects, policy=policy(rule("", Exclusion("r", names=("n1",))))).coverage[0]
    assert one.accepted == ()
    assert one.pairs[0].verdict.expected


def test_a_rule_for_others_says_nothing() -> None:
    said = policy(rule("all", Exclusion("r", names=("n1",)), name="other/*"))
    assert judged(*TAINTED, policy=said).coverage[0].intent.source == "inferred"
