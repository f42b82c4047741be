"""OpenShift's rule that a namespace's node selector also decides where daemon pods may be.

Rule: pkg/controller/daemon/patch_nodeselector.go of openshift/kubernetes 1.36; applied only where the cluster is OpenShift.
Most clusters show that by marks of their own; of a few objects saved by hand, what the controller counted tells it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from dscov.kube.objects import name_of, text, texts
from dscov.kube.placement import place
from dscov.kube.selectors import Selector, parse_selector
from dscov.model.cluster import DaemonSet, Node, Snapshot

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
        for key in texts(ns, "metadata", "annotations")
    )


def project_selectors(snapshot: Snapshot) -> Mapping[str, tuple[Selector, ...]]:
    """The selectors of every namespace that has or inherits one; empty outside OpenShift."""
    default = next((text(obj, "spec", "defaultNodeSelector") for obj in snapshot.others.get("Scheduler", ())), "")
    found = {
        name_of(ns): _selectors(texts(ns, "metadata", "annotations"), default)
        for ns in snapshot.others.get("Namespace", ())
    }
    held = {namespace: selectors for namespace, selectors in found.items() if selectors}
    return held if held and (is_openshift(snapshot) or _are_obeyed(snapshot, held)) else {}


def _are_obeyed(snapshot: Snapshot, held: Mapping[str, tuple[Selector, ...]]) -> bool:
    """Whether the controller went by the selectors, for each DaemonSet where that makes a difference."""
    placed = {(pod.owner_uid, pod.target) for pod in snapshot.pods if pod.namespace in held}
    seen = [
        _obeys(daemonset, snapshot.nodes, held[daemonset.namespace], placed)
        for daemonset in snapshot.daemonsets
        if daemonset.namespace in held and daemonset.observed_generation == daemonset.generation > 0
    ]
    return True in seen and False not in seen


def _obeys(
    daemonset: DaemonSet, nodes: Sequence[Node], project: tuple[Selector, ...], placed: Set[tuple[str, str]]
) -> bool | None:
    """Whether DESIRED counts the nodes that the selector admits too, and no others have pods; None where it admits all."""
    wanted = [
        node
        for node in nodes
        if place(daemonset.template, name=node.name, labels=node.labels, taints=node.taints).should_run
    ]
    beyond = [node.name for node in wanted if not all(selector.matches(node.labels) for selector in project)]
    if not beyond:
        return None
    counted = daemonset.reported.desired_number_scheduled == len(wanted) - len(beyond)
    return counted and not any((daemonset.identity, name) in placed for name in beyond)


def _selectors(annotations: Mapping[str, str], default: str) -> tuple[Selector, ...]:
    """The upstream annotation alone where present; else the project's own or the cluster's default. Bad text is ignored."""
    try:
        selector = parse_selector(annotations.get(UPSTREAM, annotations.get(PROJECT, default)))
    except ValueError:
        return ()
    return (selector,) if selector.requirements else ()
