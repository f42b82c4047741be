"""The pod has scheduling gates: the scheduler does not look at it until whoever set them takes them off.

Gates come from the template or from a webhook (queueing systems such as Kueue). There is no event, only the condition
PodScheduled with reason SchedulingGated.
"""

from collections.abc import Iterator

from dscov.kube.objects import listed, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import waiting
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Gates that are still there."""
    waits = waiting(world, daemonset, node)
    names = [text(gate, "name") for gate in listed(waits.obj, "spec", "schedulingGates")] if waits else []
    if waits and names:
        shown = (Evidence(f"Pod/{waits.pod.key}", f"spec.schedulingGates[{i}].name", n) for i, n in enumerate(names))
        yield Hit((("gates", ", ".join(names)),), tuple(shown))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The template's gates go; those of others are for them to lift."""
    gates = dict(finding.facts)["gates"]
    if any(listed(daemonset.pod_spec, "schedulingGates")):
        return Remedy(
            "patch",
            f"take the scheduling gates out of the template ({gates})",
            why="nobody lifts the gates of a daemon's pods, and each new pod has them again",
            target=daemonset.key,
            patch=({"op": "remove", "path": "/spec/template/spec/schedulingGates"},),
        )
    return Remedy(
        "policy",
        f"except the DaemonSet from whoever sets the gates {gates} (a webhook, a queue), or have it lift them",
        why="admission adds the gates; the template has none",
        actions=("kubectl get mutatingwebhookconfigurations",),
    )


CAUSE = Cause(
    code="DSC310",
    slug="scheduling-gated",
    title="scheduling gates hold the pod",
    says="the pod waits for its scheduling gates to be lifted: {gates}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
