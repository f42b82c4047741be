"""kubelet-rejected: refusals of the kubelet that will come again."""

import pytest
from engine.build import LOST, ago, around, daemonset, event, findings, lost_node, node, pod, rejected, said, verdict

SLUG = "kubelet-rejected"
DS = daemonset()
RESOURCE = "Pod was rejected: Node didn't have enough resource: cpu, requested: 500, used: 3900, capacity: 4000"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("OutOfcpu", "out of cpu"),
        ("OutOfpods", "out of pods"),
        ("OutOfnvidia.com/gpu", "out of nvidia.com/gpu"),
        ("NodeName", "names another node"),
        ("NodePorts", "host port"),
        ("UnexpectedAdmissionError", "could not be allocated"),
        ("TopologyAffinityError", "NUMA"),
        ("SMTAlignmentError", "whole cores"),
        ("SysctlForbidden", "sysctl"),
        ("AppArmor", "AppArmor"),
        ("PodFeatureUnsupported", "lacks a feature"),
        ("VolumeAttachmentLimitExceeded", "no more volumes"),
        ("Preempting", "critical pod"),
        ("SomethingNew", "the pod failed"),
        ("", "the pod failed"),
    ],
)
def test_a_failed_pod(reason: str, words: str) -> None:
    objects = around(DS, rejected(DS, "n1", reason, RESOURCE))
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).gap


def test_a_selector_that_was_added_to_the_pod_is_named() -> None:
    failed = rejected(DS, "n1", "NodeAffinity", spec={"nodeSelector": {"realm": "test"}})
    (sentence,) = said(SLUG, *around(DS, failed))
    assert "realm=test is not on the node" in sentence


def test_a_failure_that_comes_again_and_again_is_none_that_passes() -> None:
    failed = rejected(DS, "n1", "NodeAffinity")
    again = event(
        DS, "FailedDaemonPod", "Found failed daemon pod system/agent-n1 on node n1, will try to kill it", count=9
    )
    assert said(SLUG, *around(DS, failed, again))


FOUND = "Found failed daemon pod system/agent-{} on node n1, will try to kill it"


@pytest.mark.parametrize(
    "told",
    [
        [event(DS, "FailedDaemonPod", FOUND.format(f"x{i}"), count=1) for i in range(5)],
        [event(DS, "FailedDaemonPod", f"(combined from similar events): {FOUND.format('x')}", count=6)],
    ],
    ids=["an event a pod", "events that were combined"],
)
def test_failures_of_many_pods_are_told_one_by_one(told: list[dict[str, object]]) -> None:
    """Every pod has another name, so no event is counted up."""
    assert said(SLUG, *around(DS, rejected(DS, "n1", "NodeAffinity"), *told))
    assert verdict("n1", *around(DS, pod(DS, "n1", phase="Pending", created=ago(0)), *told)).state == "unhealthy"


@pytest.mark.parametrize("number", [1, 4])
def test_a_few_failures_are_no_rule(number: int) -> None:
    told = [event(DS, "FailedDaemonPod", FOUND.format(f"x{i}"), count=1) for i in range(number)]
    assert said(SLUG, *around(DS, rejected(DS, "n1", "NodeAffinity"), *told)) == []
    assert verdict("n1", *around(DS, pod(DS, "n1", phase="Pending", created=ago(0)), *told)).state == "starting"


def test_a_pod_that_ended() -> None:
    (sentence,) = said(SLUG, *around(DS, pod(DS, "n1", phase="Succeeded")))
    assert "a daemon must not" in sentence


def test_between_two_pods_only_events_tell() -> None:
    before = rejected(DS, "n1", "OutOfcpu")
    found = event(DS, "FailedDaemonPod", "Found failed daemon pod system/agent-n1 on node n1, will try to kill it")
    told = event(before, "OutOfcpu", "Node didn't have enough resource: cpu")
    (finding,) = findings(SLUG, *around(DS, found, told))
    assert finding.nodes == ("n1",)


def test_nodes_with_one_reason_are_one_finding() -> None:
    objects = around(DS, node("n3"), rejected(DS, "n1", "AppArmor"), rejected(DS, "n3", "AppArmor"))
    assert [finding.nodes for finding in findings(SLUG, *objects)] == [("n1", "n3")]


@pytest.mark.parametrize(
    "objects",
    [
        around(DS, pod(DS, "n1")),
        around(DS, rejected(DS, "n1", "Evicted", "The node was low on resource: memory. ")),
        around(DS, rejected(DS, "n1", "NodeAffinity")),
        around(DS, rejected(DS, "n1", "NodeShutdown")),
        around(DS, rejected(DS, "n1", "OutOfcpu", metadata={"deletionTimestamp": ago(1)})),
        around(DS, lost_node("n1"), rejected(DS, "n1", "OutOfcpu")),
        around(DS, node("n1", *LOST, ready="Unknown"), rejected(DS, "n1", "NodeShutdown")),
        around(
            DS,
            event(DS, "FailedDaemonPod", "Found failed daemon pod system/x on node n2, will try to kill it"),
            event(rejected(DS, "n1", "OutOfcpu"), "OutOfcpu", "Node didn't have enough resource: cpu"),
        ),
    ],
)
def test_silent(objects: list[dict[str, object]]) -> None:
    assert said(SLUG, *objects) == []
