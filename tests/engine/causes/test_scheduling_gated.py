"""scheduling-gated: gates of the template and of others."""

import pytest
from engine.build import Json, around, condition, daemonset, findings, said, verdict
from engine.waiting import left, refusal

SLUG = "scheduling-gated"
GATES = {"schedulingGates": [{"name": "example.com/wait"}, {"name": "kueue.x-k8s.io/admission"}]}
BLOCKED = condition(
    "PodScheduled", "False", reason="SchedulingGated", message="Scheduling is blocked due to non-empty scheduling gates"
)


@pytest.mark.parametrize(("ds", "kind"), [(daemonset(spec=GATES), "patch"), (daemonset(), "policy")])
def test_gates(ds: Json, kind: str) -> None:
    waits = left(ds, BLOCKED["message"], spec=GATES)
    objects = around(ds, waits)
    assert said(SLUG, *objects) == [
        "the pod waits for its scheduling gates to be lifted: example.com/wait, kueue.x-k8s.io/admission"
    ]
    (finding,) = findings(SLUG, *objects)
    assert (finding.remedy and finding.remedy.kind) == kind
    assert verdict("n1", *objects).gap
    assert verdict("n1", *objects).causes == (SLUG,)


def test_the_gates_leave_the_template() -> None:
    ds = daemonset(spec=GATES)
    (finding,) = findings(SLUG, *around(ds, left(ds, BLOCKED["message"])))
    assert finding.remedy is not None
    assert finding.remedy.patch == ({"op": "remove", "path": "/spec/template/spec/schedulingGates"},)


@pytest.mark.parametrize("message", ["", refusal("Insufficient cpu")])
def test_silent_without_gates(message: str) -> None:
    ds = daemonset()
    assert said(SLUG, *around(ds, left(ds, message, spec={"schedulingGates": []}))) == []


def test_silent_where_the_pod_is_there() -> None:
    assert said(SLUG, *around(daemonset(), well=("n1", "n2"))) == []
