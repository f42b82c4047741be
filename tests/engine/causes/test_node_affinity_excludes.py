"""node-affinity-excludes: what NotIn and DoesNotExist keep out, and where they take away what the rest asks for."""

from typing import Any

import pytest
from engine.build import daemonset, findings, node, said
from engine.eligibility import TERMS, all_cured, asks, cured, gaps, selecting

SLUG = "node-affinity-excludes"
TYPE = "node.kubernetes.io/instance-type"
COMPUTE = "eks.amazonaws.com/compute-type"
GPU = asks(TYPE, "In", "g5.8xlarge", "p5.48xlarge")


AUTO = node("n1", labels={TYPE: "g5.8xlarge", COMPUTE: "auto"})
HYBRID = node("n2", labels={TYPE: "p5.48xlarge", COMPUTE: "hybrid"})
PLAIN = node("n3", labels={TYPE: "m5.large", COMPUTE: "auto"})
FARGATE = node("n4", labels={TYPE: "g5.8xlarge", COMPUTE: "fargate"})


@pytest.mark.parametrize(
    ("terms", "patch"),
    [
        (
            [GPU, asks(COMPUTE, "NotIn", "auto", "fargate")],
            [{"op": "replace", "path": f"{TERMS}/0/matchExpressions/1/values", "value": ["fargate"]}],
        ),
        ([GPU, asks(COMPUTE, "NotIn", "auto")], [{"op": "remove", "path": f"{TERMS}/0/matchExpressions/1"}]),
    ],
)
def test_hardware_that_the_same_term_asks_for(terms: list[dict[str, Any]], patch: list[dict[str, Any]]) -> None:
    objects = selecting(terms), AUTO, PLAIN
    assert gaps(*objects) == {"n1"}
    assert cured(SLUG, *objects) == (patch, {"n1"})


def test_fargate_stays_out() -> None:
    objects = selecting([GPU, asks(COMPUTE, "NotIn", "auto", "fargate")]), AUTO, FARGATE, PLAIN
    assert gaps(*objects) == {"n1"}
    assert all_cured(*objects) == {"n1"}


def test_several_values_are_taken_out_at_once() -> None:
    objects = selecting([GPU, asks(COMPUTE, "NotIn", "auto", "hybrid", "fargate")]), AUTO, HYBRID, PLAIN
    patch = [{"op": "replace", "path": f"{TERMS}/0/matchExpressions/1/values", "value": ["fargate"]}]
    assert cured(SLUG, *objects) == (patch, {"n1", "n2"})


def test_hardware_that_the_node_selector_asks_for() -> None:
    ds = selecting(asks("pool", "NotIn", "b"), nodeSelector={"nvidia.com/gpu.present": "true"})
    labels = {"nvidia.com/gpu.present": "true", "pool": "b"}
    assert gaps(ds, node("n1", labels=labels), node("n2", labels={"pool": "b"})) == {"n1"}


@pytest.mark.parametrize(
    ("ds", "labels", "shown"),
    [
        (selecting(asks("disk", "NotIn", "ssd")), {"disk": "ssd"}, "disk=ssd (disk notin (ssd))"),
        (selecting(asks("disk", "DoesNotExist")), {"disk": "ssd"}, "disk=ssd (!disk)"),
        (
            selecting([asks("zone", "In", "a"), asks("disk", "DoesNotExist")]),
            {"disk": "x", "zone": "a"},
            "disk=x (!disk)",
        ),
        (
            selecting(asks("node-role.kubernetes.io/control-plane", "DoesNotExist")),
            {"node-role.kubernetes.io/control-plane": ""},
            None,
        ),
        (selecting(asks("kubernetes.io/arch", "NotIn", "arm64")), {"kubernetes.io/arch": "arm64"}, None),
    ],
)
def test_meant(ds: dict[str, Any], labels: dict[str, str], shown: str | None) -> None:
    objects = ds, node("n1", labels=labels)
    (sentence,) = said(SLUG, *objects)
    assert shown is None or sentence == f"the node affinity excludes {shown}"
    assert gaps(*objects) == set()


def test_a_node_by_name() -> None:
    field = {"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}
    term = {"matchFields": [field]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    objects = daemonset(spec={"affinity": {"nodeAffinity": required}}), node("n1"), node("n2")
    assert said(SLUG, *objects) == ["the node affinity excludes n1 (metadata.name!=n1)"]


@pytest.mark.parametrize(
    ("ds", "labels"),
    [
        (daemonset(), {}),
        (selecting(asks("disk", "NotIn", "ssd")), {"disk": "hdd"}),
        (selecting(asks("disk", "NotIn", "ssd")), {}),
        (selecting(asks("disk", "In", "ssd")), {"disk": "hdd"}),
        (selecting([asks("zone", "In", "a"), asks("disk", "DoesNotExist")]), {"disk": "x", "zone": "b"}),
        (selecting(asks("disk", "NotIn", "ssd"), asks("disk", "Exists")), {"disk": "ssd"}),
    ],
)
def test_silent(ds: dict[str, Any], labels: dict[str, str]) -> None:
    assert said(SLUG, ds, node("n1", labels=labels)) == []


def test_a_term_of_exclusions_alone_is_not_left_empty() -> None:
    """An empty term selects nothing: taken out whole, the affinity lets the node in."""
    alone = selecting(asks("disk", "NotIn", "ssd"))
    alone["spec"]["template"]["spec"]["nodeSelector"] = {"accelerator": "gpu"}
    labels = {"disk": "ssd", "accelerator": "gpu"}
    (finding,) = findings(SLUG, alone, node("n1", labels=labels))
    assert finding.remedy is not None
    assert [step["op"] for step in finding.remedy.patch] == ["remove"]
    assert finding.remedy.effect.gains == ("n1",)
