"""Edits between two DaemonSets: the least that were meant, and the law that they lead there."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from dscov.errors import Refused
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveAffinityExpression,
    RemoveToleration,
    RemoveTolerationSeconds,
    ReplaceAffinityTerms,
    SetField,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    Term,
    TolerationSpec,
    UnsetField,
    UnsetNodeSelector,
)
from dscov.patches.change import on_object
from dscov.patches.derive import edits_between

T, X = TolerationSpec, Expression
POD = ("spec", "template", "spec")


def daemonset(pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "agent", "image": "x:1", "env": [{"name": "A", "value": ""}]}]
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": containers, **(pod or {})}}
    return {"kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": {"template": template, **spec}}


def required(*terms: Any) -> dict[str, Any]:
    return {
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
        }
    }


def term(*expressions: Expression) -> dict[str, Any]:
    listed = [
        {"key": e.key, "operator": e.operator} | ({"values": list(e.values)} if e.values else {}) for e in expressions
    ]
    return {"matchExpressions": listed}


A, B = {"key": "a", "operator": "Exists"}, {"key": "b", "value": "1", "effect": "NoSchedule"}
IN, GT = X("pool", "In", ("a", "b")), X("cores", "Gt", ("4",))
LINUX = X("os", "In", ("linux",))

#: what it is -> (pod spec before, pod spec after, the edits)
POD_SPECS: dict[str, tuple[dict[str, Any], dict[str, Any], list[Edit]]] = {
    "nothing": ({"tolerations": [A, B]}, {"tolerations": [B, A]}, []),
    "what is empty is nothing": ({"tolerations": [], "nodeSelector": {}}, {"affinity": {}}, []),
    "no operator is Equal": (
        {"tolerations": [{"key": "a"}]},
        {"tolerations": [{"key": "a", "operator": "Equal", "value": ""}]},
        [],
    ),
    "added last": ({"tolerations": [A]}, {"tolerations": [A, B]}, [AddToleration(T("b", None, "1", "NoSchedule"))]),
    "added first": (
        {"tolerations": [A]},
        {"tolerations": [B, A]},
        [AddToleration(T("b", None, "1", "NoSchedule"), before=T("a", "Exists"))],
    ),
    "removed": ({"tolerations": [A, B]}, {"tolerations": [B]}, [RemoveToleration(T("a", "Exists"))]),
    "all removed": ({"tolerations": [A]}, {}, [RemoveToleration(T("a", "Exists"))]),
    "changed": (
        {"tolerations": [A, B]},
        {"tolerations": [A, {**B, "value": "2"}]},
        [ChangeToleration(T("b", None, "1", "NoSchedule"), T("b", None, "2", "NoSchedule"))],
    ),
    "renamed": (
        {"tolerations": [A, B]},
        {"tolerations": [{**A, "key": "c"}, B]},
        [ChangeToleration(T("a", "Exists"), T("c", "Exists"))],
    ),
    "another in its place": (
        {"tolerations": [A]},
        {"tolerations": [B]},
        [ChangeToleration(T("a", "Exists"), T("b", None, "1", "NoSchedule"))],
    ),
    "others altogether": (
        {"tolerations": [A]},
        {"tolerations": [B, {**B, "key": "c"}]},
        [
            AddToleration(T("b", None, "1", "NoSchedule")),
            AddToleration(T("c", None, "1", "NoSchedule")),
            RemoveToleration(T("a", "Exists")),
        ],
    ),
    "seconds go": (
        {"tolerations": [{**A, "tolerationSeconds": 30}]},
        {"tolerations": [A]},
        [RemoveTolerationSeconds(T("a", "Exists", seconds=30))],
    ),
    "seconds change": (
        {"tolerations": [{**A, "tolerationSeconds": 30}]},
        {"tolerations": [{**A, "tolerationSeconds": 60}]},
        [ChangeToleration(T("a", "Exists", seconds=30), T("a", "Exists", seconds=60))],
    ),
    "labels": (
        {"nodeSelector": {"a": "1", "b": "1"}},
        {"nodeSelector": {"b": "2", "c": "3"}},
        [SetNodeSelector("b", "2", "b"), SetNodeSelector("c", "3"), UnsetNodeSelector("a")],
    ),
    "first expression": ({}, required(term(IN, GT)), [AddAffinityExpression(IN), AddAffinityExpression(GT)]),
    "expression in every term": (
        required(term(IN), term(LINUX)),
        required(term(IN, GT), term(LINUX, GT)),
        [AddAffinityExpression(GT)],
    ),
    "expression in one term of two": (
        required(term(IN), term(LINUX)),
        required(term(IN, GT), term(LINUX)),
        [ReplaceAffinityTerms((Term((IN, GT)), Term((LINUX,))))],
    ),
    "values": (
        required(term(IN, GT)),
        required(term(X("pool", "In", ("a", "c")), GT)),
        [ChangeAffinityExpression(IN, X("pool", "In", ("a", "c")))],
    ),
    "expression goes": (required(term(IN, GT)), required(term(GT)), [RemoveAffinityExpression(IN)]),
    "terms merged": (
        required(term(IN), term(GT)),
        required(term(IN, GT)),
        [ReplaceAffinityTerms((Term((IN, GT)),))],
    ),
    "affinity goes": (required(term(IN)), {}, [UnsetField((*POD, "affinity"))]),
    "required goes, preferred stays": (
        {"affinity": {"nodeAffinity": {"preferred": [1], **required(term(IN))["affinity"]["nodeAffinity"]}}},
        {"affinity": {"nodeAffinity": {"preferred": [1]}}},
        [UnsetField((*POD, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"))],
    ),
    "priority": ({"priorityClassName": "low"}, {"priorityClassName": "high"}, [SetPriorityClass("high")]),
    "priority goes": ({"priorityClassName": "low"}, {}, [UnsetField((*POD, "priorityClassName"))]),
    "scheduler": ({"schedulerName": "own"}, {}, [UnsetField((*POD, "schedulerName"))]),
    "host network": ({}, {"hostNetwork": True}, [SetField((*POD, "hostNetwork"), True)]),
    "gates": ({"schedulingGates": [{"name": "x"}]}, {}, [UnsetField((*POD, "schedulingGates"))]),
}


@pytest.mark.parametrize("name", POD_SPECS)
def test_pod_spec(name: str) -> None:
    before, after, edits = POD_SPECS[name]
    assert list(edits_between(daemonset(before), daemonset(after))) == edits


STRATEGY = ("spec", "updateStrategy")
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
SPECS: dict[str, tuple[dict[str, Any], dict[str, Any], list[Edit]]] = {
    "ready": ({"minReadySeconds": 5}, {"minReadySeconds": 6}, [SetField(("spec", "minReadySeconds"), 6)]),
    "numbers": (
        {"updateStrategy": ROLLING},
        {"updateStrategy": {**ROLLING, "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "10%"}}},
        [SetUpdateStrategy(0, "10%")],
    ),
    "on delete": (
        {"updateStrategy": ROLLING},
        {"updateStrategy": {"type": "OnDelete"}},
        [UnsetField((*STRATEGY, "rollingUpdate")), SetUpdateStrategy(type="OnDelete")],
    ),
    "one number goes": (
        {"updateStrategy": ROLLING},
        {"updateStrategy": {**ROLLING, "rollingUpdate": {"maxUnavailable": 1}}},
        [UnsetField((*STRATEGY, "rollingUpdate", "maxSurge"))],
    ),
    "strategy goes": ({"updateStrategy": ROLLING}, {}, [UnsetField(STRATEGY)]),
}


@pytest.mark.parametrize("name", SPECS)
def test_spec(name: str) -> None:
    before, after, edits = SPECS[name]
    assert list(edits_between(daemonset(**before), daemonset(**after))) == edits


def test_metadata_and_status_are_not_looked_at() -> None:
    after = daemonset() | {"metadata": {"name": "agent", "generation": 7}, "status": {"numberReady": 3}}
    assert edits_between(daemonset(), after) == ()


@pytest.mark.parametrize(
    ("after", "where"),
    [
        (daemonset({"containers": []}), "spec.template.spec.containers"),
        (daemonset({"affinity": {"podAffinity": {"x": [1]}}}), "spec.template.spec.affinity"),
        (daemonset({"schedulingGates": [{"name": "x"}]}), "spec.template.spec.schedulingGates"),
        (daemonset({"tolerations": [A, A]}), "spec.template.spec.tolerations"),
        (daemonset(updateStrategy={"other": 1}), "spec.updateStrategy"),
    ],
)
def test_what_edits_cannot_say(after: dict[str, Any], where: str) -> None:
    with pytest.raises(Refused, match="the difference cannot be said in edits") as refusal:
        edits_between(daemonset(), after)
    assert str(refusal.value).startswith(where)
    assert refusal.value.remedy


def plain(data: dict[str, Any]) -> Any:
    """A second way to say that two specs mean the same, written for these tests alone."""
    pod = copy.deepcopy(data["spec"]["template"]["spec"])

    def row(toleration: dict[str, Any]) -> tuple[str, ...]:
        operator = toleration.get("operator") or "Equal"
        rest = [str(toleration.get(name) or "") for name in ("key", "value", "effect", "tolerationSeconds")]
        return (operator, *rest)

    def demand(one: dict[str, Any]) -> tuple[Any, ...]:
        return (one["key"], one["operator"], tuple(sorted(one.get("values") or [])))

    node = ((pod.pop("affinity", None) or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    every = (node or {}).get("nodeSelectorTerms") or []
    terms = sorted(sorted({demand(one) for one in each["matchExpressions"]}) for each in every)
    strategy = data["spec"].get("updateStrategy") or {}
    return {
        "tolerations": sorted(map(row, pod.pop("tolerations", None) or [])),
        "labels": pod.pop("nodeSelector", None) or {},
        "terms": terms,
        "strategy": (strategy.get("type"), strategy.get("rollingUpdate") or {}),
        "rest": pod,
    }


def some(dice: random.Random) -> dict[str, Any]:
    def toleration() -> dict[str, Any]:
        operator = dice.choice([None, "Equal", "Exists"])
        found: dict[str, Any] = {
            "key": dice.choice("abc"),
            "effect": dice.choice(["NoSchedule", "NoExecute", None]),
            "operator": operator,
        }
        found["value"] = dice.choice(["1", "2", None]) if operator != "Exists" else None
        found["tolerationSeconds"] = (
            dice.choice([30, 60]) if found["effect"] == "NoExecute" and dice.random() < 0.4 else None
        )
        return {key: value for key, value in found.items() if value is not None}

    def demand() -> Expression:
        operator = dice.choice(["In", "NotIn", "Exists"])
        values = tuple(dice.sample("xyz", dice.randint(1, 3))) if operator != "Exists" else ()
        return X(dice.choice("klm"), operator, values)

    pod: dict[str, Any] = {}
    if dice.random() < 0.8:
        pod["tolerations"] = [toleration() for _ in range(dice.randint(0, 4))]
    if dice.random() < 0.6:
        pod["nodeSelector"] = {dice.choice("pqr"): dice.choice("12") for _ in range(dice.randint(0, 3))}
    if dice.random() < 0.6:
        pod |= required(*(term(*(demand() for _ in range(dice.randint(1, 3)))) for _ in range(dice.randint(1, 3))))
    for name, values in {"priorityClassName": "hl", "schedulerName": "st", "nodeName": "no"}.items():
        if dice.random() < 0.4:
            pod[name] = dice.choice(values)
    spec: dict[str, Any] = {}
    if dice.random() < 0.6:
        spec["updateStrategy"] = dice.choice(
            [{"type": "OnDelete"}, {"rollingUpdate": {"maxUnavailable": dice.randint(1, 2)}}, ROLLING]
        )
    return daemonset(pod, **spec)


def test_the_edits_lead_there() -> None:
    dice = random.Random("edits")
    refused: list[str] = []
    for _ in range(3000):
        before, after = some(dice), some(dice)
        try:
            edits = edits_between(before, after)
        except Refused as refusal:
            refused.append(str(refusal))
            continue
        kept = copy.deepcopy(before)
        _, found = on_object(before, edits)
        assert plain(found) == plain(after)
        assert before == kept
        assert (edits == ()) == (plain(before) == plain(after))
    assert len(refused) < 250
    assert {reason.partition(":")[0] for reason in refused} == {"spec.template.spec.tolerations"}
