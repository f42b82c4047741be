"""Taint against toleration, what the controller adds, and the catalogue of known taints."""

import pytest

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import NO_EXECUTE, Taint, Toleration, effective, tolerates, untolerated

TAINT = Taint("k", "v", "NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "taint", "meets"),
    [
        (Toleration("k", "Equal", "v", "NoSchedule"), TAINT, True),
        (Toleration("k", "", "v", "NoSchedule"), TAINT, True),
        (Toleration("k", "", "v"), TAINT, True),
        (Toleration("k", "Exists"), TAINT, True),
        (Toleration("", "Exists"), TAINT, True),
        (Toleration("", "Exists", "", "NoExecute"), TAINT, False),
        (Toleration("k"), TAINT, False),
        (Toleration("k"), Taint("k", "", "NoSchedule"), True),
        (Toleration("K", "Exists"), TAINT, False),
        (Toleration("k", "Equal", "V"), TAINT, False),
        (Toleration("k", "Exists", "", "PreferNoSchedule"), TAINT, False),
        (Toleration("k", "exists"), TAINT, False),
        (Toleration("k", "Gt", "5"), Taint("k", "6", "NoSchedule"), True),
        (Toleration("k", "Gt", "5"), Taint("k", "5", "NoSchedule"), False),
        (Toleration("k", "Lt", "5"), Taint("k", "-1", "NoSchedule"), True),
        (Toleration("k", "Lt", "05"), Taint("k", "1", "NoSchedule"), False),
        (Toleration("k", "Lt", "5"), Taint("k", "x", "NoSchedule"), False),
    ],
)
def test_tolerates(toleration: Toleration, taint: Taint, meets: bool) -> None:
    assert tolerates(toleration, taint) is meets


def test_comparison_may_be_off() -> None:
    assert not tolerates(Toleration("k", "Gt", "5"), Taint("k", "6", "NoSchedule"), comparison_operators=False)


def test_no_execute_decides_and_soft_effects_never_count() -> None:
    hard, soft, odd = Taint("a", "", NO_EXECUTE), Taint("b", "", "PreferNoSchedule"), Taint("c", "", "Other")
    assert untolerated((TAINT, soft, odd, hard), ()) == (hard, TAINT)
    assert untolerated((TAINT, hard), (Toleration("k", "Exists"),)) == (hard,)


@pytest.mark.parametrize(("host_network", "count"), [(False, 6), (True, 7)])
def test_what_the_controller_adds(host_network: bool, count: int) -> None:
    assert len(effective((), host_network=host_network)) == count
    assert all(toleration.seconds is None for toleration in effective((), host_network=host_network))


@pytest.mark.parametrize(
    ("own", "kept"),
    [
        (Toleration("node.kubernetes.io/not-ready", "Exists", "", NO_EXECUTE, 30), False),
        (Toleration("node.kubernetes.io/not-ready", "", "", NO_EXECUTE, 30), True),
        (Toleration("node.kubernetes.io/not-ready", "Exists", "", "", 30), True),
        (Toleration("k", "Exists", "", NO_EXECUTE, 30), True),
    ],
)
def test_an_equal_own_toleration_is_replaced_in_its_place(own: Toleration, kept: bool) -> None:
    found = effective((own,), host_network=False)
    assert found[0].key == own.key
    assert (found[0] == own) is kept
    assert len(found) == (7 if kept else 6)


@pytest.mark.parametrize(
    ("taint", "text"),
    [(TAINT, "k=v:NoSchedule"), (Taint("k", "", "NoExecute"), "k:NoExecute")],
)
def test_written_as_kubectl_does(taint: Taint, text: str) -> None:
    assert str(taint) == text


@pytest.mark.parametrize(
    ("toleration", "text"),
    [
        (Toleration("", "Exists"), "every taint"),
        (Toleration("", "Exists", "", "NoExecute"), "every taint:NoExecute"),
        (Toleration("k", "", "v", "NoSchedule"), "k=v:NoSchedule"),
        (Toleration("k"), "k="),
        (Toleration("k", "Exists", "", "NoSchedule"), "k Exists:NoSchedule"),
        (Toleration("k", "Gt", "5"), "k Gt 5"),
    ],
)
def test_a_toleration_in_words(toleration: Toleration, text: str) -> None:
    assert str(toleration) == text


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("node.kubernetes.io/not-ready", "", Kind.CONDITION),
        ("node.kubernetes.io/unschedulable", "", Kind.MAINTENANCE),
        ("node-role.kubernetes.io/master", "", Kind.ROLE),
        ("node-role.kubernetes.io/etcd", "true", Kind.ROLE),
        ("node-role.kubernetes.io/infra", "", Kind.ISOLATION),
        ("CriticalAddonsOnly", "true", Kind.ISOLATION),
        ("eks.amazonaws.com/compute-type", "fargate", Kind.VIRTUAL),
        ("eks.amazonaws.com/compute-type", "auto", Kind.ISOLATION),
        ("virtual-kubelet.io/provider", "azure", Kind.VIRTUAL),
        ("aws-node-termination-handler/spot-itn", "x", Kind.MAINTENANCE),
        ("startup-taint.cluster-autoscaler.kubernetes.io/x", "", Kind.STARTUP),
        ("status-taint.cluster-autoscaler.kubernetes.io/x", "", Kind.CONDITION),
        ("readiness.k8s.io/x", "", Kind.STARTUP),
        ("efs.csi.aws.com/agent-not-ready", "", Kind.STARTUP),
        ("example.com/initializing", "", Kind.STARTUP),
        ("Maintenance", "", Kind.MAINTENANCE),
        ("decommissioned", "", Kind.MAINTENANCE),
        ("dedicated", "db", Kind.ISOLATION),
        ("nvidia.com/gpu", "present", Kind.ISOLATION),
    ],
)
def test_kinds(key: str, value: str, kind: Kind) -> None:
    assert look_up(Taint(key, value, "NoSchedule")).kind is kind
