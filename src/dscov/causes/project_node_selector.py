"""The node selector of the OpenShift project (or the cluster's default one) keeps the DaemonSet off the node.

On OpenShift the DaemonSet controller also tests the namespace's selector, so DESIRED shrinks and no pod is pending.
"""

from collections.abc import Iterator

from dscov.kube.objects import text, texts
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import namespace_of
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.openshift import PROJECT, UPSTREAM
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Selectors of the project that the node does not meet."""
    for reason in world.placement(daemonset, node).reasons:
        if reason.selector:
            key = _source(world, daemonset)
            namespace = f"Namespace/{daemonset.namespace}"
            told = text(namespace_of(world, daemonset), "metadata", "annotations", key)
            shown = Evidence(namespace, f"metadata.annotations.{key}", told) if key else None
            name = Evidence(namespace, "metadata.name", daemonset.namespace)
            facts = ("selector", str(reason.selector)), ("namespace", daemonset.namespace), ("annotation", key)
            yield Hit(facts, (shown or name,))


def _source(world: World, daemonset: DaemonSet) -> str:
    """The annotation that the selector comes from; empty where it is the cluster's default."""
    held = texts(namespace_of(world, daemonset), "metadata", "annotations")
    return next((key for key in (UPSTREAM, PROJECT) if key in held), "")


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """An empty selector on the namespace, in the annotation that counts."""
    key = dict(finding.facts)["annotation"] or PROJECT
    return Remedy(
        "policy",
        f"set the node selector of the project {daemonset.namespace} to the empty one",
        why="the project's selector is merged into every pod; the template cannot lift it",
        actions=(f'kubectl annotate namespace {daemonset.namespace} --overwrite {key}=""',),
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
