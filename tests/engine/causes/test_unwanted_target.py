"""unwanted-target: virtual nodes that a template is let into."""

from typing import Any

import pytest
from engine.build import EVERYTHING, daemonset, node, said, verdict
from engine.eligibility import REQUIRED, TERMS, asks, selecting, spoken, tolerating

SLUG = "unwanted-target"
WILD = daemonset(spec=EVERYTHING)
FARGATE = {"eks.amazonaws.com/compute-type": "fargate"}
KUBELET = {"type": "virtual-kubelet"}
MACHINE = node("n2")


def labelled(labels: dict[str, str], *taints: str, name: str = "n1") -> dict[str, Any]:
    return node(name, *taints, labels=labels)


@pytest.mark.parametrize(
    ("virtual", "expression"),
    [
        (
            labelled(FARGATE, "eks.amazonaws.com/compute-type=fargate:NoSchedule"),
            asks("eks.amazonaws.com/compute-type", "NotIn", "fargate"),
        ),
        (labelled(FARGATE), asks("eks.amazonaws.com/compute-type", "NotIn", "fargate")),
        (labelled(KUBELET, "virtual-kubelet.io/provider=azure:NoSchedule"), asks("type", "NotIn", "virtual-kubelet")),
        (labelled({"liqo.io/type": "virtual-node"}), asks("liqo.io/type", "NotIn", "virtual-node")),
        (
            labelled({"node-role.kubernetes.io/virtual-node": ""}),
            asks("node-role.kubernetes.io/virtual-node", "DoesNotExist"),
        ),
    ],
)
def test_marked_by_a_label(virtual: dict[str, Any], expression: dict[str, Any]) -> None:
    objects = WILD, virtual, MACHINE
    found = verdict("n1", *objects)
    assert (found.unwanted, found.expected, found.gap) == (True, False, False)
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    required = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
    assert finding.remedy.patch == ({"op": "add", "path": "/spec/template/spec/affinity", "value": required},)
    assert (finding.remedy.effect.gains, finding.remedy.effect.loses) == ((), ("n1",))


@pytest.mark.parametrize(
    "virtual",
    [
        node("n1", "virtual-kubelet.io/provider=alibaba:NoSchedule"),
        node("n1", "azure.com/aci:NoSchedule"),
        node("virtual-node-aci-linux", "azure.com/aci:NoSchedule"),
        node("virtual-kubelet"),
        node("fargate-ip-10-0-0-1.internal", spec={"providerID": "aws:///eu-1a/0/fargate-ip-10-0-0-1.internal"}),
        node("n1", spec={"providerID": "aws:///eu-1a/0/fargate-ip-10-0-0-1.internal"}),
        node("n1", info={"kubeletVersion": "v1.19.10-vk-azure-aci-1.6.1"}),
        node("n1", "virtual-node.liqo.io/not-allowed=true:NoExecute"),
    ],
)
def test_marked_otherwise_there_is_nothing_to_exclude_by(virtual: dict[str, Any]) -> None:
    objects = WILD, virtual, MACHINE
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"
    assert verdict(virtual["metadata"]["name"], *objects).unwanted


@pytest.mark.parametrize(
    ("terms", "paths"),
    [
        ([asks("disk", "NotIn", "x")], ["0/matchExpressions/-"]),
        (
            [asks("disk", "NotIn", "x"), asks("zone", "NotIn", "y"), {}],
            ["0/matchExpressions/-", "1/matchExpressions/-"],
        ),
    ],
)
def test_every_live_term_gets_the_exclusion(terms: list[dict[str, Any]], paths: list[str]) -> None:
    objects = selecting(*terms, **EVERYTHING), labelled(FARGATE), MACHINE
    (finding,) = spoken(SLUG, *objects)
    assert finding.remedy is not None
    assert [operation["path"] for operation in finding.remedy.patch] == [f"{TERMS}/{path}" for path in paths]
    assert finding.remedy.effect.loses == ("n1",)


def test_two_kinds_of_virtual_nodes_are_excluded_together() -> None:
    objects = WILD, labelled(FARGATE), labelled(KUBELET, name="n3"), MACHINE
    first, second = spoken(SLUG, *objects)
    assert first.remedy is not None
    assert second.remedy is not None
    assert first.remedy.patch == second.remedy.patch
    assert first.remedy.effect.loses == ("n1", "n3")


@pytest.mark.parametrize(
    ("ds", "made"),
    [
        (WILD, MACHINE),
        (daemonset(), labelled(FARGATE, "eks.amazonaws.com/compute-type=fargate:NoSchedule")),
        (tolerating("gpu"), node("n1", "virtual-kubelet.io/provider=azure:NoSchedule")),
        (selecting(asks("type", "NotIn", "virtual-kubelet"), **EVERYTHING), labelled(KUBELET)),
        (WILD, labelled({"eks.amazonaws.com/compute-type": "auto"})),
        (WILD, labelled({"type": "large"})),
        (WILD, node("virtual-kubelet-host", spec={"providerID": "aws:///eu-1a/i-0abc"})),
    ],
)
def test_silent(ds: dict[str, Any], made: dict[str, Any]) -> None:
    assert said(SLUG, ds, made) == []
