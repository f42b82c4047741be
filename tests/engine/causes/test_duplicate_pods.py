"""duplicate-pods: more live pods than one, and pods whose owner is gone."""

from typing import Any

import pytest
from engine.build import ago, around, daemonset, findings, pod, rejected, rolling, said, terminating

SLUG = "duplicate-pods"
DS = daemonset()
SURGE = daemonset(strategy=rolling(0, 1))
FORMER = daemonset(metadata={"uid": "former"})
RESTORED = pod(FORMER, "n1", suffix="-old")


def test_several_of_its_own() -> None:
    objects = around(DS, pod(DS, "n1"), pod(DS, "n1", suffix="-b", created=ago(10)))
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("warning", ("n1",))
    assert finding.remedy is not None
    assert finding.remedy.actions == ("kubectl -n system delete pod agent-n1-b",)


def test_pods_of_an_owner_that_is_gone() -> None:
    (finding,) = findings(SLUG, *around(DS, pod(DS, "n1"), RESTORED))
    assert finding.nodes == ("n1",)
    assert "a DaemonSet that is gone" in said(SLUG, *around(DS, pod(DS, "n1"), RESTORED))[0]


def test_three_pods_of_a_surge() -> None:
    pods = [pod(SURGE, "n1", suffix=suffix) for suffix in ("-a", "-b", "-c")]
    assert said(SLUG, *around(SURGE, *pods))


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [pod(DS, "n1")]),
        (DS, [pod(DS, "n1"), terminating(pod(DS, "n1", suffix="-b"))]),
        (DS, [pod(DS, "n1"), terminating(rejected(DS, "n1", "Terminated", suffix="-b"), finalizers=["x/y"])]),
        (SURGE, [pod(SURGE, "n1", revision="h1"), pod(SURGE, "n1", suffix="-b")]),
        (DS, [pod(DS, "n1"), rejected(DS, "n1", "Evicted", suffix="-b")]),
        (DS, [pod(DS, "n1"), FORMER | {"metadata": FORMER["metadata"] | {"name": "other"}}, RESTORED]),
    ],
)
def test_silent(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(ds, *objects)) == []


def test_a_finished_pod_that_a_finalizer_holds_covers_nothing_and_hides_nothing() -> None:
    held = terminating(rejected(DS, "n1", "Terminated", suffix="-a", created=ago(days=9)), finalizers=["x/y"])
    assert findings(SLUG, *around(DS, held, pod(DS, "n1"))) == []
