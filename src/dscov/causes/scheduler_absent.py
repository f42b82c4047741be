"""No scheduler takes up the pod: the one it names does not exist, or none is running.

A pod that a scheduler has tried carries the condition PodScheduled and an event. Without either for minutes nobody has
looked at it. That also shows where the lease of kube-scheduler is not renewed any more.
"""

from collections.abc import Iterator

from dscov.kube.objects import listed, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import stale_lease
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import DEFAULT_SCHEDULER, held_for_claims, waiting
from dscov.model.world import World, once

_LEASE = "kube-scheduler"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods that no scheduler has spoken of, and pods of a scheduler whose lease nobody renews."""
    waits = waiting(world, daemonset, node)
    if not waits or any(listed(waits.obj, "spec", "schedulingGates")):
        return
    written = text(waits.obj, "spec", "schedulerName")
    name = written or DEFAULT_SCHEDULER
    lease = (
        once(world, ("stale lease", _LEASE), lambda: stale_lease(world, _LEASE)) if name == DEFAULT_SCHEDULER else None
    )
    shown = (Evidence(f"Pod/{waits.pod.key}", "spec.schedulerName", written),) if written else ()
    if lease:
        shown = (Evidence(f"Lease/{lease.key}", "spec.renewTime", lease.written), *shown)
        why = f"the lease of kube-scheduler was last renewed at {lease.written}"
        yield Hit((("scheduler", name), ("why", why)), shown)
    elif not waits.word and not waits.tried and not held_for_claims(waits):
        why = "no condition and no event tells of a try"
        confidence = "inferred" if "events" in world.blind_to else "observed"
        yield Hit((("scheduler", name), ("why", why)), shown, confidence=confidence)


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The default scheduler, or the missing one brought back."""
    name = dict(finding.facts)["scheduler"]
    if name != DEFAULT_SCHEDULER and text(daemonset.pod_spec, "schedulerName") == name:
        return Remedy(
            "patch",
            f"use the default scheduler, or install scheduler {name}",
            why="no scheduler of that name takes up the pods",
            target=daemonset.key,
            patch=({"op": "replace", "path": "/spec/template/spec/schedulerName", "value": DEFAULT_SCHEDULER},),
        )
    return Remedy(
        "no-patch",
        "bring kube-scheduler back"
        if name == DEFAULT_SCHEDULER
        else f"bring scheduler {name} back, or find out who names it",
        why="nothing in the spec is wrong",
        actions=(
            "kubectl -n kube-system get lease kube-scheduler -o yaml",
            "kubectl -n kube-system get pods -l component=kube-scheduler -o wide",
        ),
    )


CAUSE = Cause(
    code="DSC308",
    slug="scheduler-absent",
    title="no scheduler takes up the pod",
    says="scheduler {scheduler} does not take up the pod: {why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
