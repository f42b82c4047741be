"""What a patch would do: nodes gained and lost, pods restarted, and patches that do not apply."""

from typing import Any

import pytest
from engine.build import ON_DELETE, around, daemonset, node, pod, world
from engine.eligibility import LIST, REQUIRED, asks, selecting

from dscov.model.findings import Effect
from dscov.simulation import effect_of, patched

SPEC = "/spec/template/spec"
EXISTS = {"key": "gpu", "operator": "Exists"}
NODES = node("n1", "gpu:NoSchedule"), node("n2"), node("n3", labels={"disk": "ssd"})


def effect(ds: dict[str, Any], patch: list[dict[str, Any]], *more: dict[str, Any]) -> Effect:
    seen = world(ds, *NODES, *more)
    return effect_of(seen, seen.snapshot.daemonsets[0], patch)


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}


@pytest.mark.parametrize(
    ("patch", "gains", "loses"),
    [
        ([], (), ()),
        ([{"op": "add", "path": LIST, "value": [EXISTS]}], ("n1",), ()),
        ([{"op": "add", "path": f"{SPEC}/nodeSelector", "value": {"disk": "ssd"}}], (), ("n2",)),
        ([{"op": "add", "path": f"{SPEC}/nodeName", "value": "n2"}], (), ("n3",)),
        (
            [
                {
                    "op": "add",
                    "path": f"{SPEC}/affinity",
                    "value": required({"matchExpressions": [asks("disk", "NotIn", "ssd")]}),
                }
            ],
            (),
            ("n3",),
        ),
        (
            [
                {
                    "op": "add",
                    "path": f"{SPEC}/affinity",
                    "value": required({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n3"]}]}),
                }
            ],
            (),
            ("n2",),
        ),
        (
            [
                {"op": "add", "path": LIST, "value": []},
                {"op": "add", "path": f"{LIST}/-", "value": EXISTS},
                {"op": "test", "path": f"{LIST}/0", "value": EXISTS},
                {"op": "replace", "path": f"{LIST}/0/key", "value": "other"},
                {"op": "add", "path": f"{LIST}/0", "value": EXISTS},
                {"op": "remove", "path": f"{LIST}/1"},
            ],
            ("n1",),
            (),
        ),
        ([{"op": "add", "path": "/metadata/labels/a~1b~0c", "value": "x"}], (), ()),
    ],
)
def test_nodes(patch: list[dict[str, Any]], gains: tuple[str, ...], loses: tuple[str, ...]) -> None:
    found = effect(daemonset(), patch)
    assert (found.gains, found.loses) == (gains, loses)


def test_a_patch_may_tell_apart_nodes_that_no_template_did() -> None:
    ds = selecting(asks("disk", "In", "hdd"))
    patch = [
        {"op": "replace", "path": f"{SPEC}/affinity", "value": required({"matchExpressions": [asks("row", "Gt", "5")]})}
    ]
    rows = [node(f"r{i}", labels={"row": str(i)}) for i in range(9)]
    assert effect(ds, patch, *rows).gains == ("r6", "r7", "r8")


@pytest.mark.parametrize(
    ("strategy", "patch", "restarts"),
    [
        (None, [{"op": "add", "path": LIST, "value": [EXISTS]}], 1),
        (ON_DELETE, [{"op": "add", "path": LIST, "value": [EXISTS]}], 0),
        (None, [{"op": "replace", "path": "/spec/updateStrategy/rollingUpdate/maxUnavailable", "value": 2}], 0),
        (None, [{"op": "add", "path": f"{SPEC}/priorityClassName", "value": "high"}], 1),
    ],
)
def test_restarts(strategy: dict[str, Any] | None, patch: list[dict[str, Any]], restarts: int) -> None:
    ds = daemonset(strategy=strategy)
    seen = world(*around(ds, pod(ds, "n2"), well=()))
    assert effect_of(seen, seen.snapshot.daemonsets[0], patch).restarts == restarts


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": f"{LIST}/-", "value": EXISTS},
        {"op": "remove", "path": f"{SPEC}/nodeName"},
        {"op": "replace", "path": f"{SPEC}/nodeName", "value": "n1"},
        {"op": "replace", "path": f"{SPEC}/containers/7/image", "value": "x"},
        {"op": "add", "path": f"{SPEC}/containers/x", "value": {}},
        {"op": "test", "path": f"{SPEC}/nodeName", "value": "n1"},
        {"op": "add", "path": LIST, "value": "no list"},
        {"op": "add", "path": f"{SPEC}/nodeName/x", "value": "n1"},
        {"op": "replace", "path": "/metadata/name", "value": 5},
    ],
)
def test_a_patch_that_does_not_apply(operation: dict[str, Any]) -> None:
    seen = world(daemonset(), *NODES)
    with pytest.raises(ValueError, match="patch"):
        patched(seen.snapshot.daemonsets[0], [operation])


def test_the_original_is_left_alone() -> None:
    seen = world(daemonset(), *NODES)
    (before,) = seen.snapshot.daemonsets
    assert patched(before, [{"op": "add", "path": LIST, "value": [EXISTS]}]).template.own_tolerations
    assert not before.template.own_tolerations
    assert "tolerations" not in before.obj["spec"]["template"]["spec"]


@pytest.mark.parametrize("path", [f"{LIST}/-1", f"{LIST}/01", f"{LIST}/+1", f"{LIST}/9", f"{LIST}/x"])
def test_a_place_is_one_that_a_server_takes(path: str) -> None:
    (ds,) = world(daemonset(spec={"tolerations": [EXISTS]})).snapshot.daemonsets
    with pytest.raises(ValueError, match="does not apply"):
        patched(ds, [{"op": "add", "path": path, "value": EXISTS}])


@pytest.mark.parametrize("op", ["copy", "move", "", None])
def test_an_operation_that_is_none(op: str | None) -> None:
    (ds,) = world(daemonset(spec={"tolerations": [EXISTS]})).snapshot.daemonsets
    for path in (LIST, f"{LIST}/0"):
        with pytest.raises(ValueError, match="does not apply"):
            patched(ds, [{"op": op, "path": path, "value": EXISTS}])
