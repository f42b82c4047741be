"""scheduler-stale: words that the node does not bear out."""

import pytest
from engine.build import Json, around, daemonset, findings, said, verdict
from engine.waiting import left, refusal, tenant

SLUG = "scheduler-stale"
DS = daemonset()
THREE = ("n1", "n2", "n3")


def three(*objects: Json, ds: Json = DS) -> list[Json]:
    return around(ds, *objects, nodes=THREE, well=("n2", "n3"))


@pytest.mark.parametrize(
    "message",
    [
        "0/2 nodes are available: 2 node(s) didn't match node selector.",
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity.",
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: x.",
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match node selector.",
        (
            "0/2 nodes are available: 1 node(s) didn't match node selector, 1 node(s) had taint {a: b}, that the pod "
            "didn't tolerate."
        ),
        "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        (
            "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't satisfy "
            "plugin(s) [NodeAffinity]."
        ),
        'nodeinfo not found for node name "n1"',
        "no nodes available to schedule pods",
    ],
)
def test_the_pod_fits_the_node(message: str) -> None:
    objects = three(left(DS, message))
    (finding,) = findings(SLUG, *objects)
    assert (finding.remedy and finding.remedy.kind) == "no-patch"
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


def test_how_many_nodes_it_counts() -> None:
    (sentence,) = said(SLUG, *three(left(DS, "0/2 nodes are available: 2 node(s) didn't match node selector.")))
    assert sentence.startswith("it counts 2 nodes where there are 3: 0/2 nodes")


FULL = tenant("checkout", requests={"cpu": "3900m"})
ASKS = daemonset(container={"resources": {"requests": {"cpu": "300m"}}})


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [left(DS, refusal("Insufficient cpu", nodes=3))]),
        (DS, [left(DS, refusal("Insufficient cpu", nodes=2))]),
        (
            DS,
            [
                left(
                    DS,
                    "0/3 nodes are available: 3 node(s) didn't match node selector.",
                    spec={"nodeSelector": {"a": "b"}},
                )
            ],
        ),
        (
            ASKS,
            [left(ASKS, "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match node selector."), FULL],
        ),
        (DS, [left(DS, refusal("node(s) didn't match scheduler-enforced node affinity", nodes=3))]),
        (DS, [left(DS)]),
        (
            DS,
            [left(DS, "0/3 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity], 2 node(s) did ...")],
        ),
    ],
    ids=["a reason", "fewer nodes but a reason", "a selector", "a shortage", "enforced", "no words", "cut off"],
)
def test_silent(ds: Json, objects: list[Json]) -> None:
    assert said(SLUG, *three(*objects, ds=ds)) == []
