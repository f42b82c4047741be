"""The hundred written placement vectors, and what a list of reasons must hold."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from conformance.tables import lines

import dscov

VECTORS = lines("placement_vectors.jsonl")


def daemonset(spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
        },
    }


def node(about: dict[str, Any]) -> dict[str, Any]:
    spec = {key: about[key] for key in ("taints", "unschedulable") if key in about}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": about.get("labels", {})},
        "spec": spec,
        "status": {"conditions": about.get("conditions", [])},
    }


def ask(spec: dict[str, Any], about: dict[str, Any], *, gate: bool = False) -> Any:
    return dscov.placement(daemonset(spec), node(about), comparison_operators=gate)


def test_all_vectors_are_there() -> None:
    assert [vector["id"] for vector in VECTORS] == [f"V{number:02}" for number in range(1, 101)]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]) -> None:
    got = ask(vector["spec"], vector["node"], gate=vector.get("gate", False))
    have = (got.should_run, got.should_continue_running, str(got.reasons[0]) if got.reasons else "ok")
    assert have == (vector["run"], vector["cont"], vector["reason"]), vector.get("note", "")


TAINT = {"key": "k", "effect": "NoSchedule"}
EVICTING = {"key": "e", "value": "x", "effect": "NoExecute"}
NO_AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["gpu"]}]}]
        }
    }
}


def reasons(spec: dict[str, Any], about: dict[str, Any]) -> list[str]:
    return [str(reason) for reason in ask(spec, about).reasons]


def test_every_blocker_is_listed_in_the_order_of_the_checks() -> None:
    spec = {"nodeName": "n2", "nodeSelector": {"a": "1"}, "affinity": NO_AFFINITY}
    about = {"taints": [TAINT]}
    assert reasons(spec, about) == ["nodeName", "nodeSelector", "nodeAffinity", "taint:k:NoSchedule"]
    assert [reason.kind for reason in ask(spec, about).reasons] == ["nodeName", "nodeSelector", "nodeAffinity", "taint"]


def test_the_deciding_taint_comes_first_and_the_others_follow() -> None:
    found = reasons({}, {"taints": [TAINT, EVICTING, {"key": "z", "effect": "NoSchedule"}]})
    assert found[0] == "taint:e:NoExecute"
    assert sorted(found) == ["taint:e:NoExecute", "taint:k:NoSchedule", "taint:z:NoSchedule"]


def test_a_tolerated_taint_and_a_mere_preference_are_no_reason() -> None:
    about = {"taints": [TAINT, EVICTING, {"key": "p", "effect": "PreferNoSchedule"}]}
    assert reasons({"tolerations": [{"key": "k", "operator": "Exists"}]}, about) == ["taint:e:NoExecute"]


def test_no_selector_reason_where_only_a_taint_blocks() -> None:
    spec = {"nodeSelector": {"pool": "gpu"}, "affinity": NO_AFFINITY}
    assert reasons(spec, {"labels": {"pool": "gpu"}, "taints": [EVICTING]}) == ["taint:e:NoExecute"]


def test_no_reason_where_the_node_is_eligible() -> None:
    assert ask({}, {}).reasons == ()


def test_the_comparison_operators_count_unless_told() -> None:
    spec = {"tolerations": [{"key": "p", "operator": "Gt", "value": "900", "effect": "NoSchedule"}]}
    about = {"taints": [{"key": "p", "effect": "NoSchedule", "value": "950"}]}
    assert dscov.placement(daemonset(spec), node(about)).should_run
    assert not ask(spec, about).should_run


def test_the_objects_asked_about_are_left_as_they_were() -> None:
    spec = {"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]}
    asked, place = daemonset(spec), node({"taints": [EVICTING]})
    before = copy.deepcopy((asked, place))
    dscov.placement(asked, place)
    assert (asked, place) == before
