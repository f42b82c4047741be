"""A promise held against what is there."""

from engine.build import around, crashing, daemonset, judged, node, pod, status, waiting

from dscov.model.findings import Effect
from dscov.verification import broken, verify


def test_kept_and_broken() -> None:
    ds = daemonset(spec={"tolerations": [{"key": "gpu", "operator": "Exists"}]})
    tainted = [node(name, "gpu:NoSchedule") for name in ("g1", "g2", "g3")]
    creating = status(waiting("ContainerCreating"))
    pods = [pod(ds, "g1"), pod(ds, "g2", crashing()), pod(ds, "g3", creating, created="2026-05-12T09:29:30Z")]
    (coverage,) = judged(*around(ds, *tainted, *pods, nodes=("n2",))).coverage
    checks = verify(coverage, targets=("g1", "g2", "gone"), effect=Effect(gains=("g1", "g3")))
    assert [(one.node, one.met, one.state) for one in checks] == [
        ("g1", True, "covered"),
        ("g2", False, "unhealthy"),
        ("g3", False, "starting"),
    ]
    assert [one.node for one in broken(checks)] == ["g2", "g3"]
    assert checks[1].causes == ("crash-loop",)


def test_a_node_that_is_to_be_left() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}})
    (coverage,) = judged(*around(ds, node("n1", labels={"disk": "ssd"}), pod(ds, "n1"), well=("n2",))).coverage
    checks = verify(coverage, targets=("n1",), effect=Effect(loses=("n2",)))
    assert [(one.node, one.met) for one in checks] == [("n1", True), ("n2", False)]
