"""controller-not-running: leases that nobody renews, nodes without a word."""

import pytest
from engine.build import (
    NOW,
    Json,
    ago,
    around,
    daemonset,
    event,
    findings,
    node,
    pod,
    revision,
    said,
    snapshot,
    verdict,
)
from engine.waiting import created, denied, lease

from dscov.diagnosis import diagnose
from dscov.model.cluster import Source

SLUG = "controller-not-running"
DS = daemonset()
OTHER = daemonset("other")
LEASE = "kube-controller-manager"


def alone(*objects: Json) -> list[Json]:
    """A node n1 without any pod, n2 with a ready one."""
    return around(DS, *objects)


def test_a_lease_that_nobody_renews() -> None:
    objects = alone(lease(LEASE, ago(hours=7)))
    (finding,) = findings(SLUG, *objects)
    assert (finding.confidence, finding.remedy and finding.remedy.kind) == ("observed", "no-patch")
    assert verdict("n1", *objects).causes == (SLUG,)


def test_later_events_show_that_time_went_on() -> None:
    tick = event(node("n2"), "NodeNotReady", "Node n2 status is now: NodeNotReady", last=ago(0))
    assert said(SLUG, *alone(lease(LEASE, ago(10)), tick))


@pytest.mark.parametrize("renewed", [ago(0), ago(1)])
def test_silent_where_the_lease_is_fresh(renewed: str) -> None:
    assert said(SLUG, *alone(lease(LEASE, renewed))) == []


def test_silent_in_an_old_dump_whose_lease_is_as_old_as_all_else() -> None:
    tick = event(node("n2"), "Scheduled", "Successfully assigned", last=ago(hours=5))
    assert said(SLUG, *alone(lease(LEASE, ago(hours=5)), tick)) == []


def test_in_a_live_cluster_the_clock_decides() -> None:
    taken = snapshot(*alone(lease(LEASE, ago(5)), event(node("n2"), "Scheduled", "x", last=ago(5))))
    import msgspec

    live = msgspec.structs.replace(taken, source=Source("cluster"))
    speaks = [any(f.cause == SLUG for f in diagnose(one, now=NOW).coverage[0].findings) for one in (taken, live)]
    assert speaks == [False, True]


def test_silent_about_leases_of_other_components() -> None:
    assert all("lease" not in text for text in said(SLUG, *alone(lease("kube-scheduler", ago(hours=7)))))


@pytest.mark.parametrize(
    ("closed", "causes"),
    [
        (node("n1", "node.kubernetes.io/not-ready:NoSchedule"), {"node-condition-taint", SLUG}),
        (node("n1", "node.kubernetes.io/disk-pressure:NoSchedule"), {SLUG}),
        (node("n1", "dedicated:NoSchedule"), {"untolerated-taint"}),
        (
            node("n1", "node.kubernetes.io/not-ready:NoSchedule", "dedicated:NoSchedule"),
            {"node-condition-taint", "untolerated-taint"},
        ),
        (
            node("n1", "node.kubernetes.io/not-ready:NoSchedule", ready="False"),
            {"node-condition-taint", "node-not-ready"},
        ),
    ],
    ids=["joined meanwhile", "tolerated anyway", "isolated", "isolated as well", "not ready indeed"],
)
def test_a_taint_that_nobody_lifts(closed: Json, causes: set[str]) -> None:
    """The lifecycle controller, which lifts the taint of a node that joins, is in the same process."""
    assert set(verdict("n1", *alone(closed, lease(LEASE, ago(hours=7)))).causes) == causes


def test_a_node_without_any_daemon_and_without_a_word() -> None:
    (finding,) = findings(SLUG, *alone())
    assert (finding.nodes, finding.confidence) == (("n1",), "inferred")


def counting(desired: int, name: str = "agent") -> Json:
    """The DaemonSet with a status that counts so many nodes."""
    return daemonset(name, status={"desiredNumberScheduled": desired})


def test_one_daemonset_alone_is_thin_ground() -> None:
    """The controller that counts the node has seen it; two DaemonSets it would not forget at once."""
    assert said(SLUG, *around(counting(2))) == []
    assert verdict("n1", *around(counting(2))).causes == ("unexplained",)
    assert said(SLUG, *around(counting(1))) != []
    two = counting(2), counting(2, "other")
    assert said(SLUG, *around(two[0]), two[1], revision(two[1]), pod(two[1], "n2")) != []


@pytest.mark.parametrize(
    "objects",
    [
        [OTHER, revision(OTHER), pod(OTHER, "n1"), pod(OTHER, "n2")],
        [denied(DS, "no PriorityClass with name x was found")],
        [created(DS, last=ago(30))],
        [lease(LEASE, ago(0))],
    ],
    ids=["another daemon is there", "a refusal", "a success", "a fresh lease"],
)
def test_silent_where_the_controller_works(objects: list[Json]) -> None:
    assert said(SLUG, *alone(*objects)) == []


def test_silent_where_every_node_has_its_pod() -> None:
    assert said(SLUG, *around(DS, lease(LEASE, ago(hours=7)), well=("n1", "n2"))) == []
