"""Whole small clusters in which several things are wrong at once, each with the answer that the controller's rules give."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from engine.build import EVERYTHING, Json, ago, crashing, daemonset, judged, node, pod, status, waiting, world
from engine.eligibility import asks, selecting
from engine.waiting import left, refusal

from dscov.simulation import effect_of

Causes = dict[tuple[str, str], str]

CP = {"node-role.kubernetes.io/control-plane": ""}
CP_TAINT = "node-role.kubernetes.io/control-plane:NoSchedule"
GVISOR = {"sandbox.gke.io/runtime": "gvisor"}
SELECTOR_FAILS = refusal("node(s) didn't match Pod's node affinity/selector")
NO_VARIANT = "no match for platform in manifest: not found"


@dataclass(frozen=True)
class Story:
    """`gaps` and `unwanted` by (DaemonSet, node); `gains` and `loses` of the first DaemonSet by all its patches."""

    objects: list[Json]
    gaps: Causes = field(default_factory=dict)
    unwanted: Causes = field(default_factory=dict)
    gains: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()


def tolerating(*entries: Json, name: str = "agent", **spec: object) -> Json:
    return daemonset(name, spec={"tolerations": list(entries), **spec})


def equal(key: str, value: str, effect: str = "NoSchedule") -> Json:
    return {"key": key, "operator": "Equal", "value": value, "effect": effect}


def exists(key: str, effect: str = "NoSchedule") -> Json:
    return {"key": key, "operator": "Exists", "effect": effect}


def unpulled(ds: Json, on: str) -> Json:
    return pod(ds, on, status(waiting("ImagePullBackOff", NO_VARIANT)), created=ago(hours=2))


def runtime_class() -> Json:
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "gvisor"},
        "handler": "gvisor",
        "scheduling": {"nodeSelector": GVISOR, "tolerations": [equal("sandbox.gke.io/runtime", "gvisor")]},
    }


def namespace(annotations: dict[str, str]) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system", "annotations": annotations}}


PLAIN, MIXED = daemonset(), tolerating(equal("lane", "slow"), equal("etcd", "true"))
CSI = tolerating(exists("ebs.csi.aws.com/agent-not-ready", "NoExecute"), name="ebs-csi-node")
APP = tolerating(equal("team", "red"), name="app")
SANDBOXED = daemonset(spec={"runtimeClassName": "gvisor"})
CHURNING = tolerating({**exists("batch", "NoExecute"), "tolerationSeconds": 300})
WILD, OTHER = daemonset(spec=EVERYTHING), daemonset("other")
EITHER = selecting(asks("pool", "In", "a"), asks("pool", "In", "b"), **EVERYTHING)
HUB = tolerating(equal("hub.example.org/dedicated", "user"))
FARGATE = {"eks.amazonaws.com/compute-type": "fargate"}

STORIES = {
    "three taints, no list of tolerations yet": Story(
        [
            PLAIN,
            node("n1", "a=1:NoSchedule"),
            node("n2", "b=2:NoSchedule"),
            node("n3", "c:NoExecute"),
            node("n4"),
            pod(PLAIN, "n4"),
        ],
        {("agent", name): "untolerated-taint" for name in ("n1", "n2", "n3")},
        gains=("n1", "n2", "n3"),
    ),
    "two slips in two tolerations": Story(
        [MIXED, node("n1", "lane=fast:NoSchedule"), node("n2", "etcd=true:NoExecute"), node("n3"), pod(MIXED, "n3")],
        {("agent", "n1"): "toleration-value-mismatch", ("agent", "n2"): "toleration-effect-mismatch"},
        gains=("n1", "n2"),
    ),
    "a selector's value and a taint on the same nodes": Story(
        [
            daemonset(spec={"nodeSelector": dict.fromkeys(CP, "true")}),
            node("n1", CP_TAINT, labels=CP),
            node("n2", CP_TAINT, labels=CP),
            node("n3"),
        ],
        {("agent", name): "node-selector-value-mismatch" for name in ("n1", "n2")},
        gains=("n1", "n2"),
    ),
    "a retired role in the selector and in the toleration": Story(
        [
            tolerating(exists("node-role.kubernetes.io/master"), nodeSelector={"node-role.kubernetes.io/master": ""}),
            node("n1", CP_TAINT, labels=CP),
            node("n2"),
        ],
        {("agent", "n1"): "node-selector-no-match"},
        gains=("n1",),
    ),
    "two spellings of a key: both are tolerated afterwards": Story(
        [
            HUB,
            pod(HUB, "n1"),
            node("n1", "hub.example.org/dedicated=user:NoSchedule"),
            node("n2", "hub.example.org_dedicated=user:NoSchedule"),
        ],
        {("agent", "n2"): "untolerated-taint"},
        gains=("n2",),
    ),
    "the lifter of a startup taint is kept out by another taint": Story(
        [CSI, APP, node("n1", "ebs.csi.aws.com/agent-not-ready:NoExecute", "team=red:NoSchedule"), node("n2")]
        + [pod(ds, "n2") for ds in (CSI, APP)],
        {("ebs-csi-node", "n1"): "untolerated-taint", ("app", "n1"): "startup-taint"},
    ),
    "evicted again and again on one node, kept out of another": Story(
        [CHURNING, node("n1", "batch=night:NoExecute"), node("n2", "ded=db:NoSchedule"), node("n3")]
        + [pod(CHURNING, name) for name in ("n1", "n3")],
        {("agent", "n1"): "toleration-seconds-churn", ("agent", "n2"): "untolerated-taint"},
        gains=("n2",),
    ),
    "a RuntimeClass brings selector and toleration": Story(
        [
            SANDBOXED,
            runtime_class(),
            node("n1", "sandbox.gke.io/runtime=gvisor:NoSchedule", labels=GVISOR),
            node("n2"),
            left(SANDBOXED, SELECTOR_FAILS, on="n2", spec={"nodeSelector": GVISOR}),
        ],
        {("agent", "n1"): "untolerated-taint"},
        {("agent", "n2"): "runtimeclass-selector-not-in-template"},
        gains=("n1",),
        loses=("n2",),
    ),
    "a namespace's selector and a taint within it": Story(
        [
            PLAIN,
            namespace({"scheduler.alpha.kubernetes.io/node-selector": "realm=t"}),
            node("n1", labels={"realm": "t"}),
            node("n2", "ded=x:NoSchedule", labels={"realm": "t"}),
            node("n3", labels={"realm": "o"}),
            pod(PLAIN, "n1", spec={"nodeSelector": {"realm": "t"}}),
            left(PLAIN, SELECTOR_FAILS, on="n3", spec={"nodeSelector": {"realm": "t"}}),
        ],
        {("agent", "n2"): "untolerated-taint"},
        {("agent", "n3"): "namespace-selector-not-in-template"},
        gains=("n2",),
        loses=("n3",),
    ),
    "a dedicated node is wanted, a Windows node is not": Story(
        [
            PLAIN,
            node("n1"),
            pod(PLAIN, "n1"),
            node("n2", "team=a:NoSchedule"),
            node("n3", info={"operatingSystem": "windows"}),
            unpulled(PLAIN, "n3"),
        ],
        {("agent", "n2"): "untolerated-taint"},
        {("agent", "n3"): "image-os"},
        gains=("n2",),
        loses=("n3",),
    ),
    "a virtual node and a Windows node under one wildcard": Story(
        [
            WILD,
            node("n1"),
            pod(WILD, "n1"),
            node("n2", labels={"type": "virtual-kubelet"}),
            node("n3", info={"operatingSystem": "windows"}),
            unpulled(WILD, "n3"),
        ],
        {},
        {("agent", "n2"): "unwanted-target", ("agent", "n3"): "image-os"},
        loses=("n2", "n3"),
    ),
    "an exclusion goes into each of the ORed terms": Story(
        [
            EITHER,
            node("n1", labels={"pool": "a"}),
            node("n2", labels={"pool": "b"}),
            node("n3", labels={"pool": "b", **FARGATE}),
            *(pod(EITHER, name) for name in ("n1", "n2")),
        ],
        {},
        {("agent", "n3"): "unwanted-target"},
        loses=("n3",),
    ),
    "one daemon crashes, the OTHER is not blamed": Story(
        [
            PLAIN,
            OTHER,
            node("n1"),
            node("n2"),
            pod(PLAIN, "n1"),
            *(pod(OTHER, name) for name in ("n1", "n2")),
            pod(PLAIN, "n2", crashing(1), created=ago(hours=2)),
        ],
        {("agent", "n2"): "crash-loop"},
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_gaps_and_unwanted_placements(name: str) -> None:
    story = STORIES[name]
    pairs = [(one.daemonset.name, pair) for one in judged(*story.objects).coverage for pair in one.pairs]
    gaps = {(of, pair.node): pair.verdict.causes for of, pair in pairs if pair.verdict.gap}
    unwanted = {(of, pair.node): pair.verdict.causes for of, pair in pairs if pair.verdict.unwanted}
    assert (set(gaps), set(unwanted)) == (set(story.gaps), set(story.unwanted))
    assert {key: cause for key, cause in story.gaps.items() if cause not in gaps[key]} == {}
    assert {key: cause for key, cause in story.unwanted.items() if cause not in unwanted[key]} == {}


@pytest.mark.parametrize("name", [name for name in STORIES if STORIES[name].gains or STORIES[name].loses])
def test_all_patches_together(name: str) -> None:
    story = STORIES[name]
    one = next(one for one in judged(*story.objects).coverage if one.daemonset.name == "agent")
    patch = [op for f in one.findings if f.remedy and f.remedy.kind == "patch" for op in f.remedy.patch]
    effect = effect_of(world(*story.objects), one.daemonset, patch)
    assert (effect.gains, effect.loses) == (story.gains, story.loses)
