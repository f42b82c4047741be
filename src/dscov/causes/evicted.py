"""The kubelet put the pod out, or does not let it in, for want of disk, memory or PIDs, or since it went over a limit.

Daemon pods tolerate the taints of disk and PID pressure, so the controller makes another pod at once, and the kubelet
puts that one out too, until the pressure is gone (and five minutes longer). Critical priority classes are spared.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.rejections import rejection
from dscov.model.world import World
from dscov.patterns import pattern

_PRESSURE = pattern(r"had condition: \[(.*?)\]")
_LOW = pattern(r"low on resource: (\S+?)\.")
_LIMIT = pattern(r"exceed(?:s|ed) (?:its local ephemeral storage limit|the total limit of containers|the limit)")
_CONDITION = {"memory": "MemoryPressure", "ephemeral-storage": "DiskPressure", "inodes": "DiskPressure"} | {
    "imagefs": "DiskPressure",
    "nodefs": "DiskPressure",
    "pids": "PIDPressure",
}


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods that were put out, there or by the events of the last half hour."""
    refused = rejection(world, daemonset, node)
    if refused is None or not refused.evicted or is_lost(node):
        return
    pressure, low = _PRESSURE.search(refused.message), _LOW.search(refused.message)
    what = (
        f"the node had {pressure[1]}" if pressure else f"the node was low on {low[1]}" if low else "the node ran short"
    )
    if _LIMIT.search(refused.message):
        yield Hit((("what", "the pod used more storage than its limit"), ("now", "")), refused.evidence)
        return
    kind = pressure[1] if pressure else _CONDITION.get(low[1], "") if low else ""
    for place, condition in enumerate(node.conditions):
        if condition.type in kind and condition.status == "True":
            shown = Evidence(f"Node/{node.name}", f"status.conditions[{place}].type", condition.type)
            facts = ("what", what), ("now", f" and still has {condition.type}")
            yield Hit(facts, (*refused.evidence, shown))
            return
    yield Hit((("what", what), ("now", "")), refused.evidence)


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Free what the node lacks, or give the pod its due."""
    facts = dict(finding.facts)
    if "limit" in facts["what"]:
        return Remedy(
            "no-patch",
            "find what fills the pod's storage, or raise its limit",
            why="the kubelet evicts a pod that goes over its storage limit",
        )
    return Remedy(
        "no-patch",
        "free the resource on the node; a critical priority class would spare the daemon",
        why="the controller tolerates the pressure, the kubelet does not: pods come and go until it is relieved",
        actions=(
            *(f"kubectl describe node {name}" for name in finding.nodes[:1]),
            f"kubectl -n {daemonset.namespace} get pods --field-selector status.phase=Failed",
        ),
    )


CAUSE = Cause(
    code="DSC403",
    slug="evicted",
    title="the kubelet evicts the pod",
    says="the kubelet evicts the pod: {what}{now}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "missing", "pending", "misscheduled"}),
)
