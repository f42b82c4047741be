"""The priority class of the template is admitted only in namespaces with a ResourceQuota for it.

Some platforms (GKE; any cluster with the admission configuration `limitedResources`) keep `system-node-critical` and
`system-cluster-critical` to such namespaces. A larger quota elsewhere does not help; the namespace may have none.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser
from dscov.kube.objects import text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import NO_POD, refused_by
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World

_CLASS = "spec.template.spec.priorityClassName"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal, if it speaks of scopes."""
    name = text(daemonset.obj, *_CLASS.split("."))
    for refused in refused_by(world, daemonset, node, Refuser.PRIORITY_QUOTA):
        shown = (Evidence(f"DaemonSet/{daemonset.key}", _CLASS, name),) if name else ()
        known = ("class", name or "the default one"), ("namespace", daemonset.namespace)
        yield Hit((*known, ("text", refused.denial.text)), (refused.told, *shown))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """A quota with the scope, or another class."""
    name, namespace = dict(finding.facts)["class"], daemonset.namespace
    return Remedy(
        "policy",
        f"give namespace {namespace} a ResourceQuota with a PriorityClass scope for {name}, or use another class",
        why="admission limits the class by namespace; the size of a quota is not at fault",
        actions=(
            f"kubectl -n {namespace} apply -f QUOTA  # spec.scopeSelector: PriorityClass In [{name}], hard: pods",
        ),
    )


CAUSE = Cause(
    code="DSC202",
    slug="priority-class-quota",
    title="the priority class is not admitted in the namespace",
    says="no pod is made: namespace {namespace} has no quota that admits priority class {class} ({text})",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
