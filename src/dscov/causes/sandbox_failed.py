"""The pod's sandbox cannot be made: no network plugin at work on the node, no runtime handler, no device claim.

Where the network plugin's own daemon has a gap on the node, that is the root, and this pod follows by itself. A pod
that has not come to any container for long, without a word about images or volumes, is reported here too.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod
from dscov.model.containers import event_evidence, last_words, said_of
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.neighbours import ailing_network
from dscov.model.nodes import is_not_ready, is_virtual
from dscov.model.rejections import rejection
from dscov.model.starting_up import MOUNT, SANDBOX, not_started
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Pods whose sandbox fails by the events, or that wait without a word."""
    pod = not_started(world, daemonset, node)
    if pod is None:
        return
    event = next(said_of(world, pod, *SANDBOX), None)
    if event is None:
        told = next(said_of(world, pod, *MOUNT, "Pulling", "Pulled", "Failed"), None)
        elsewhere = is_not_ready(node) or is_virtual(node) or rejection(world, daemonset, node) is not None
        if told is None and not elsewhere and not _is_young(world, pod):
            shown = Evidence(f"Pod/{pod.key}", "status.phase", pod.phase)
            yield Hit((("words", "no event tells why"), ("other", ""), ("because", "")), (shown,), confidence="unknown")
        return
    network = "network" in event.message.lower() or "cni" in event.message.lower()
    other = ailing_network(world, node, beside=daemonset) if network else None
    because = f"; {other.key}, the network plugin, has a gap there" if other else ""
    facts = ("words", _words(event.message)), ("other", other.key if other else ""), ("because", because)
    yield Hit(facts, (event_evidence(event),))


def _is_young(world: World, pod: Pod) -> bool:
    return pod.created is not None and world.now - pod.created < world.grace.pod


def _words(message: str) -> str:
    """What the runtime said, without the ids of the sandbox that differ from pod to pod."""
    return last_words(
        message.rpartition("desc = ")[2] if "setup network" not in message else message.rpartition(": ")[2]
    )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The network plugin, or the node's runtime."""
    other = dict(finding.facts)["other"]
    return Remedy(
        "no-patch",
        f"mend {other} on the node; the pod follows by itself"
        if other
        else "see the network plugin and the runtime there",
        why="the pod is placed; the node cannot make its sandbox",
        actions=tuple(f"kubectl describe node {name}" for name in finding.nodes[:1]),
    )


CAUSE = Cause(
    code="DSC409",
    slug="sandbox-failed",
    title="the pod's sandbox cannot be made",
    says="the pod has not got to its first container: {words}{because}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
