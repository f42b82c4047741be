"""An init container runs and does not end, or a sidecar does not get started: the pod waits for something.

Often it waits for another daemon on the same node; where that one has a gap there, it is the root, and this pod
follows.
"""

from collections.abc import Iterator

from dscov.kube.objects import listed, strings, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import Culprit, crashes, culprit, event_evidence, is_steady, logs_command, said_of, spec_of
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.neighbours import waited_for
from dscov.model.nodes import is_lost
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Init containers that run on, and what they wait for, by the words of their name, command and image."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found is None or not found.holds_start or found.container.state != "running":
        return
    if crashes(found.container) and not is_steady(world, found):
        return
    other = waited_for(world, node, _texts(daemonset, found), beside=daemonset)
    probe = next(said_of(world, found.pod, "Unhealthy"), None)
    shown = found.evidence("ready", "false")
    yield Hit(
        (
            ("container", found.name),
            ("other", other.key if other else ""),
            ("because", f" for {other.key}, which has no ready pod on the node" if other else ""),
            ("probe", f": {probe.message}" if probe else ""),
        ),
        (shown, *([event_evidence(probe)] if probe else [])),
        confidence="inferred" if other else "observed",
    )


def _texts(daemonset: DaemonSet, found: Culprit) -> Iterator[str]:
    yield found.name
    _, spec = spec_of(daemonset, found.name)
    yield from (word for key in ("command", "args") for word in strings(spec, key))
    yield from (text(entry, "name") for entry in listed(spec, "env"))


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mend what it waits for."""
    facts = dict(finding.facts)
    return Remedy(
        "no-patch",
        f"mend {facts['other']} on the node; this pod follows by itself"
        if facts["other"]
        else f"see what init container {facts['container']} waits for",
        why="one daemon waits for another on the same node" if facts["other"] else "the pod is placed and waits",
        actions=(logs_command(world, daemonset, finding, facts["container"]),),
    )


CAUSE = Cause(
    code="DSC411",
    slug="init-waiting",
    title="an init container waits",
    says="init container {container} waits{because}{probe}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
