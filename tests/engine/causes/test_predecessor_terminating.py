"""predecessor-terminating: old pods that do not go."""

import pytest
from engine.build import ago, around, daemonset, findings, lost_node, pod, rolling, said, terminating, verdict

SLUG = "predecessor-terminating"
DS = daemonset()


def test_a_pod_that_hangs() -> None:
    objects = around(DS, terminating(pod(DS, "n1")))
    (finding,) = findings(SLUG, *objects)
    assert dict(finding.facts)["why"] == "the kubelet has not ended it"
    assert verdict("n1", *objects).gap


def test_finalizers_are_named() -> None:
    (finding,) = findings(SLUG, *around(DS, terminating(pod(DS, "n1"), finalizers=["example.com/guard"])))
    assert dict(finding.facts)["why"] == "finalizers hold it: example.com/guard"
    assert finding.remedy is not None
    assert not any("--force" in action for action in finding.remedy.actions)


def test_on_a_dead_node_force_is_no_remedy() -> None:
    ds = daemonset(spec={"tolerations": [{"operator": "Exists"}]})
    objects = around(ds, lost_node("n1"), terminating(pod(ds, "n1")))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert "bring the node back" in finding.remedy.summary
    assert not any("--force" in action for action in finding.remedy.actions)
    assert verdict("n1", *objects).causes[0] == "node-lost"


def test_within_its_grace_it_is_no_gap() -> None:
    objects = around(DS, terminating(pod(DS, "n1"), since=ago(2)))
    assert said(SLUG, *objects)
    assert not verdict("n1", *objects).gap


@pytest.mark.parametrize("surge", [1, "10%"])
def test_silent_with_surge(surge: int | str) -> None:
    ds = daemonset(strategy=rolling(0, surge))
    assert said(SLUG, *around(ds, terminating(pod(ds, "n1")))) == []


def test_silent_where_the_successor_is_there() -> None:
    assert said(SLUG, *around(DS, terminating(pod(DS, "n1", suffix="-old")), pod(DS, "n1"))) == []


def test_silent_about_finished_pods_that_only_a_finalizer_holds() -> None:
    done = terminating(pod(DS, "n1", phase="Failed"), finalizers=["example.com/guard"])
    assert said(SLUG, *around(DS, done)) == []
