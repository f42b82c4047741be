"""The node selector of the OpenShift project (or the cluster's default one) keeps the DaemonSet off the node.

On OpenShift the DaemonSet controller also tests the namespace's selector, so DESIRED shrinks and no pod is pending.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Selectors of the project that the node does not meet."""
    for reason in world.placement(daemonset, node).reasons:
        if reason.selector:
            evidence = Evidence(f"Namespace/{daemonset.namespace}", "metadata.name", daemonset.namespace)
            yield Hit((("selector", str(reason.selector)), ("namespace", daemonset.namespace)), (evidence,))


def cure(_world: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """An empty selector on the namespace."""
    return Remedy(
        "policy",
        f"set the node selector of the project {daemonset.namespace} to the empty one",
        why="the project's selector is merged into every pod; the template cannot lift it",
        actions=(f'kubectl annotate namespace {daemonset.namespace} --overwrite openshift.io/node-selector=""',),
    )


CAUSE = Cause(
    code="DSC117",
    slug="project-node-selector",
    title="the project's node selector excludes the node",
    says="the project {namespace} asks for {selector}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
