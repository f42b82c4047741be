"""kubelet-rejected-transient: refusals whose reason is gone."""

import pytest
from engine.build import around, daemonset, event, findings, node, pod, rejected, said, verdict

SLUG = "kubelet-rejected-transient"
DS = daemonset(spec={"nodeSelector": {"disk": "local"}})
NODES = node("n1", labels={"disk": "local"}), node("n2", labels={"disk": "local"})
REBOOT = event(node("n1"), "Rebooted", "Node n1 has been rebooted, boot id: 1")
AGAIN = event(DS, "FailedDaemonPod", "Found failed daemon pod system/agent-n1 on node n1, will try to kill it", count=9)


@pytest.mark.parametrize(
    "objects",
    [
        [rejected(DS, "n1", "NodeAffinity")],
        [rejected(DS, "n1", "MatchNodeSelector")],
        [rejected(DS, "n1", "NodeShutdown")],
        [rejected(DS, "n1", "Terminated", "Pod was terminated in response to imminent node shutdown.")],
        [rejected(DS, "n1", "TaintToleration")],
        [rejected(DS, "n1", "UnexpectedAdmissionError"), REBOOT],
    ],
)
def test_speaks(objects: list[dict[str, object]]) -> None:
    objects = around(DS, *NODES, *objects)
    (finding,) = findings(SLUG, *objects)
    assert finding.severity == "warning"
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"
    assert finding.remedy.actions == ("kubectl -n system delete pod agent-n1",)
    assert verdict("n1", *objects).gap


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [rejected(DS, "n1", "NodeAffinity", spec={"nodeSelector": {"disk": "local", "realm": "x"}})],
        [rejected(DS, "n1", "NodeAffinity"), AGAIN],
        [rejected(DS, "n1", "UnexpectedAdmissionError")],
        [rejected(DS, "n1", "OutOfcpu")],
        [rejected(DS, "n1", "Evicted")],
        [rejected(DS, "n1", "NodeShutdown"), node("n1", ready="False", labels={"disk": "local"})],
    ],
)
def test_silent(objects: list[dict[str, object]]) -> None:
    named = {obj["metadata"]["name"] for obj in objects if obj["kind"] == "Node"}
    assert said(SLUG, *around(DS, *(n for n in NODES if n["metadata"]["name"] not in named), *objects)) == []
