"""The node's kubelet refused the pod: phase Failed, with the reason in the status and no container ever started.

The controller deletes such a pod and makes another one, with a back-off of up to 15 minutes per node; so at times there
is a fresh pod, or none, and only events tell of those before it.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import last_words
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import other_os
from dscov.model.rejections import meaning, passes, rejection, strange_entries
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Refusals that will come again: no eviction, nothing that has passed, no matter of the operating system."""
    refused = rejection(world, daemonset, node)
    if refused is None or refused.evicted or is_lost(node) or passes(world, daemonset, node, refused):
        return
    if refused.other_os and other_os(world, daemonset, node):
        return
    gist, helps = meaning(refused.reason)
    added = strange_entries(world, daemonset, node, refused) if "Affinity" in refused.reason else ()
    if added:
        gist = f"{gist}: {', '.join(added)} is not on the node"
    words = last_words(refused.message)
    yield Hit(
        (("reason", refused.reason), ("gist", gist), ("helps", helps), ("words", f" ({words})" if words else "")),
        refused.evidence,
    )


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """What helps against the reason, at the node."""
    facts = dict(finding.facts)
    return Remedy(
        "no-patch",
        facts["helps"],
        why="the controller placed the pod; the kubelet decides by what the node has",
        actions=(
            *(f"kubectl describe node {name}" for name in finding.nodes[:1]),
            f"kubectl -n {daemonset.namespace} get events --field-selector reason={facts['reason']}",
        ),
    )


CAUSE = Cause(
    code="DSC401",
    slug="kubelet-rejected",
    title="the kubelet refuses the pod",
    says="the kubelet refuses the pod, {reason}: {gist}{words}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "missing", "pending", "misscheduled"}),
)
