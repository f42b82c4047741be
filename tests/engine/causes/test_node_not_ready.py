"""node-not-ready: nodes that say of themselves that they are not ready."""

from typing import Any

import pytest
from engine.build import EVERYTHING, ago, around, crashing, daemonset, findings, lost_node, node, pod, said, verdict

SLUG = "node-not-ready"
DS = daemonset(spec=EVERYTHING)
NO_CNI = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni not initialized"
)
TAINTS = "node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"
PLUGIN = daemonset("calico-node", spec={"hostNetwork": True})
ALL_PLUGIN = daemonset("calico-node", spec=EVERYTHING)


def unready(message: str = "PLEG is not healthy", **more: Any) -> dict[str, Any]:
    return node("n1", *TAINTS, ready="False", since=ago(hours=1), reason="KubeletNotReady", message=message, **more)


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (DS, [pod(DS, "n1", ready=False)]),
        (DS, []),
        (daemonset(), []),
        (daemonset(), [pod(daemonset(), "n1", ready=False)]),
    ],
)
def test_speaks(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    objects = around(ds, unready(), *objects)
    assert said(SLUG, *objects) == ["the node is not ready: PLEG is not healthy"]
    found = verdict("n1", *objects)
    assert (found.gap, found.causes[0]) == (True, SLUG)


@pytest.mark.parametrize("others", [[ALL_PLUGIN], [ALL_PLUGIN, pod(ALL_PLUGIN, "n1", crashing())], [PLUGIN]])
def test_the_network_plugin_is_the_root(others: list[dict[str, Any]]) -> None:
    objects = around(DS, unready(NO_CNI), pod(DS, "n1", ready=False), *others)
    sentences = said(SLUG, *objects)
    assert any(text.endswith("system/calico-node, the network plugin, has no ready pod there") for text in sentences)


def test_a_plugin_that_does_not_tolerate_the_taint_locks_itself_out() -> None:
    objects = around(PLUGIN, unready(NO_CNI))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "patch"
    assert finding.remedy.patch[0]["value"] == [
        {"effect": "NoSchedule", "key": "node.kubernetes.io/not-ready", "operator": "Exists"}
    ]


def test_the_crash_of_the_plugin_itself_is_the_root() -> None:
    objects = around(ALL_PLUGIN, unready(NO_CNI), pod(ALL_PLUGIN, "n1", crashing()))
    assert said(SLUG, *objects) == []
    assert verdict("n1", *objects).causes == ("crash-loop",)


@pytest.mark.parametrize(
    "objects",
    [
        [pod(DS, "n1")],
        [lost_node("n1"), pod(DS, "n1", ready=False)],
        [unready(created=ago(3)), pod(DS, "n1", ready=False)],
        [unready(), pod(DS, "n1")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(DS, *objects)) == []
