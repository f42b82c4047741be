"""The node's only pod is being deleted and does not go; without surge its successor is made only when it is gone.

It hangs because its node does not answer, because of finalizers, or because the kubelet cannot end it (volumes, a
stuck runtime). Within its grace period and a few minutes more this is normal.
"""

from collections.abc import Iterator
from datetime import timedelta

from dscov.kube.objects import key_of, strings, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object, Pod
from dscov.model.creation import awaits_a_pod
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost, is_not_ready
from dscov.model.world import World

#: The deletion time of a pod is when its grace ends; after these minutes more it hangs.
_SLACK = timedelta(minutes=5)


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The oldest pod that is on its way out."""
    pods = world.pods(daemonset, node.name)
    if not pods or awaits_a_pod(world, daemonset, node) or not all(pod.deleted for pod in pods):
        return
    pod = pods[0]
    obj = _object(world, pod, node)
    finalizers = strings(obj, "metadata", "finalizers")
    why = "its node does not answer" if is_lost(node) or is_not_ready(node) else "the kubelet has not ended it"
    if finalizers:
        why = f"finalizers hold it: {', '.join(finalizers)}"
    deleted = text(obj, "metadata", "deletionTimestamp")
    shown = (Evidence(f"Pod/{pod.key}", "metadata.deletionTimestamp", deleted),) if deleted else ()
    held = tuple(Evidence(f"Pod/{pod.key}", f"metadata.finalizers[{i}]", one) for i, one in enumerate(finalizers))
    brief = pod.deleted is not None and world.now - pod.deleted < _SLACK
    facts = (("pod", pod.name), ("since", deleted or "a while"), ("why", why))
    yield Hit(facts, (*shown, *held), transient=brief)


def _object(world: World, pod: Pod, node: Node) -> Object:
    """The whole pod: kept where it is not ready, else among the pods of the node."""
    found = world.object_of(pod)
    return found or next((one for one in world.occupants(node.name) if key_of(one) == pod.key), {})


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Free the node of the old pod, in the way that what holds it allows."""
    facts, namespace = dict(finding.facts), daemonset.namespace
    if facts["why"].startswith("finalizers"):
        return Remedy(
            "no-patch",
            f"let the owner of the finalizers of pod {facts['pod']} finish, or take them off if it is gone",
            why="the object stays until the last finalizer is taken off, and the successor waits for that",
            actions=(f"kubectl -n {namespace} get pod {facts['pod']} -o jsonpath='{{.metadata.finalizers}}'",),
        )
    if facts["why"].startswith("its node"):
        return Remedy(
            "no-patch",
            "bring the node back, or delete the Node object if the machine is gone",
            why="only the kubelet can confirm the end of the pod; forced deletion makes a new one on the dead node",
            actions=tuple(f"kubectl describe node {name}" for name in finding.nodes[:1]),
        )
    return Remedy(
        "no-patch",
        f"find out what keeps pod {facts['pod']} from ending; delete it by force as the last resort",
        why="without surge the successor is made only when the old pod is gone",
        actions=(
            f"kubectl -n {namespace} describe pod {facts['pod']}",
            f"kubectl -n {namespace} delete pod {facts['pod']} --force --grace-period=0",
        ),
    )


CAUSE = Cause(
    code="DSC210",
    slug="predecessor-terminating",
    title="the old pod does not go",
    says="pod {pod} is being deleted since {since} and its successor waits: {why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"terminating"}),
)
