"""pod-anti-affinity: required rules among pods, whose they are and what they collide with."""

import pytest
from engine.build import Json, aim, around, daemonset, findings, node, said, verdict
from engine.waiting import left, refusal, tenant

SLUG = "pod-anti-affinity"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOST = "kubernetes.io/hostname"
OWN = refusal("node(s) didn't match pod anti-affinity rules")
OTHERS = refusal("node(s) didn't satisfy existing pods anti-affinity rules")


def term(labels: dict[str, str], topology: str = HOST, **more: object) -> Json:
    return {"labelSelector": {"matchLabels": labels}, "topologyKey": topology, **more}


def ruled(kind: str, *terms: Json, **affinity: Json) -> Json:
    return daemonset(spec={"affinity": {kind: {REQUIRED: list(terms)}, **affinity}})


def waiting_pod(ds: Json, message: str) -> Json:
    affinity = {**ds["spec"]["template"]["spec"].get("affinity", {}), **aim("n1")}
    return left(ds, message, spec={"affinity": affinity})


def test_its_own_rule_and_the_pod_it_meets() -> None:
    ds = ruled("podAntiAffinity", term({"app": "db"}, namespaces=["shop"]))
    objects = around(ds, waiting_pod(ds, OWN), tenant("db", labels={"app": "db"}))
    assert said(SLUG, *objects) == [
        f"anti-affinity to app in (db) over {HOST} keeps the pod off the node: ReplicaSet shop/db"
    ]
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.patch == ({"op": "remove", "path": "/spec/template/spec/affinity/podAntiAffinity"},)
    assert verdict("n1", *objects).causes == (SLUG,)


def test_over_a_wider_topology_the_pod_may_be_on_another_node() -> None:
    ds = ruled("podAntiAffinity", term({"app": "agent"}, "zone"))
    zoned = [node(name, labels={"zone": "a"}) for name in ("n1", "n2")]
    (finding,) = findings(SLUG, *around(ds, waiting_pod(ds, OWN), *zoned))
    assert dict(finding.facts)["holder"] == "DaemonSet system/agent"


def test_only_the_term_that_bars_goes() -> None:
    ds = ruled("podAntiAffinity", term({"app": "x"}), term({"app": "db"}, namespaceSelector={}))
    (finding,) = findings(SLUG, *around(ds, waiting_pod(ds, OWN), tenant("db", labels={"app": "db"})))
    assert finding.remedy is not None
    assert finding.remedy.patch[0]["path"].endswith(f"podAntiAffinity/{REQUIRED}/1")


def test_the_rule_of_another_pod_is_no_matter_of_the_template() -> None:
    ds = daemonset()
    rule = {"affinity": {"podAntiAffinity": {REQUIRED: [term({"app": "agent"}, namespaces=["system"])]}}}
    objects = around(ds, waiting_pod(ds, OTHERS), tenant("lonely", spec=rule))
    (finding,) = findings(SLUG, *objects)
    assert "ReplicaSet shop/lonely" in dict(finding.facts)["holder"]
    assert (finding.remedy and finding.remedy.kind) == "policy"


def test_an_affinity_that_no_pod_meets() -> None:
    ds = ruled("podAffinity", term({"app": "cache"}))
    (finding,) = findings(SLUG, *around(ds, waiting_pod(ds, refusal("node(s) didn't match pod affinity rules"))))
    assert "no pod there" in dict(finding.facts)["holder"]
    assert (finding.remedy and finding.remedy.kind) == "patch"


@pytest.mark.parametrize("count", [1, 2])
def test_topology_spread(count: int) -> None:
    rules = [{"maxSkew": 1, "topologyKey": f"zone{i}", "whenUnsatisfiable": "DoNotSchedule"} for i in range(count)]
    ds = daemonset(spec={"topologySpreadConstraints": rules})
    message = refusal("node(s) didn't match pod topology spread constraints")
    found = findings(SLUG, *around(ds, waiting_pod(ds, message)))
    assert len(found) == count
    assert {finding.remedy.kind for finding in found if finding.remedy} == {"patch"}


@pytest.mark.parametrize(
    "message",
    [
        (
            "0/2 nodes are available: 1 node(s) didn't match pod affinity/anti-affinity, 1 node(s) didn't match pod "
            "anti-affinity rules, 1 node(s) didn't match node selector."
        ),
        OWN,
        OTHERS,
        refusal("node(s) didn't match pod affinity rules"),
        refusal("node(s) didn't match pod topology spread constraints (missing required label)"),
    ],
)
def test_a_rule_that_cannot_be_found_is_told_all_the_same(message: str) -> None:
    ds = daemonset()
    found = findings(SLUG, *around(ds, waiting_pod(ds, message)))
    assert found
    assert {finding.remedy.kind for finding in found if finding.remedy} == {"policy"}


@pytest.mark.parametrize("message", ["", refusal("Insufficient cpu"), refusal("node(s) had untolerated taint(s)")])
def test_silent_on_other_words(message: str) -> None:
    ds = ruled("podAntiAffinity", term({"app": "db"}, namespaces=["shop"]))
    assert said(SLUG, *around(ds, waiting_pod(ds, message), tenant("db", labels={"app": "db"}))) == []


def test_silent_where_the_pod_is_there() -> None:
    ds = ruled("podAntiAffinity", term({"app": "agent"}, "zone"))
    assert said(SLUG, *around(ds, well=("n1", "n2"))) == []
