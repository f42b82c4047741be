"""Versions as servers write them."""

import pytest

from dscov.kube.versions import NEWEST, KubernetesVersion, parse_version


@pytest.mark.parametrize(
    ("text", "version", "shown"),
    [
        ("v1.31.4-gke.1", KubernetesVersion(1, 31, 4), "v1.31.4"),
        ("v1.31.5+k3s1", KubernetesVersion(1, 31, 5), "v1.31.5"),
        ("1.36", KubernetesVersion(1, 36, 99), "v1.36"),
        ("1.37+", KubernetesVersion(1, 37, 99), "v1.37"),
        ("v1.28.3-eks-4f4795d", KubernetesVersion(1, 28, 3), "v1.28.3"),
    ],
)
def test_reads(text: str, version: KubernetesVersion, shown: str) -> None:
    assert parse_version(text) == version
    assert str(version) == shown


@pytest.mark.parametrize("text", ["", "v1", "one.two", "latest", "v.1.2"])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="Kubernetes version"):
        parse_version(text)


def test_order() -> None:
    assert KubernetesVersion(1, 9, 0) < KubernetesVersion(1, 10, 0) < KubernetesVersion(1, 10, 1) < NEWEST


@pytest.mark.parametrize(
    ("rule", "since"),
    [
        ("ignores_finished_deleting_pods", 26),
        ("budget_counts_unavailable_old_pods", 28),
        ("sidecars", 28),
        ("node_updates_may_be_skipped", 33),
        ("in_place_resize", 33),
        ("availability_inclusive", 34),
        ("pod_level_resources", 34),
        ("pod_level_resize", 36),
        ("aggregates_pod_sums", 37),
    ],
)
def test_rules_and_the_release_that_brought_them(rule: str, since: int) -> None:
    assert getattr(KubernetesVersion(1, since, 0), rule) is True
    assert getattr(KubernetesVersion(1, since - 1, 99), rule) is False
