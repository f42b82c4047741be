"""The image is not for the node's architecture: no variant of it is, or its program cannot be run (exec format error).

Often only the program's own log says so; then it is inferred where the daemon fails on every node of one architecture
and is well on another. A node agent is meant for such nodes too, so that is a gap, unless the image's name or the
DaemonSet's binds it to another architecture.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import Culprit, crashes, culprit, how_it_ended, names_platform
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import ARCH_LABEL, archs_where_it_runs, named_arch, node_arch, other_os, selection
from dscov.model.world import World

#: Exit codes of a program that could not be run at all.
_UNRUN = frozenset({1, 126, 255})


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Platform words on a node of the right operating system, or a daemon that crashes on one architecture alone."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found is None or other_os(world, daemonset, node):
        return
    arch = node_arch(node)
    said = names_platform(world, found)
    elsewhere = sorted(archs_where_it_runs(world, daemonset) - {"", arch})
    if not said and not _fails_by_arch(world, daemonset, node, found):
        return
    bound = named_arch(daemonset)
    where = f"Node/{node.name}", "status.nodeInfo.architecture", node.info.architecture
    if not node.info.architecture:
        where = f"Node/{node.name}", f"metadata.labels.{ARCH_LABEL}", arch
    field, *_, code = how_it_ended(found.container)
    crash = found.evidence(f"{field}.exitCode", code) if code is not None else None
    yield Hit(
        (
            ("arch", arch or "the node"),
            ("words", f": {said[0]}" if said else ""),
            ("elsewhere", f"; it runs on {', '.join(elsewhere)}" if elsewhere else ""),
            ("bound", bound if bound != arch else ""),
        ),
        tuple(filter(None, (Evidence(*where), said[1] if said else crash))),
        wants_none=bool(bound) and bound != arch,
        confidence="observed" if said else "inferred",
    )


def _fails_by_arch(world: World, daemonset: DaemonSet, node: Node, found: Culprit) -> bool:
    """Whether the container crashes without a word, and no node of this architecture but one of another is well."""
    *_, message, code = how_it_ended(found.container)
    if not crashes(found.container) or found.container.restarts < 2 or message or code not in _UNRUN:
        return False
    well = archs_where_it_runs(world, daemonset)
    return bool(well) and node_arch(node) not in well


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """An image of several architectures; or a selector, where the image is bound to one."""
    facts = dict(finding.facts)
    if facts["bound"]:
        return Remedy(
            "patch",
            f"select {ARCH_LABEL}={facts['bound']}, and run another DaemonSet for {facts['arch']}",
            why=f"the image is for {facts['bound']} by its name",
            target=daemonset.key,
            patch=selection(daemonset, ARCH_LABEL, facts["bound"]),
        )
    return Remedy(
        "no-patch",
        f"use an image that has a variant for {facts['arch']}; select {ARCH_LABEL} as long as there is none",
        why="the placement is right, the image is not",
    )


CAUSE = Cause(
    code="DSC406",
    slug="image-architecture",
    title="the image is not for the node's architecture",
    says="the image is not for {arch}{words}{elsewhere}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
)
