"""A container of the pod keeps ending, or cannot be started; the kubelet tries again with a growing back-off.

The exit code, the reason of the runtime (OOMKilled) and the last words are in the container's last state. An address
that is in use although no pod on the node holds the port belongs to a process outside Kubernetes, which no scheduler
sees.
"""

from collections.abc import Iterator

from dscov.kube.objects import listed
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.containers import crashes, culprit, is_steady, logs_command, names_platform
from dscov.model.crashing import NO_LIMIT, crash_evidence, crash_facts, port_in_use
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import other_os
from dscov.model.starting_up import spreads_mounts
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Containers of the pod proper, or sidecars beside them, that keep ending."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found is None or found.holds_start or not crashes(found.container) or is_steady(world, found):
        return
    if names_platform(world, found) or other_os(world, daemonset, node) or spreads_mounts(found.container.message):
        return
    port = port_in_use(daemonset, found)
    holder = _holder(world, node, port, found.pod.key) if port else ""
    taken = f"; port {port} is held by {holder}" if port and holder else ""
    facts = (*crash_facts(world, daemonset, node, found), ("port", port or ""), ("holder", holder), ("taken", taken))
    yield Hit(facts, crash_evidence(world, daemonset, node, found))


def _holder(world: World, node: Node, port: str, own: str) -> str:
    """Who holds a port of the node: a pod, or a process that is none; empty where the node's pods were not read."""
    pods = world.occupants(node.name)
    for pod in pods:
        meta = pod.get("metadata") or {}
        name = f"{meta.get('namespace')}/{meta.get('name')}"
        if name != own and port in _ports(pod):
            return f"pod {name}"
    return "a process outside Kubernetes" if pods else ""


def _ports(pod: Object) -> Iterator[str]:
    """The ports that a pod holds on its node."""
    spec = pod.get("spec") or {}
    for container in listed(spec, "containers"):
        for port in listed(container, "ports"):
            held = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else None)
            yield str(held or "")


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """By how it ends."""
    facts = dict(finding.facts)
    logs = logs_command(world, daemonset, finding, facts["container"], previous=True)
    if facts["port"]:
        holder = facts["holder"] or "what holds it"
        return Remedy(
            "no-patch",
            f"free port {facts['port']} on the node ({holder}), or give the daemon another port",
            why="the scheduler knows the ports of pods only",
            actions=(f"on the node: ss -ltnp 'sport = :{facts['port']}'", logs),
        )
    if facts["reason"] == "OOMKilled":
        summary = f"raise the memory limit of container {facts['container']}, or find what it needs the memory for"
        if NO_LIMIT in facts["how"]:
            summary = f"free memory of the node, or let container {facts['container']} request what it needs"
        return Remedy(
            "no-patch", summary, why="the placement is right; the container gets too little memory", actions=(logs,)
        )
    odd = ", which only fails where the node differs" if facts["odd"] else ""
    return Remedy(
        "no-patch", f"mend container {facts['container']}{odd}", why="the placement is right", actions=(logs,)
    )


CAUSE = Cause(
    code="DSC501",
    slug="crash-loop",
    title="a container keeps ending",
    says="container {container} keeps ending: {how}{words}{taken}{odd}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
