"""controller-pending: generations that the controller has not seen."""

import pytest
from engine.build import Json, ago, around, daemonset, pod, said, terminating, verdict

SLUG = "controller-pending"


def behind(observed: int, **meta: object) -> Json:
    return daemonset(
        metadata={"generation": 3, **meta},
        status={"observedGeneration": observed} if observed else {"observedGeneration": 0},
    )


@pytest.mark.parametrize(
    ("observed", "sentence"),
    [(2, "the controller has seen generation 2 of 3"), (0, "the controller has never seen it")],
)
def test_behind(observed: int, sentence: str) -> None:
    objects = around(behind(observed))
    assert said(SLUG, *objects) == [sentence]
    assert verdict("n1", *objects).gap


def test_right_after_an_edit_it_is_no_gap() -> None:
    edited = [{"manager": "kubectl-edit", "operation": "Update", "time": ago(1)}]
    assert not verdict("n1", *around(behind(2, managedFields=edited))).gap
    status = [{"manager": "kube-controller-manager", "subresource": "status", "time": ago(1)}]
    assert verdict("n1", *around(behind(2, managedFields=status))).gap


def test_a_daemonset_that_goes_is_no_gap() -> None:
    ds = daemonset(metadata={"deletionTimestamp": ago(1)})
    assert said(SLUG, *around(ds)) == ["the DaemonSet is being deleted, the controller makes no more pods"]
    assert not verdict("n1", *around(ds)).gap


def test_silent_where_the_controller_is_up_to_date() -> None:
    assert said(SLUG, *around(daemonset())) == []


def test_silent_where_the_pods_are_there() -> None:
    ds = behind(2)
    assert said(SLUG, *around(ds, well=("n1", "n2"))) == []


def test_silent_where_an_old_pod_is_in_the_way() -> None:
    ds = behind(2)
    assert said(SLUG, *around(ds, terminating(pod(ds, "n1")))) == []
