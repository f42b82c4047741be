"""toleration-without-selector: special hardware that is tolerated and not selected."""

from typing import Any

import pytest
from engine.build import around, crashing, daemonset, findings, node, pod, said, verdict

SLUG = "toleration-without-selector"
TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
DS = daemonset("nvidia-device-plugin", spec={"tolerations": [TOLERATION]})
GPU = node("n2", "nvidia.com/gpu=present:NoSchedule", labels={"nvidia.com/gpu.present": "true"})


def test_it_crashes_on_exactly_the_nodes_without_the_hardware() -> None:
    objects = around(DS, GPU, pod(DS, "n1", crashing()))
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("error", ("n1",))
    assert finding.remedy is not None
    assert finding.remedy.patch == (
        {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"nvidia.com/gpu.present": "true"}},
    )
    found = verdict("n1", *objects)
    assert (found.gap, found.unwanted) == (False, True)


def test_any_label_that_divides_the_nodes_will_do() -> None:
    ds = daemonset("plugin", spec={"tolerations": [{"key": "sku", "value": "gpu", "effect": "NoSchedule"}]})
    special = node("n2", "sku=gpu:NoSchedule", labels={"example.com/pool": "special"})
    (finding,) = findings(SLUG, *around(ds, special, pod(ds, "n1", crashing())))
    assert finding.remedy is not None
    assert finding.remedy.patch[0]["value"] == {"example.com/pool": "special"}


def test_it_is_well_everywhere() -> None:
    objects = around(DS, GPU, pod(DS, "n1"))
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("info", ())
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"
    assert verdict("n1", *objects).unwanted is False


AGENT = daemonset(spec={"tolerations": [TOLERATION]})
SELECTS = daemonset(spec={"tolerations": [TOLERATION], "nodeSelector": {"nvidia.com/gpu.present": "true"}})
PLAIN = daemonset()
LABELLED = node("n1", labels={"nvidia.com/gpu.present": "true"})


def test_a_node_with_the_hardware_that_crashes_too_is_another_matter() -> None:
    objects = around(DS, GPU, LABELLED, node("n3"), pod(DS, "n1", crashing()), pod(DS, "n3", crashing()))
    assert [finding.severity for finding in findings(SLUG, *objects)] == ["info"]
    assert verdict("n3", *objects).gap


@pytest.mark.parametrize(
    ("ds", "objects"),
    [
        (SELECTS, [GPU]),
        (PLAIN, [pod(PLAIN, "n1", crashing())]),
        (DS, [pod(DS, "n1", crashing())]),
        (DS, [node("n2"), pod(DS, "n1")]),
        (AGENT, [GPU, pod(AGENT, "n1")]),
        (daemonset(spec={"tolerations": [{"key": "dedicated", "operator": "Exists"}]}), [GPU]),
    ],
)
def test_silent(ds: dict[str, Any], objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *around(ds, *objects)) == []
