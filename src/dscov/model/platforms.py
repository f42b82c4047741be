"""Operating system and architecture: what a node is, what a DaemonSet is for, and the selector that says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.objects import escaped, listed, text
from dscov.kube.requirements import Requirement
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import healthy_elsewhere
from dscov.model.world import World, once
from dscov.patterns import pattern

OS_LABEL, ARCH_LABEL = "kubernetes.io/os", "kubernetes.io/arch"
OS_KEYS = frozenset({OS_LABEL, "beta.kubernetes.io/os"})
_ARCH = pattern(r"(?:^|[-_:./])(amd64|x86_64|arm64|aarch64|armv7|arm32|ppc64le|s390x)(?:$|[-_.:@/])")
_SAME = {"x86_64": "amd64", "aarch64": "arm64", "armv7": "arm", "arm32": "arm"}


def node_os(node: Node) -> str:
    """The operating system, by the label or the kubelet's word; empty where neither tells."""
    return node.labels.get(OS_LABEL) or node.info.os


def node_arch(node: Node) -> str:
    """The architecture, by the label or the kubelet's word."""
    return node.labels.get(ARCH_LABEL) or node.info.architecture


def archs_where_it_runs(world: World, daemonset: DaemonSet) -> frozenset[str]:
    """The architectures of the nodes on which the DaemonSet has a ready pod; empty texts among them where one is unknown."""
    key = "architectures", daemonset.key
    return once(world, key, lambda: frozenset(map(node_arch, healthy_elsewhere(world, daemonset))))


def other_os(world: World, daemonset: DaemonSet, node: Node) -> tuple[str, str] | None:
    """The node's operating system and the one the daemon is for, where they differ.

    What it is for: by `spec.os`, selectors or a toleration of Windows; else what it runs on; else linux.
    """
    key = "operating systems", daemonset.key
    if key not in world.memo:
        runs_on = {node_os(other) for other in healthy_elsewhere(world, daemonset)}
        world.memo[key] = set(_declared(daemonset)) or runs_on or {"linux"}
    have, wanted = node_os(node), world.memo[key]
    return (have, min(wanted)) if have and have not in wanted else None


def _declared(daemonset: DaemonSet) -> Iterator[str]:
    declared = text(daemonset.pod_spec, "os", "name")
    if declared:
        yield declared
    affinity = daemonset.template.affinity
    entries: list[Requirement] = list(daemonset.template.node_selector)
    entries += [entry for term in (affinity.terms if affinity else ()) for entry in term.expressions]
    for entry in entries:
        if entry.key in OS_KEYS and not entry.admits(None):
            yield from (value for value in entry.values if value)
    for toleration in daemonset.template.own_tolerations:
        if toleration.key in {"os", "node.kubernetes.io/os", *OS_KEYS} and toleration.value:
            yield from (toleration.value, "linux")


def named_arch(daemonset: DaemonSet) -> str:
    """The one architecture that the names of its images, or its own, say it is for; empty where they do not."""
    images = [text(one, "image") for one in listed(daemonset.pod_spec, "containers")]
    for name in (*images, daemonset.name):
        found = _ARCH.search(name)
        if found:
            return _SAME.get(found[1], found[1])
    return ""


def selection(daemonset: DaemonSet, key: str, value: str) -> tuple[Mapping[str, Any], ...]:
    """The JSON patch that adds one entry to the template's nodeSelector."""
    path = "/spec/template/spec/nodeSelector"
    if daemonset.pod_spec.get("nodeSelector"):
        return ({"op": "add", "path": f"{path}/{escaped(key)}", "value": value},)
    return ({"op": "add", "path": path, "value": {key: value}},)
