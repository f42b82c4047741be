"""Pods that a kubelet refused or put out: the reason, from the failed pod or from the events of those before it.

Rules: pkg/kubelet/lifecycle, pkg/kubelet/eviction and pkg/kubelet/kubelet.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from dscov.kube.objects import texts
from dscov.model.cluster import DaemonSet, Event, Node
from dscov.model.containers import event_evidence
from dscov.model.findings import Evidence
from dscov.model.world import World
from dscov.patterns import pattern

#: What the reasons mean and what helps, in words.
MEANING = {
    "NodeAffinity": (
        "the node's labels do not meet the pod's selector",
        "compare the pod's nodeSelector and affinity with the labels",
    ),
    "MatchNodeSelector": (
        "the node's labels do not meet the pod's selector",
        "compare the pod's nodeSelector and affinity with the labels",
    ),
    "NodeName": ("the pod names another node", "take nodeName out of the template"),
    "NodePorts": ("a host port of the pod is in use by a pod on the node", "find the pod that holds the port"),
    "PodFitsHostPorts": ("a host port of the pod is in use by a pod on the node", "find the pod that holds the port"),
    "TaintToleration": (
        "the node has a NoExecute taint that the pod does not tolerate",
        "tolerate the taint or lift it",
    ),
    "UnexpectedAdmissionError": ("a device or resource could not be allocated", "mend the device plugin on the node"),
    "TopologyAffinityError": (
        "no NUMA node can give all the resources together",
        "relax the topology manager's policy or the requests",
    ),
    "SMTAlignmentError": ("the cpu request does not fill whole cores", "ask for a multiple of the threads of a core"),
    "NodeShutdown": ("the node was shutting down", "wait until the node is back"),
    "Terminated": ("the node was shutting down", "wait until the node is back"),
    "Shutdown": ("the node was shutting down", "wait until the node is back"),
    "PodOSNotSupported": ("the pod is for another operating system", "select the operating system in the template"),
    "PodOSSelectorNodeLabelDoesNotMatch": (
        "the pod is for another operating system",
        "select the operating system in the template",
    ),
    "InvalidNodeInfo": ("the kubelet could not read its Node object", "see the kubelet's log"),
    "SysctlForbidden": (
        "the kubelet does not allow a sysctl of the pod",
        "allow it with --allowed-unsafe-sysctls, or drop it",
    ),
    "AppArmor": ("the AppArmor profile cannot be enforced", "load the profile on the node, or drop it"),
    "InitContainerRestartPolicyForbidden": ("the kubelet knows no sidecars", "upgrade the kubelet"),
    "SupplementalGroupsPolicyNotSupported": (
        "the node's runtime does not support supplementalGroupsPolicy",
        "upgrade the runtime, or drop the field",
    ),
    "PodLevelResourcesNotSupported": (
        "the kubelet knows no resources of a whole pod",
        "upgrade the kubelet, or drop the field",
    ),
    "PodFeatureUnsupported": ("the kubelet lacks a feature that the pod needs", "upgrade the kubelet"),
    "VolumeAttachmentLimitExceeded": ("the node can attach no more volumes", "move volumes off the node"),
    "EmptyPodSharedPoolError": ("no cpu is left for the pod's shared pool", "reserve fewer cpus for exclusive use"),
    "Preempting": ("the kubelet made room for a critical pod", "give the daemon a higher priority class"),
    "UnexpectedPredicateFailureType": ("the kubelet failed to judge the pod", "see the kubelet's log"),
    "Succeeded": ("the pod ended, which a daemon must not", "see what ended it; the controller makes another one"),
    "UnknownReason": ("the kubelet failed to judge the pod", "see the kubelet's log"),
}
_OTHER_OS = frozenset({"PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch"})
_FAILED = pattern(
    r"(?:\(combined from similar events\): )?Found failed daemon pod (\S+)/(\S+) on node (\S+), will try to kill it"
)
_RECENT = timedelta(minutes=30)
#: So many failed pods are no accident.
_OFTEN = 5


class Rejection(msgspec.Struct, frozen=True):
    """One refusal: `pod` is the pod's name; `again` how often the controller found a failed pod there."""

    reason: str
    message: str
    pod: str
    evidence: tuple[Evidence, ...]
    again: int = 1

    @property
    def evicted(self) -> bool:
        """Whether it was for want of disk, memory or PIDs."""
        return self.reason == "Evicted"

    @property
    def other_os(self) -> bool:
        """Whether the kubelet says that the pod is for another operating system."""
        return self.reason in _OTHER_OS


def meaning(reason: str) -> tuple[str, str]:
    """What a reason means, and what helps."""
    if reason.startswith("OutOf"):
        return f"the node is out of {reason.removeprefix('OutOf')}", "free it on the node, or ask for less"
    return MEANING.get(reason, ("the pod failed", "see the pod and the kubelet's log"))


def rejection(world: World, daemonset: DaemonSet, node: Node) -> Rejection | None:
    """The refusal that holds: of a failed pod that is there, else of those before it in the last half hour."""
    failures = list(_failures(world, daemonset, node))
    again = sum(event.count for event, _ in failures)
    for pod in world.pods(daemonset, node.name):
        if pod.finished and pod.deleted is None:
            field, value = ("status.reason", pod.reason) if pod.reason else ("status.phase", pod.phase)
            shown = Evidence(f"Pod/{pod.key}", field, value)
            return Rejection(value, pod.message, pod.name, (shown,), again)
    for event, name in failures:
        for told in world.events("Pod", daemonset.namespace, name):
            if told.reason in MEANING or told.reason == "Evicted" or told.reason.startswith("OutOf"):
                return Rejection(
                    told.reason,
                    told.message,
                    name,
                    (event_evidence(told), event_evidence(event)),
                    max(again, told.count),
                )
    return None


def keeps_failing(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the controller found failed pods on the node again and again in the last half hour."""
    return sum(event.count for event, _ in _failures(world, daemonset, node)) >= _OFTEN


def _failures(world: World, daemonset: DaemonSet, node: Node) -> Iterator[tuple[Event, str]]:
    """The controller's events of failed pods on the node, with the pod's name: an event a pod, many as one later."""
    for event in world.events("DaemonSet", daemonset.namespace, daemonset.name):
        found = _FAILED.match(event.message) if event.reason == "FailedDaemonPod" else None
        if found and found[3] == node.name and event.last and world.now - event.last < _RECENT:
            yield event, found[2]


def passes(world: World, daemonset: DaemonSet, node: Node, refused: Rejection) -> bool:
    """Whether the reason holds no more, so that the next pod will be let in."""
    if refused.again >= _OFTEN or node.ready is None or node.ready.status != "True":
        return False
    if refused.reason in {"NodeAffinity", "MatchNodeSelector"}:
        return world.placement(daemonset, node).should_run and not strange_entries(world, daemonset, node, refused)
    if refused.reason == "TaintToleration":
        return world.placement(daemonset, node).should_run
    return refused.reason in _OF_SHUTDOWN or _rebooted(world, node)


def strange_entries(world: World, daemonset: DaemonSet, node: Node, refused: Rejection) -> tuple[str, ...]:
    """Entries of the pod's own nodeSelector that the node does not meet: they were added when the pod was made."""
    pod = next((pod for pod in world.pods(daemonset, node.name) if pod.name == refused.pod), None)
    entries = texts(world.object_of(pod) if pod else {}, "spec", "nodeSelector")
    return tuple(f"{key}={value}" for key, value in entries.items() if node.labels.get(key) != value)


def _rebooted(world: World, node: Node) -> bool:
    return any(
        event.reason in {"Rebooted", "Starting"} and event.last is not None and world.now - event.last < _RECENT
        for event in world.events("Node", "", node.name)
    )


_OF_SHUTDOWN = frozenset({"NodeShutdown", "Terminated", "Shutdown", "InvalidNodeInfo"})
