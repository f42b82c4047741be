"""Revisions, outdated pods, and the numbers of a rollout."""

import pytest

from dscov.kube.revisions import Strategy, is_updated, read_strategy, rollout_budget, scaled


@pytest.mark.parametrize(
    ("labels", "generation", "updated"),
    [
        ({"controller-revision-hash": "h2"}, None, True),
        ({"controller-revision-hash": "h1"}, None, False),
        ({}, None, False),
        ({"pod-template-generation": "7"}, "7", True),
        ({"pod-template-generation": "7"}, "07", True),
        ({"pod-template-generation": "7"}, "8", False),
        ({"pod-template-generation": "x"}, "x", False),
    ],
)
def test_is_updated(labels: dict[str, str], generation: str | None, updated: bool) -> None:
    assert is_updated(labels, current_hash="h2", generation=generation) is updated


def test_without_a_known_hash_no_pod_is_updated() -> None:
    assert not is_updated({"controller-revision-hash": ""}, current_hash="", generation=None)


@pytest.mark.parametrize(
    ("value", "total", "count"), [(2, 10, 2), ("10%", 3, 1), ("50%", 3, 2), ("0%", 5, 0), ("100%", 5, 5), ("10%", 0, 0)]
)
def test_scaled(value: int | str, total: int, count: int) -> None:
    assert scaled(value, total) == count


@pytest.mark.parametrize("value", [None, "10", "ten%", "%", "1.5%"])
def test_scaled_refuses(value: str | None) -> None:
    with pytest.raises(ValueError, match=r"."):
        scaled(value, 10)


@pytest.mark.parametrize(
    ("raw", "unavailable", "surge", "usable"),
    [
        ({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}, 1, 0, 1),
        ({"rollingUpdate": {"maxUnavailable": "10%"}}, 1, 0, 1),
        ({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "20%"}}, 0, 1, 0),
        ({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}, 0, 0, 1),
        ({"type": "OnDelete"}, 0, 0, 0),
    ],
)
def test_budget(raw: dict[str, object], unavailable: int, surge: int, usable: int) -> None:
    found = rollout_budget({"spec": {"updateStrategy": raw}}, 4)
    assert (found.max_unavailable, found.max_surge, found.usable_unavailable) == (unavailable, surge, usable)
    assert read_strategy(raw).surges is (surge > 0)


def test_surge_that_cannot_be_read_is_none() -> None:
    assert Strategy(max_surge="x").surges is False
