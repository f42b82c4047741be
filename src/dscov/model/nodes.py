"""What can be said of a node beside placement: young, lost, leaving, no place for daemons, and who lifts its taints."""

from __future__ import annotations

from dscov.kube.objects import text
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.marks import is_leaving, is_virtual, is_young_at, pool_of
from dscov.model.neighbours import is_network_plugin
from dscov.model.roles import is_cloud_controller, role_of
from dscov.model.world import World, once
from dscov.patterns import pattern

__all__ = [
    "UNINITIALIZED",
    "denied_by",
    "initialises",
    "is_foreign",
    "is_leaving",
    "is_lost",
    "is_not_ready",
    "is_taken_away",
    "is_virtual",
    "is_young",
    "lifter",
    "lifts",
    "pool_of",
]


#: The taint with which a kubelet joins where the cloud is no part of it.
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"


def is_young(world: World, node: Node) -> bool:
    """Whether the node joined within its grace period: it is starting, not broken."""
    return is_young_at(node, world.now, world.grace.node)


def is_taken_away(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether something takes the node away, so that it is no gap of the DaemonSet.

    Where it is declared that the daemon belongs there, the mere look of an unknown taint's key is not enough.
    """
    if node.name not in world.leaving:
        return False
    known = (entry for entry in map(look_up, node.taints) if entry.kind is Kind.MAINTENANCE and entry.owner)
    return not world.zone(daemonset, node).meant or node.deleted is not None or any(known)


def is_lost(node: Node) -> bool:
    """Whether the node's kubelet has stopped reporting (Ready is Unknown)."""
    return node.ready is not None and node.ready.status == "Unknown"


def is_not_ready(node: Node) -> bool:
    """Whether the node says of itself that it is not ready."""
    return node.ready is not None and node.ready.status == "False"


#: Which condition of a node each taint of the node lifecycle controller stands for, and with which status.
_STANDS_FOR = {
    "node.kubernetes.io/not-ready": ("Ready", "False"),
    "node.kubernetes.io/unreachable": ("Ready", "Unknown"),
    "node.kubernetes.io/memory-pressure": ("MemoryPressure", "True"),
    "node.kubernetes.io/disk-pressure": ("DiskPressure", "True"),
    "node.kubernetes.io/pid-pressure": ("PIDPressure", "True"),
    "node.kubernetes.io/network-unavailable": ("NetworkUnavailable", "True"),
}


def denied_by(node: Node, taint: Taint) -> int | None:
    """The place of the condition that says the contrary of a taint; None where the condition bears it out or is absent."""
    kind, status = _STANDS_FOR.get(taint.key, ("", ""))
    found = (place for place, one in enumerate(node.conditions) if one.type == kind and one.status != status)
    return next(found, None)


def is_foreign(daemonset: DaemonSet, node: Node) -> bool:
    """Whether the node is a Windows machine and nothing in the template shows that its owner thought of Windows."""
    if (node.labels.get("kubernetes.io/os") or node.info.os) != "windows":
        return False
    template = daemonset.template
    words = [f"{t.key}={t.value}" for t in template.own_tolerations]
    words += [str(entry) for entry in template.node_selector]
    words += [
        str(entry) for term in (template.affinity.terms if template.affinity else ()) for entry in term.expressions
    ]
    return text(daemonset.pod_spec, "os", "name") != "windows" and not any("windows" in word.lower() for word in words)


def lifter(world: World, node: Node, taint: Taint) -> DaemonSet | None:
    """The DaemonSet with a ready pod on the node that most likely lifts the taint; None where none is at work there."""
    here = (ds for ds in world.snapshot.daemonsets if any(pod.ready for pod in world.pods(ds, node.name)))
    found = [ds for ds in here if lifts(world, ds, taint)]
    return found[0] if found else None


def lifts(world: World, daemonset: DaemonSet, taint: Taint) -> bool:
    """Whether the DaemonSet's job is to lift the taint: it registers the driver of that name, or is named like it.

    What is named like a storage driver has to look like one. A taint of Cilium's goes by whatever network plugin there
    is where nothing is named so.
    """
    drivers = once(world, ("drivers",), lambda: {ds.key: role_of(ds) for ds in world.snapshot.daemonsets})
    registering = {key for key, role in drivers.items() if role.subject and role.subject == _named(taint)}
    if registering:
        return daemonset.key in registering
    words = [word for word in _WORD.findall(_named(taint)) if len(word) > 2 and word not in _COMMON]
    named = [ds for ds in world.snapshot.daemonsets if any(word in ds.name for word in words)]
    if "csi" in _named(taint).split("."):
        named = [ds for ds in named if drivers[ds.key].kind == "storage"]
    if named or not taint.key.endswith("cilium.io/agent-not-ready"):
        return daemonset in named
    return is_network_plugin(daemonset)


def initialises(daemonset: DaemonSet, taint: Taint) -> bool:
    """Whether the taint is that of nodes that no cloud has initialised, and the DaemonSet is what does so."""
    return taint.key == UNINITIALIZED and is_cloud_controller(daemonset)


def _named(taint: Taint) -> str:
    """The part of the key that names its owner: the domain, or the whole where there is none."""
    return taint.key.partition("/")[0].lower()


_WORD = pattern("[a-z0-9]+")
_COMMON = frozenset(
    {"node", "com", "aws", "amazonaws", "csi", "kubernetes", "k8s", "sigs", "cloud", "google", "azure", "org", "net"}
    | {"not", "ready", "agent", "startup", "taint", "uninitialized", "initializing", "bootstrap", "cluster", "dev"}
    | {"autoscaler", "ignore", "readiness", "cloudprovider", "karpenter"}
)
