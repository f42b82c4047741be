"""insufficient-resources: amounts, who holds them, and the remedy that follows."""

import pytest
from engine.build import Json, around, daemonset, event, findings, node, said, verdict
from engine.waiting import left, priority_class, refusal, tenant

SLUG = "insufficient-resources"
ASKS = {"resources": {"requests": {"cpu": "300m", "memory": "256Mi"}}}
DS = daemonset(container=ASKS)
FULL = tenant("checkout", requests={"cpu": "3900m"})
CPU = refusal("Insufficient cpu")


def small(**allocatable: str) -> Json:
    made = node("n1")
    made["status"]["allocatable"] |= allocatable
    return made


def remedy(*objects: Json, ds: Json = DS) -> tuple[str, str]:
    (finding,) = findings(SLUG, *around(ds, *objects))
    assert finding.remedy is not None
    value = finding.remedy.patch[0]["value"] if finding.remedy.patch else ""
    return finding.remedy.kind, value


def test_amounts_and_holders() -> None:
    objects = around(DS, left(DS, CPU), FULL)
    assert said(SLUG, *objects) == [
        "cpu: the pod asks for 300m, 100m of 4 is free; held by ReplicaSet shop/checkout (1 pod, 3900m, priority 0)"
    ]
    assert verdict("n1", *objects).causes == (SLUG,)
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    ("asks", "resource"),
    [
        ({"cpu": "300m"}, "cpu"),
        ({"ephemeral-storage": "1Gi"}, "ephemeral-storage"),
        ({"hugepages-2Mi": "64Mi"}, "hugepages-2Mi"),
        ({"nvidia.com/gpu": "1"}, "nvidia.com/gpu"),
        ({"smarter-devices/fuse": "1"}, "smarter-devices/fuse"),
    ],
)
def test_any_resource(asks: dict[str, str], resource: str) -> None:
    ds = daemonset(container={"resources": {"requests": asks}})
    waits = left(ds, refusal(f"Insufficient {resource}"))
    (finding,) = findings(SLUG, *around(ds, waits, FULL))
    assert dict(finding.facts)["resources"] == resource


def test_several_resources_are_one_finding() -> None:
    waits = left(DS, refusal("Insufficient cpu", "Insufficient memory", "Too many pods"))
    (finding,) = findings(SLUG, *around(DS, waits, FULL))
    assert dict(finding.facts)["resources"] == "cpu, memory"


def test_an_init_container_asks_too() -> None:
    ds = daemonset(inits=[{"name": "i", "resources": {"requests": {"cpu": "2"}}}])
    assert "asks for 2, 100m of 4 is free" in said(SLUG, *around(ds, left(ds, CPU), FULL))[0]


def test_the_event_speaks_where_the_condition_does_not() -> None:
    waits = left(DS)
    told = event(
        waits, "FailedScheduling", "0/2 nodes are available: 1 Insufficient cpu, 1 node is filtered out by the pref ..."
    )
    assert said(SLUG, *around(DS, waits, told, FULL))


@pytest.mark.parametrize("message", [
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match node selector.",
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {a: b}, that the pod didn't tolerate.",
    "0/2 nodes are available: 1 Insufficient cpu. preemption: 0/2 nodes are available: 1 No preemption victims found..",
])  # fmt: skip
def test_messages_of_other_versions(message: str) -> None:
    assert verdict("n1", *around(DS, left(DS, message), FULL)).causes == (SLUG,)


def test_an_existing_class_is_named_where_it_evicts_enough() -> None:
    classes = [priority_class("low", -5), priority_class("high", 1000), priority_class("higher", 9000)]
    assert remedy(left(DS, CPU), FULL, *classes) == ("patch", "high")


def test_a_class_must_outrank_those_that_hold_enough() -> None:
    holders = [tenant("a", requests={"cpu": "1900m"}, priority=5000), tenant("b", requests={"cpu": "2"}, priority=7000)]
    classes = [priority_class("high", 1000), priority_class("higher", 6000)]
    assert remedy(left(DS, CPU), *holders, *classes) == ("patch", "higher")


@pytest.mark.parametrize(
    "classes",
    [
        [],
        [priority_class("system-node-critical", 2_000_001_000)],
        [priority_class("polite", 9000, preemptionPolicy="Never")],
        [priority_class("same", 0)],
    ],
    ids=["none", "of the system", "never preempts", "equal"],
)
def test_else_a_class_is_to_be_made(classes: list[Json]) -> None:
    assert remedy(left(DS, CPU), FULL, *classes) == ("policy", "")


def test_the_systems_classes_are_for_its_own_namespace() -> None:
    ds = daemonset(namespace="kube-system", container=ASKS)
    assert remedy(left(ds, CPU), FULL, priority_class("high", 10), ds=ds) == ("patch", "system-node-critical")


@pytest.mark.parametrize(
    "objects",
    [
        [small(cpu="200m")],
        [FULL, node("n1", labels={"karpenter.sh/nodepool": "ci"})],
        [FULL, node("n1", labels={"eks.amazonaws.com/compute-type": "auto"})],
        [tenant("other-agent", owner="DaemonSet", requests={"cpu": "3900m"})],
    ],
    ids=["too small", "karpenter", "auto mode", "full of daemons"],
)
def test_where_priority_does_not_help_the_change_is_elsewhere(objects: list[Json]) -> None:
    assert remedy(left(DS, CPU), *objects, priority_class("high", 1000)) == ("policy", "")


def test_a_selector_on_a_label_that_comes_late_is_named() -> None:
    ds = daemonset(container=ASKS, spec={"nodeSelector": {"karpenter.sh/registered": "true"}})
    fresh = node("n1", labels={"karpenter.sh/registered": "true"})
    (finding,) = findings(SLUG, *around(ds, left(ds, CPU), FULL, fresh, well=()))
    assert finding.remedy is not None
    assert any("karpenter.sh/registered" in action for action in finding.remedy.actions)


def test_a_pod_that_outranks_the_others_waits_only() -> None:
    ds = daemonset(container=ASKS, spec={"priority": 5000})
    assert remedy(left(ds, CPU), FULL, ds=ds) == ("no-patch", "")


@pytest.mark.parametrize(
    "message",
    [
        "",
        refusal("Too many pods"),
        refusal("node(s) didn't have free ports for the requested pod ports"),
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 1 Insufficient cpu.",
    ],
)
def test_silent_on_other_words(message: str) -> None:
    assert said(SLUG, *around(DS, left(DS, message), FULL)) == []


def test_silent_about_the_shortage_of_another_node() -> None:
    message = "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {a: b}, that the pod didn't tolerate."
    ports = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
    ds = daemonset(container=ports)
    both = message.replace(
        "1 node(s) had", "1 node(s) didn't have free ports for the requested pod ports, 1 node(s) had"
    )
    objects = around(ds, left(ds, both), tenant("holder", container=ports))
    assert verdict("n1", *objects).causes == ("host-port-conflict",)


def test_silent_where_no_daemon_can_be() -> None:
    fargate = node("n1", labels={"eks.amazonaws.com/compute-type": "fargate"})
    assert said(SLUG, *around(DS, left(DS, CPU), FULL, fargate)) == []


def test_finished_pods_hold_nothing() -> None:
    done = tenant("done", requests={"cpu": "3900m"}, phase="Succeeded")
    assert "the scheduler finds too little" in said(SLUG, *around(DS, left(DS, CPU), done))[0]
