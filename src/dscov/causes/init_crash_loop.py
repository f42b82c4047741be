"""An init container ends with an error again and again, so the pod's own containers never start.

Where only some nodes fail, what they have and the others have not (kernel, OS image, architecture) is often the reason.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import crashes, culprit, is_steady, logs_command, names_platform
from dscov.model.crashing import crash_evidence, crash_facts
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import other_os
from dscov.model.starting_up import spreads_mounts
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Init containers that end with an error, or cannot be started, before the pod's own."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found is None or not found.holds_start or not crashes(found.container) or is_steady(world, found):
        return
    if names_platform(world, found) or other_os(world, daemonset, node) or spreads_mounts(found.container.message):
        return
    yield Hit(crash_facts(world, daemonset, node, found), crash_evidence(world, daemonset, node, found))


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """What the init container needs of the node."""
    facts = dict(finding.facts)
    return Remedy(
        "no-patch",
        f"give init container {facts['container']} what it needs on these nodes"
        + ", or use the image of the others" * bool(facts["odd"]),
        why="the placement is right; the init container fails on what it finds there",
        actions=(logs_command(world, daemonset, finding, facts["container"], previous=True),),
    )


CAUSE = Cause(
    code="DSC410",
    slug="init-crash-loop",
    title="an init container keeps failing",
    says="init container {container} keeps failing: {how}{words}{odd}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
