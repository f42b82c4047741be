"""evicted: pods that the kubelet put out or does not let in."""

import pytest
from engine.build import ago, around, condition, daemonset, event, lost_node, node, pod, rejected, said, verdict

SLUG = "evicted"
DS = daemonset()
DISK = node("n1", "node.kubernetes.io/disk-pressure:NoSchedule", conditions=[condition("DiskPressure", "True")])


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Pod was rejected: The node had condition: [DiskPressure]. ", "the node had DiskPressure"),
        ("The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ", "low on memory"),
        ("The node was low on resource: ephemeral-storage. Container main was using 2Gi", "low on ephemeral-storage"),
        ("The node was low on resource: pids. ", "low on pids"),
        ('Container main exceeded its local ephemeral storage limit "1Gi". ', "more storage than its limit"),
        ("Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ", "than its limit"),
        ('Usage of EmptyDir volume "cache" exceeds the limit "1Gi". ', "than its limit"),
        ("", "ran short"),
    ],
)
def test_speaks(message: str, words: str) -> None:
    objects = around(DS, rejected(DS, "n1", "Evicted", message))
    (sentence,) = said(SLUG, *objects)
    assert words in sentence
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    ("message", "still"),
    [
        ("The node had condition: [DiskPressure]. ", True),
        ("The node was low on resource: ephemeral-storage. ", True),
        ("The node was low on resource: memory. ", False),
    ],
)
def test_pressure_that_is_still_there_is_told(message: str, still: bool) -> None:
    (sentence,) = said(SLUG, *around(DS, DISK, rejected(DS, "n1", "Evicted", message)))
    assert ("still has DiskPressure" in sentence) is still


def test_a_fresh_pod_between_two_evictions_is_not_starting() -> None:
    before = rejected(DS, "n1", "Evicted", suffix="-a")
    text = "Found failed daemon pod system/agent-n1-a on node n1, will try to kill it"
    told = (
        event(DS, "FailedDaemonPod", text, count=30),
        event(before, "Evicted", "The node had condition: [DiskPressure]. "),
    )
    found = verdict("n1", *around(DS, DISK, *told, pod(DS, "n1", phase="Pending", created=ago(1))))
    assert (found.state, found.gap, found.causes) == ("unhealthy", True, (SLUG,))


def test_between_two_pods_only_events_tell() -> None:
    before = rejected(DS, "n1", "Evicted")
    found = event(DS, "FailedDaemonPod", "Found failed daemon pod system/agent-n1 on node n1, will try to kill it")
    objects = around(DS, DISK, found, event(before, "Evicted", "The node had condition: [DiskPressure]. "))
    assert said(SLUG, *objects)
    assert SLUG in verdict("n1", *objects).causes


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [DISK, pod(DS, "n1")],
        [rejected(DS, "n1", "OutOfcpu")],
        [lost_node("n1"), rejected(DS, "n1", "Evicted")],
        [event(DS, "FailedDaemonPod", "Found failed daemon pod system/x on node n1, will try to kill it")],
    ],
)
def test_silent(objects: list[dict[str, object]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
