"""One pair, question by question: which are asked, what is answered, and on what facts."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import (
    NOW,
    Json,
    ago,
    around,
    crashing,
    daemonset,
    lost_node,
    node,
    pod,
    snapshot,
    taint,
    terminating,
    waiting,
)
from engine.build import status as container_status

from dscov.explanation import Walk, explain


def walk(ds: Json, on: str, *objects: Json) -> Walk:
    read = snapshot(*objects)
    wanted = next(one for one in read.daemonsets if one.name == ds["metadata"]["name"])
    return explain(read, wanted, next(one for one in read.nodes if one.name == on), now=NOW)


def answers(made: Walk) -> dict[str, str]:
    return {step.question: step.answer for step in made.steps}


def facts(made: Walk, question: str) -> dict[str, str]:
    return next(dict(step.facts) for step in made.steps if step.question == question)


def tolerating(*tolerations: Json) -> Json:
    return daemonset(spec={"tolerations": list(tolerations)})


GPU = "gpu=present:NoSchedule"


@pytest.mark.parametrize(
    ("tolerations", "near"),
    [
        ([], ""),
        (
            [{"key": "gpu", "value": "true", "effect": "NoSchedule"}],
            "gpu=true:NoSchedule (tolerations[0]), whose value",
        ),
        ([{"key": "x"}, {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}], "(tolerations[1]), whose effect"),
        ([{"key": "storage", "operator": "Exists"}], ""),
    ],
)
def test_the_toleration_that_nearly_met_the_taint(tolerations: list[Json], near: str) -> None:
    ds = tolerating(*tolerations)
    made = walk(ds, "n1", *around(ds, node("n1", GPU)))
    assert answers(made)["taint"] == "no"
    found = facts(made, "taint")["near"]
    assert near in found
    assert bool(near) is bool(found)


def test_a_misspelt_toleration_is_the_nearest() -> None:
    ds = tolerating({"key": "capactiy", "operator": "Exists"})
    made = walk(ds, "n1", *around(ds, node("n1", "capacity=spot:NoSchedule")))
    assert "tolerations[0]), whose key differs" in facts(made, "taint")["near"]


def test_a_covered_pair_has_no_sibling() -> None:
    ds = daemonset()
    made = walk(ds, "n2", *around(ds))
    assert made.state == "covered"
    assert set(answers(made).values()) == {"yes"}
    assert facts(made, "ready")["since"] == ago(hours=4)
    assert (made.sibling, made.differences) == ("", ())


def test_the_likest_covered_node_and_what_differs() -> None:
    ds = daemonset()
    objects = around(ds, node("n1", GPU, labels={"pool": "gpu"}), nodes=("n1", "n2", "n3"), well=("n2", "n3"))
    made = walk(ds, "n1", *objects)
    assert made.sibling in {"n2", "n3"}
    assert ("label pool", '"gpu"', "absent") in made.differences
    assert (f"taint {GPU}", "present", "absent") in made.differences


@pytest.mark.parametrize(
    ("spec", "question", "answer"),
    [
        ({"nodeName": "n1"}, "nodeName", "yes"),
        ({"nodeName": "n2"}, "nodeName", "no"),
        ({"nodeSelector": {"pool": "x"}}, "nodeSelector", "no"),
        ({"nodeSelector": {"kubernetes.io/os": "linux"}}, "nodeSelector", "yes"),
        ({}, "noNodeSelector", "yes"),
        ({}, "noAffinity", "yes"),
        ({}, "noTaints", "yes"),
    ],
)
def test_what_the_template_asks(spec: Json, question: str, answer: str) -> None:
    ds = daemonset(spec=spec)
    made = walk(ds, "n1", *around(ds, well=()))
    assert answers(made)[question] == answer
    assert answers(made)["shouldRun"] == ("no" if answer == "no" else "yes")


def test_every_affinity_term_is_asked() -> None:
    terms = [
        {"matchExpressions": [{"key": "pool", "operator": "In", "values": [pool]}]} for pool in ("gpu", "db", "plain")
    ]
    required = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    ds = daemonset(spec={"affinity": required})
    made = walk(ds, "n1", *around(ds, node("n1", labels={"pool": "db"}), well=()))
    asked = [step.answer for step in made.steps if step.question == "affinityTerm"]
    assert asked == ["no", "yes", "no"]


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda ds: pod(ds, "n1", crashing()), {"created": "yes", "bound": "yes", "started": "no", "ready": "no"}),
        (lambda ds: pod(ds, "n1", container_status(waiting("ErrImagePull"))), {"started": "no", "ready": "no"}),
        (lambda ds: pod(ds, "n1", bound=False), {"created": "yes", "bound": "no"}),
        (lambda ds: pod(ds, "n1", phase="Failed"), {"admitted": "no"}),
        (lambda ds: terminating(pod(ds, "n1")), {"terminating": "no"}),
        (lambda ds: pod(ds, "n1", revision="h1"), {"ready": "yes", "updated": "no"}),
    ],
)
def test_the_life_of_a_pod(made: Any, wanted: dict[str, str]) -> None:
    ds = daemonset()
    found = answers(walk(ds, "n1", *around(ds, made(ds))))
    assert wanted.items() <= found.items()


def test_a_node_that_does_not_report() -> None:
    ds = daemonset()
    made = walk(ds, "n1", *around(ds, lost_node("n1"), pod(ds, "n1", ready=False)))
    assert answers(made)["nodeReady"] == "no"
    assert facts(made, "nodeReady")["status"] == "Unknown"


def test_a_taint_that_keeps_nobody_away() -> None:
    ds = daemonset()
    objects = around(ds, node("n1", spec={"taints": [taint("x:PreferNoSchedule")]}), well=())
    assert answers(walk(ds, "n1", *objects))["taintIgnored"] == "yes"
