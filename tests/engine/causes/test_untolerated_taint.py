"""untolerated-taint: taints that no toleration meets, and those that count as meant."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, daemonset, node, verdict
from engine.eligibility import LIST, advised, all_cured, asks, cured, gaps, selecting, sentences, spoken, tolerating

SLUG = "untolerated-taint"
PLAIN = node("n2")
AGENT = daemonset()
ROLE = "node-role.kubernetes.io/"
CONTROL = f"{ROLE}control-plane:NoSchedule"


def appended(**toleration: str) -> list[dict[str, Any]]:
    return [{"op": "add", "path": f"{LIST}/-", "value": toleration}]


def listed(*tolerations: dict[str, str]) -> list[dict[str, Any]]:
    return [{"op": "add", "path": LIST, "value": list(tolerations)}]


DEDICATED = {"effect": "NoSchedule", "key": "dedicated", "operator": "Equal", "value": "db"}


@pytest.mark.parametrize(
    ("ds", "taint", "patch"),
    [
        (AGENT, "dedicated=db:NoSchedule", listed(DEDICATED)),
        (AGENT, "gpu:NoSchedule", listed({"effect": "NoSchedule", "key": "gpu", "operator": "Exists"})),
        (AGENT, "dedicated=db:NoExecute", listed({**DEDICATED, "effect": "NoExecute"})),
        (tolerating("gpu:NoSchedule"), "dedicated=db:NoSchedule", appended(**DEDICATED)),
        (
            tolerating("nvidia.com/gpu:NoSchedule"),
            "gpu:NoSchedule",
            appended(effect="NoSchedule", key="gpu", operator="Exists"),
        ),
        (
            tolerating(f"{ROLE}master:NoSchedule"),
            CONTROL,
            appended(effect="NoSchedule", key=f"{ROLE}control-plane", operator="Exists"),
        ),
        (
            tolerating(CONTROL),
            f"{ROLE}master=true:NoSchedule",
            appended(effect="NoSchedule", key=f"{ROLE}master", operator="Equal", value="true"),
        ),
        (
            tolerating({"key": "dedicated", "operator": "Gt", "value": "5"}),
            "dedicated=3:NoSchedule",
            appended(effect="NoSchedule", key="dedicated", operator="Equal", value="3"),
        ),
        (
            AGENT,
            f"{ROLE}infra:NoSchedule",
            listed({"effect": "NoSchedule", "key": f"{ROLE}infra", "operator": "Exists"}),
        ),
        (
            AGENT,
            "CriticalAddonsOnly=true:NoSchedule",
            listed({"effect": "NoSchedule", "key": "CriticalAddonsOnly", "operator": "Equal", "value": "true"}),
        ),
    ],
)
def test_one_exact_toleration(ds: dict[str, Any], taint: str, patch: list[dict[str, Any]]) -> None:
    objects = ds, node("n1", taint), PLAIN
    assert sentences(SLUG, *objects) == [f"taint {taint} is not tolerated"]
    assert cured(SLUG, *objects) == (patch, {"n1"})
    assert gaps(*objects) == {"n1"}


@pytest.mark.parametrize(
    "ds",
    [
        tolerating(f"{ROLE}master:NoSchedule"),
        tolerating("control-plane:NoSchedule"),
        tolerating(f"{ROLE}etcd:NoExecute"),
        daemonset(spec={"nodeSelector": {f"{ROLE}control-plane": ""}}),
        selecting(asks(f"{ROLE}control-plane", "Exists")),
    ],
)
def test_whoever_mentions_the_control_plane_wants_it(ds: dict[str, Any]) -> None:
    assert gaps(ds, node("n1", CONTROL, labels={f"{ROLE}control-plane": ""}), PLAIN) == {"n1"}


MEANT = [
    (AGENT, node("n1", CONTROL)),
    (AGENT, node("n1", f"{ROLE}master:NoSchedule")),
    (AGENT, node("n1", f"{ROLE}controlplane=true:NoSchedule", f"{ROLE}etcd=true:NoExecute")),
    (AGENT, node("n1", "CriticalAddonsOnly=true:NoExecute", labels={f"{ROLE}master": "true"})),
    (AGENT, node("n1", CONTROL, "dedicated=db:NoSchedule")),
    (tolerating("gpu:NoSchedule"), node("n1", CONTROL)),
    (selecting(asks(f"{ROLE}master", "DoesNotExist")), node("n1", CONTROL)),
    (AGENT, node("n1", "eks.amazonaws.com/compute-type=fargate:NoSchedule")),
    (AGENT, node("n1", "virtual-kubelet.io/provider=azure:NoSchedule")),
    (AGENT, node("n1", "dedicated=db:NoSchedule", labels={"type": "virtual-kubelet"})),
    (AGENT, node("n1", "ToBeDeletedByClusterAutoscaler=1778578000:NoSchedule")),
    (AGENT, node("n1", "karpenter.sh/disrupted:NoSchedule")),
    (AGENT, node("n1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")),
    (AGENT, node("n1", "node.kubernetes.io/unschedulable:NoExecute")),
    (AGENT, node("n1", "dedicated=db:NoSchedule", metadata={"deletionTimestamp": ago(1)})),
    (AGENT, node("n1", "maintenance=disk:NoSchedule")),
    (AGENT, node("n1", "os=windows:NoSchedule", info={"operatingSystem": "windows"})),
    (daemonset(spec={"nodeSelector": {"disk": "ssd"}}), node("n1", "dedicated=db:NoSchedule")),
    (tolerating({"key": "karpenter.sh/disrupted", "value": "x"}), node("n1", "karpenter.sh/disrupted:NoSchedule")),
    (
        tolerating("node.kubernetes.io/out-of-service:NoSchedule"),
        node("n1", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
    ),
]


@pytest.mark.parametrize(("ds", "barred"), MEANT)
def test_meant(ds: dict[str, Any], barred: dict[str, Any]) -> None:
    assert gaps(ds, barred, PLAIN) == set()
    assert SLUG in verdict("n1", ds, barred, PLAIN).causes


@pytest.mark.parametrize(
    ("ds", "taint"),
    [
        (AGENT, "dedicated=db:PreferNoSchedule"),
        (AGENT, "node.kubernetes.io/unschedulable:NoSchedule"),
        (AGENT, "node.kubernetes.io/disk-pressure:NoSchedule"),
        (AGENT, "DeletionCandidateOfClusterAutoscaler=1:PreferNoSchedule"),
        (AGENT, "node.kubernetes.io/not-ready:NoSchedule"),
        (AGENT, "node.cilium.io/agent-not-ready=true:NoSchedule"),
        (daemonset(spec=EVERYTHING), "dedicated=db:NoExecute"),
        (tolerating("dedicated"), "dedicated=db:NoSchedule"),
        (tolerating("dedicated=db"), "dedicated=db:NoExecute"),
        (tolerating("dedicated=web:NoSchedule"), "dedicated=db:NoSchedule"),
        (tolerating("dedicated:NoExecute"), "dedicated=db:NoSchedule"),
        (tolerating("dedicatd:NoSchedule"), "dedicated=db:NoSchedule"),
    ],
)
def test_silent(ds: dict[str, Any], taint: str) -> None:
    assert spoken(SLUG, ds, node("n1", taint), PLAIN) == []
    assert SLUG not in verdict("n1", ds, node("n1", taint), PLAIN).causes


TWO = node("n1", "dedicated=db:NoSchedule", "gpu:NoSchedule")


@pytest.mark.parametrize("ds", [AGENT, tolerating("spot:NoSchedule")])
def test_two_taints_of_a_node_need_both_patches_and_get_them(ds: dict[str, Any]) -> None:
    assert len(spoken(SLUG, ds, TWO, PLAIN)) == 2
    assert all_cured(ds, TWO, PLAIN) == {"n1"}


def test_one_of_two_taints_is_tolerated() -> None:
    objects = tolerating("gpu:NoSchedule"), TWO, PLAIN
    assert sentences(SLUG, *objects) == ["taint dedicated=db:NoSchedule is not tolerated"]
    assert cured(SLUG, *objects) == (appended(**DEDICATED), {"n1"})


def test_both_effects_of_a_key_get_an_exact_toleration_each() -> None:
    objects = AGENT, node("n1", "dedicated=db:NoSchedule", "dedicated=db:NoExecute"), PLAIN
    both = listed({**DEDICATED, "effect": "NoExecute"}, DEDICATED)
    assert [f.remedy and list(f.remedy.patch) for f in spoken(SLUG, *objects)] == [both, both]
    assert all_cured(*objects) == {"n1"}


def test_two_values_of_a_key_are_two_findings() -> None:
    objects = AGENT, node("n1", "dedicated=db:NoSchedule"), node("n3", "dedicated=web:NoSchedule"), PLAIN
    assert len(spoken(SLUG, *objects)) == 2
    assert all_cured(*objects) == {"n1", "n3"}


MANY = [node(f"{value}-1", f"dedicated={value}:NoSchedule") for value in ("db", "ml", "web")]


def test_many_values_of_a_key_make_one_toleration_of_the_key() -> None:
    objects = AGENT, *MANY, node("cp", CONTROL), PLAIN
    assert sentences(SLUG, *objects) == [
        "taint dedicated=db:NoSchedule, dedicated=ml:NoSchedule, dedicated=web:NoSchedule is not tolerated"
    ]
    patch = listed({"effect": "NoSchedule", "key": "dedicated", "operator": "Exists"})
    assert cured(SLUG, *objects) == (patch, {"db-1", "ml-1", "web-1"})


def test_many_values_of_which_one_is_for_another_system_stay_exact() -> None:
    windows = node("win-1", "dedicated=win:NoSchedule", info={"operatingSystem": "windows"})
    objects = AGENT, *MANY[:2], windows, PLAIN
    assert all_cured(*objects) == {"db-1", "ml-1"}


def test_nodes_of_one_taint_fold() -> None:
    objects = AGENT, *(node(f"gpu-{i}", "gpu:NoSchedule") for i in range(5)), PLAIN
    (finding,) = spoken(SLUG, *objects)
    assert finding.nodes == tuple(f"gpu-{i}" for i in range(5))


def test_an_owner_that_reverts_edits_makes_it_a_policy() -> None:
    ds = daemonset(labels={"addonmanager.kubernetes.io/mode": "Reconcile"})
    kind, summary = advised(SLUG, ds, node("n1", "gpu:NoSchedule"), PLAIN)
    assert kind == "policy"
    assert "not in the live object" in summary


def test_the_taint_of_an_architecture_asks_for_images_of_it() -> None:
    (finding,) = spoken(SLUG, AGENT, node("n1", "kubernetes.io/arch=arm64:NoSchedule"), PLAIN)
    assert finding.remedy is not None
    assert finding.remedy.why.endswith("; right only if the images are built for arm64")


def test_a_taint_without_a_key_is_no_ground_to_tolerate_every_taint() -> None:
    keyless = node("n1", ":NoSchedule")
    assert sentences(SLUG, AGENT, keyless, PLAIN) == [
        "taint :NoSchedule, which has no key and no API server stores, is not tolerated"
    ]
    assert advised(SLUG, AGENT, keyless, PLAIN)[0] == "no-patch"
    (finding,) = spoken(SLUG, AGENT, keyless, PLAIN)
    assert finding.remedy
    assert finding.remedy.patch == ()
    assert finding.remedy.summary == "correct the file: a taint has a key"
