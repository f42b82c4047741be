"""What the controller sees of a pod."""

from datetime import UTC, datetime, timedelta

import pytest

from dscov.kube.pods import DaemonPod, belongs, in_play, oldest_first, target_node
from dscov.kube.selectors import Expression, parse_selector
from dscov.kube.versions import KubernetesVersion, parse_version

NOW = datetime(2026, 5, 12, tzinfo=UTC)
NEW, OLD = KubernetesVersion(1, 36, 0), KubernetesVersion(1, 33, 0)


@pytest.mark.parametrize(
    ("ready", "since", "minimum", "new", "old"),
    [
        (False, 100, 0, False, False),
        (True, None, 0, True, True),
        (True, None, 1, False, False),
        (True, 10, 10, True, False),
        (True, 11, 10, True, True),
        (True, 9, 10, False, False),
        (True, 9, 10**12, False, False),
    ],
)
def test_available(ready: bool, since: int | None, minimum: int, new: bool, old: bool) -> None:
    pod = DaemonPod(name="p", ready=ready, ready_since=None if since is None else NOW - timedelta(seconds=since))
    assert [pod.available(minimum, NOW, version) for version in (NEW, OLD)] == [new, old]


def test_order_on_a_node() -> None:
    early, late = NOW - timedelta(hours=1), NOW
    unbound = DaemonPod(name="a", created=early)
    pods = [
        DaemonPod(name="c", node_name="n", created=late),
        unbound,
        DaemonPod(name="b", node_name="n", created=late),
        DaemonPod(name="d", node_name="n"),
        DaemonPod(name="e", node_name="n", created=early),
    ]
    assert [pod.name for pod in oldest_first(pods)] == ["e", "b", "c", "d", "a"]


NAME = "metadata.name"


@pytest.mark.parametrize(
    ("bound", "terms", "target"),
    [
        ("n1", [], "n1"),
        ("", [[Expression(NAME, "In", ("n2",))]], "n2"),
        ("", [[Expression(NAME, "NotIn", ("n2",))], [Expression(NAME, "In", ("n3",))]], "n3"),
        ("", [[Expression(NAME, "In", ("n2", "n3"))], [Expression(NAME, "In", ("n4",))]], ""),
        ("", [], ""),
    ],
)
def test_target(bound: str, terms: list[list[Expression]], target: str) -> None:
    assert target_node(bound, terms) == target


@pytest.mark.parametrize(
    ("owner", "labels", "pod_deleting", "daemonset_deleting", "counts"),
    [
        ("u", {"app": "x"}, True, True, True),
        ("u", {"app": "y"}, False, False, False),
        ("other", {"app": "x"}, False, False, False),
        ("", {"app": "x"}, False, False, True),
        ("", {"app": "x"}, True, False, False),
        ("", {"app": "x"}, False, True, False),
    ],
)
def test_belongs(
    owner: str, labels: dict[str, str], pod_deleting: bool, daemonset_deleting: bool, counts: bool
) -> None:
    assert counts is belongs(
        owner_uid=owner,
        daemonset_uid="u",
        labels=labels,
        selector=parse_selector("app=x"),
        pod_deleting=pod_deleting,
        daemonset_deleting=daemonset_deleting,
    )


@pytest.mark.parametrize(
    ("phase", "deleted", "target", "version", "counts"),
    [
        ("Failed", NOW, "n", "1.26", False),
        ("Failed", NOW, "n", "1.25", True),
        ("Failed", None, "n", "1.36", True),
        ("Running", NOW, "n", "1.36", True),
        ("Running", None, "", "1.36", False),
    ],
)
def test_in_play(phase: str, deleted: datetime | None, target: str, version: str, counts: bool) -> None:
    pod = DaemonPod(name="p", phase=phase, deleted=deleted, target=target)
    assert in_play(pod, parse_version(version)) is counts
