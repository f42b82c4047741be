"""The kinds of objects that are read, and what it means for an answer that one of them was not seen."""

from __future__ import annotations

from dscov.model.cluster import NotSeen

#: The kinds that are read, with the API groups that mean them ("" is the core group).
GROUPS = {
    "Node": {""},
    "Pod": {""},
    "DaemonSet": {"apps", "extensions"},
    "ControllerRevision": {"apps"},
    "Event": {"", "events.k8s.io"},
    "Namespace": {""},
    "ResourceQuota": {""},
    "ServiceAccount": {""},
    "LimitRange": {""},
    "PriorityClass": {"scheduling.k8s.io"},
    "RuntimeClass": {"node.k8s.io"},
    "PodDisruptionBudget": {"policy"},
    "Lease": {"coordination.k8s.io"},
    "Scheduler": {"config.openshift.io"},
    "ClusterVersion": {"config.openshift.io"},
}

RESOURCES = {
    "Node": "nodes",
    "Pod": "pods",
    "DaemonSet": "daemonsets.apps",
    "ControllerRevision": "controllerrevisions.apps",
    "Event": "events",
    "Namespace": "namespaces",
    "ResourceQuota": "resourcequotas",
    "PriorityClass": "priorityclasses.scheduling.k8s.io",
    "RuntimeClass": "runtimeclasses.node.k8s.io",
    "Lease": "leases.coordination.k8s.io",
    "Scheduler": "schedulers.config.openshift.io",
}

#: What it means for the answer that a resource was not seen. Those of BLIND leave pairs undecided.
MEANING = {
    "Node": "only nodes that daemon pods are on are shown, and whether a pod is wanted there is not known",
    "Pod": "whether the pods that should be there are there is not known",
    "DaemonSet": "these DaemonSets are missing from the report",
    "ControllerRevision": "which pods are of an older revision is judged by the template generation alone",
    "Event": "reasons that only events tell (failed creation, failed scheduling) may be missing",
    "Namespace": "selectors that a namespace adds to pods are not known",
}
BLIND = frozenset({"Node", "Pod", "DaemonSet"})


def not_seen(kind: str, *, verb: str, reason: str, detail: str = "") -> NotSeen:
    """A kind that could not be looked at, with what that means for the answer."""
    meaning = MEANING.get(kind, "some reasons may be missing")
    return NotSeen(RESOURCES.get(kind, kind.lower()), verb, reason, meaning, kind in BLIND, detail)


def is_read(kind: str, group_version: str) -> bool:
    """Whether objects of a kind are read, where its `apiVersion` (or an empty text) does not say that it is another."""
    groups = GROUPS.get(kind)
    if groups is None:
        return False
    group = group_version.rpartition("/")[0]
    return group in groups or not group_version
