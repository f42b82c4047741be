"""What keeps a node from being eligible although a pod of the DaemonSet is there, in words, and whether that passes."""

from __future__ import annotations

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence
from dscov.model.nodes import is_leaving
from dscov.model.world import World

_PASSING = frozenset({Kind.MAINTENANCE, Kind.CONDITION, Kind.STARTUP})


def why_misplaced(world: World, daemonset: DaemonSet, node: Node) -> tuple[str, tuple[Evidence, ...]]:
    """The reasons in one text, with the taints as evidence, else the pod that is there."""
    reasons = world.placement(daemonset, node).reasons
    words = [f"taint {reason.taint}" if reason.taint else str(reason.entry or reason) for reason in reasons]
    shown = [Evidence(f"Node/{node.name}", "spec.taints", str(reason.taint)) for reason in reasons if reason.taint]
    pods = [pod for pod in world.pods(daemonset, node.name) if pod.node_name and not shown]
    shown += [Evidence(f"Pod/{pod.key}", "spec.nodeName", pod.node_name) for pod in pods[:1]]
    return ", ".join(dict.fromkeys(words)), tuple(shown)


def passes(world: World, daemonset: DaemonSet, node: Node) -> str:
    """Why the misplacement passes by itself; empty where it does not."""
    pods = world.pods(daemonset, node.name)
    if is_leaving(node):
        return "the node is going away"
    if pods and all(pod.deleted is not None for pod in pods):
        return "the pod is on its way out"
    taints: list[Taint | None] = [reason.taint for reason in world.placement(daemonset, node).reasons]
    if taints and all(taint and look_up(taint).kind in _PASSING for taint in taints):
        return "the taint is lifted when the node is well again"
    return ""
