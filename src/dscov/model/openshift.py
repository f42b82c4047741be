"""OpenShift's rule that a namespace's node selector also decides where daemon pods may be.

Rule: pkg/controller/daemon/patch_nodeselector.go of openshift/kubernetes 1.36; applied only where the cluster is OpenShift.
"""

from __future__ import annotations

from collections.abc import Mapping

from dscov.kube.selectors import Selector, parse_selector
from dscov.model.cluster import Object, Snapshot

PROJECT = "openshift.io/node-selector"
UPSTREAM = "scheduler.alpha.kubernetes.io/node-selector"


def is_openshift(snapshot: Snapshot) -> bool:
    """Whether the objects show an OpenShift cluster: its own kinds, or its labels and annotations."""
    if snapshot.others.get("ClusterVersion") or snapshot.others.get("Scheduler"):
        return True
    if any(key.startswith("node.openshift.io/") for node in snapshot.nodes for key in node.labels):
        return True
    return any(
        key.startswith("openshift.io/sa.scc.")
        for ns in snapshot.others.get("Namespace", ())
        for key in _annotations(ns)
    )


def project_selectors(snapshot: Snapshot) -> Mapping[str, tuple[Selector, ...]]:
    """The selectors of every namespace that has or inherits one; empty outside OpenShift."""
    if not is_openshift(snapshot):
        return {}
    default = next((_default(obj) for obj in snapshot.others.get("Scheduler", ())), "")
    found = {
        str((ns.get("metadata") or {}).get("name") or ""): _selectors(_annotations(ns), default)
        for ns in snapshot.others.get("Namespace", ())
    }
    return {namespace: selectors for namespace, selectors in found.items() if selectors}


def _selectors(annotations: Mapping[str, str], default: str) -> tuple[Selector, ...]:
    """The upstream annotation alone where present; else the project's own or the cluster's default. Bad text is ignored."""
    text = annotations.get(UPSTREAM, annotations.get(PROJECT, default))
    try:
        selector = parse_selector(text)
    except ValueError:
        return ()
    return (selector,) if selector.requirements else ()


def _annotations(namespace: Object) -> Mapping[str, str]:
    meta = namespace.get("metadata")
    found = meta.get("annotations") if isinstance(meta, Mapping) else None
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}


def _default(scheduler: Object) -> str:
    spec = scheduler.get("spec")
    return str(spec.get("defaultNodeSelector") or "") if isinstance(spec, Mapping) else ""
