"""node-label-missing: a node lacks what its pool has."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import advised, asks, gaps, selecting, spoken

SLUG = "node-label-missing"
LABEL = {"example.com/csi": "true"}


def pool(name: str, key: str = "example.com/pool", **labels: str) -> dict[str, str]:
    return {key: name, **labels}


DEMANDS = [
    daemonset(spec={"nodeSelector": LABEL}),
    selecting(asks("example.com/csi", "In", "true", "yes")),
    selecting(asks("example.com/csi", "Exists")),
    selecting(asks("example.com/csi", "Exists"), asks("zone", "In", "x")),
]
KEYS = [
    "example.com/pool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "kops.k8s.io/instancegroup",
    "alpha.eksctl.io/nodegroup-name",
]


@pytest.mark.parametrize("ds", DEMANDS)
@pytest.mark.parametrize("key", KEYS)
def test_speaks(ds: dict[str, Any], key: str) -> None:
    peers = [node(f"n{i}", labels=pool("a", key) | LABEL) for i in (1, 2)]
    objects = ds, *peers, node("n3", labels=pool("a", key)), node("m1", labels=pool("b", key))
    assert [finding.nodes for finding in spoken(SLUG, *objects)] == [("n3",)]
    assert said(SLUG, *objects) == [f"the label example.com/csi=true is missing; its pool {key}=a has it (e.g. n1)"]
    assert gaps(*objects) == {"n3"}
    wanted = "give the node the label example.com/csi=true, and the pool's settings too so that the next node has it"
    assert advised(SLUG, *objects) == ("no-patch", wanted)


def test_pools_are_told_apart_where_nodes_are_alike_otherwise() -> None:
    ds = daemonset(spec={"nodeSelector": LABEL})
    nodes = [node("m1", labels=pool("b")), node("n1", labels=pool("a")), node("n2", labels=pool("a") | LABEL)]
    assert gaps(ds, *nodes) == {"n1"}
    assert gaps(ds, *reversed(nodes)) == {"n1"}


PEER = node("n2", labels=pool("a") | LABEL)


@pytest.mark.parametrize(
    ("ds", "nodes"),
    [
        (DEMANDS[0], [node("n1", labels=LABEL)]),
        (DEMANDS[0], [node("n1", labels={"example.com/csi": "false"} | pool("a")), PEER]),
        (DEMANDS[0], [node("n1"), node("n2", labels=LABEL)]),
        (DEMANDS[0], [node("n1", labels=pool("a")), node("n2", labels=pool("b") | LABEL)]),
        (DEMANDS[0], [node("n1", labels=pool("a")), node("n3", labels=pool("a")), PEER]),
        (selecting(asks("example.com/csi", "DoesNotExist")), [node("n1", labels=pool("a")), PEER]),
        (daemonset(), [node("n1", labels=pool("a")), PEER]),
        (daemonset(spec={"nodeSelector": {"example.com/pool": "b"}}), [node("n1", labels=pool("a")), PEER]),
    ],
)
def test_silent(ds: dict[str, Any], nodes: list[dict[str, Any]]) -> None:
    assert said(SLUG, ds, *nodes) == []


def test_another_entry_that_is_meant_makes_it_no_gap() -> None:
    ds = daemonset(spec={"nodeSelector": {**LABEL, "zone": "x"}})
    objects = ds, node("n1", labels=pool("a")), node("n2", labels=pool("a") | LABEL | {"zone": "x"}), node("n3")
    assert set(verdict("n3", *objects).causes) == {"node-selector-no-match"}
    assert gaps(ds, node("n1", labels=pool("a", zone="y")), PEER) == set()


def test_an_exclusion_beside_it_makes_it_no_gap() -> None:
    ds = selecting([asks("example.com/csi", "Exists"), asks("zone", "NotIn", "x")])
    assert gaps(ds, node("n1", labels=pool("a", zone="x")), PEER) == set()
    assert gaps(ds, node("n1", labels=pool("a", zone="y")), PEER) == {"n1"}
