"""The API server refuses the pods for another reason: a LimitRange, an unknown class, a whitelist, a policy.

Also where the pod is not valid, where a ValidatingAdmissionPolicy says no, where the namespace is going away (the
controller tells nobody of that), and where the API server could not finish the request.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser, missing_priority_class
from dscov.kube.objects import name_of, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import NO_POD, namespace_of, refused_by, silent
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World

_CLASS = "spec.template.spec.priorityClassName"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal that nothing more special explains; a namespace or a class that is not there."""
    for refused in refused_by(world, daemonset, node, Refuser.ELSE):
        yield Hit((("text", refused.denial.text),), (refused.told,))
    namespace = namespace_of(world, daemonset)
    if text(namespace, "status", "phase") == "Terminating":
        evidence = Evidence(f"Namespace/{daemonset.namespace}", "status.phase", "Terminating")
        yield Hit((("text", f"namespace {daemonset.namespace} is being deleted"),), (evidence,), transient=True)
    elif silent(world, daemonset, node):
        yield from _unknown_class(world, daemonset)


def _unknown_class(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    name = text(daemonset.obj, *_CLASS.split("."))
    classes = {name_of(one) for one in world.snapshot.others.get("PriorityClass", ())}
    if name and "system-node-critical" in classes and name not in classes:
        evidence = Evidence(f"DaemonSet/{daemonset.key}", _CLASS, name)
        yield Hit((("text", f"no PriorityClass with name {name} was found"),), (evidence,), confidence="inferred")


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """What the text asks for."""
    words, namespace = dict(finding.facts)["text"], daemonset.namespace
    if words.endswith("is being deleted"):
        return Remedy("no-patch", f"leave it: {words}", why="no pod can be made in a namespace that is going away")
    name = missing_priority_class(words)
    if name:
        return Remedy(
            "policy",
            f"create PriorityClass {name}, or name one that exists",
            why="the class is an object of the cluster; nothing about placement is wrong",
            actions=("kubectl get priorityclasses",),
        )
    return Remedy(
        "policy",
        "meet what admission asks for, or change the rule that asks it",
        why="the pods are refused one by one; nothing about placement is wrong",
        actions=(
            f"kubectl -n {namespace} get events --field-selector reason=FailedCreate",
            f"kubectl -n {namespace} describe limitrange,resourcequota",
        ),
    )


CAUSE = Cause(
    code="DSC207",
    slug="admission-denied",
    title="admission refuses the pods",
    says="no pod is made: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
