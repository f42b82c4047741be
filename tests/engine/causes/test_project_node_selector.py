"""project-node-selector: OpenShift's selectors of a namespace, which its controller tests too."""

from typing import Any

import pytest
from engine.build import daemonset, judged, node, said, verdict
from engine.eligibility import advised, gaps

SLUG = "project-node-selector"
PROJECT, UPSTREAM = "openshift.io/node-selector", "scheduler.alpha.kubernetes.io/node-selector"
WORKER, INFRA = node("n1", labels={"role": "worker"}), node("n2", labels={"role": "infra"})
AGENT = daemonset()


def namespace(**annotations: str) -> dict[str, Any]:
    held = {
        "openshift.io/sa.scc.mcs": "s0:c1,c0",
        **{key.replace("__", "/").replace("_", "-"): v for key, v in annotations.items()},
    }
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system", "annotations": held}}


def annotated(**annotations: str) -> dict[str, Any]:
    made = namespace()
    named = {"project": PROJECT, "upstream": UPSTREAM}
    made["metadata"]["annotations"] |= {named[key]: value for key, value in annotations.items()}
    return made


def scheduler(selector: str) -> dict[str, Any]:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Scheduler",
        "metadata": {"name": "cluster"},
        "spec": {"defaultNodeSelector": selector},
    }


@pytest.mark.parametrize(
    ("objects", "selector", "annotation"),
    [
        ([annotated(project="role=worker")], "role in (worker)", PROJECT),
        ([annotated(upstream="role=worker")], "role in (worker)", UPSTREAM),
        ([annotated(upstream="role=worker", project="role=infra")], "role in (worker)", UPSTREAM),
        ([annotated(project="role notin (infra)")], "role notin (infra)", PROJECT),
        ([annotated(), scheduler("role=worker")], "role in (worker)", PROJECT),
        ([annotated(project="role=worker"), scheduler("role=infra")], "role in (worker)", PROJECT),
    ],
)
def test_speaks(objects: list[dict[str, Any]], selector: str, annotation: str) -> None:
    everything = AGENT, WORKER, INFRA, *objects
    assert said(SLUG, *everything) == [f"the project system asks for {selector}"]
    assert gaps(*everything) == {"n2"}
    found = verdict("n2", *everything)
    assert (found.should_run, found.should_continue_running) == (False, False)
    kind, _ = advised(SLUG, *everything)
    assert kind == "policy"
    (finding,) = (f for f in judged(*everything).coverage[0].findings if f.cause == SLUG)
    assert finding.remedy is not None
    assert finding.remedy.actions == (f'kubectl annotate namespace system --overwrite {annotation}=""',)


@pytest.mark.parametrize(
    "objects",
    [
        [],
        [annotated()],
        [annotated(project="")],
        [annotated(project=""), scheduler("role=worker")],
        [annotated(upstream=""), scheduler("role=worker")],
        [annotated(upstream="", project="role=worker")],
        [annotated(project="role in")],
        [annotated(project="kubernetes.io/os=linux")],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, AGENT, WORKER, INFRA, *objects) == []


def test_silent_outside_openshift() -> None:
    plain = annotated(project="role=worker")
    del plain["metadata"]["annotations"]["openshift.io/sa.scc.mcs"]
    assert said(SLUG, AGENT, WORKER, INFRA, plain) == []


def counted(desired: int, **more: Any) -> dict[str, Any]:
    return daemonset(status={"desiredNumberScheduled": desired, **more})


def unmarked(**annotations: str) -> dict[str, Any]:
    made = annotated(**annotations)
    del made["metadata"]["annotations"]["openshift.io/sa.scc.mcs"]
    return made


@pytest.mark.parametrize("key", ["project", "upstream"])
def test_what_the_controller_counted_shows_openshift_where_no_mark_does(key: str) -> None:
    everything = counted(1), WORKER, INFRA, unmarked(**{key: "role=worker"})
    assert said(SLUG, *everything) == ["the project system asks for role in (worker)"]
    assert gaps(*everything) == {"n2"}


@pytest.mark.parametrize(
    "objects",
    [
        [counted(2)],
        [counted(0)],
        [counted(1, observedGeneration=1)],
        [counted(1), daemonset("other", status={"desiredNumberScheduled": 2})],
        [daemonset(spec={"nodeSelector": {"role": "worker"}}, status={"desiredNumberScheduled": 1})],
    ],
)
def test_counts_that_do_not_show_it(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects, WORKER, INFRA, unmarked(project="role=worker")) == []


def test_a_patch_of_the_template_does_not_lift_it() -> None:
    tainted = node("n3", "gpu:NoSchedule", labels={"role": "infra"})
    other = node("n4", "gpu:NoSchedule", labels={"role": "worker"})
    (one,) = judged(AGENT, WORKER, INFRA, tainted, other, annotated(project="role=worker")).coverage
    (finding,) = (f for f in one.findings if f.cause == "untolerated-taint")
    assert finding.remedy is not None
    assert finding.remedy.effect.gains == ("n4",)
