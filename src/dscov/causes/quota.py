"""A ResourceQuota of the namespace does not let the controller make more pods.

Either it is used up, or it demands requests or limits that the template does not give (`failed quota: ... must
specify ...`). The controller tries again with growing pauses of up to 17 minutes, so pods may come late after a change.
Where no event is left, a quota whose pods are used up speaks for itself.
"""

import re
from collections.abc import Iterator

from dscov.kube.denials import Refuser, quotas_of
from dscov.kube.objects import key_of, name_of, part, texts
from dscov.kube.quantities import nanos
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import NO_POD, in_namespace, refused_by, silent
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal, if a quota refused; else quotas that are full."""
    for refused in refused_by(world, daemonset, node, Refuser.QUOTA):
        text = refused.denial.text
        yield Hit((("quota", ", ".join(quotas_of(text))), ("text", text)), (refused.told,))
    if silent(world, daemonset, node):
        yield from _full(world, daemonset)


def _full(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    for quota in in_namespace(world, "ResourceQuota", daemonset.namespace):
        hard, used = texts(quota, "status", "hard"), texts(quota, "status", "used")
        scoped = bool(part(quota, "spec").keys() & {"scopes", "scopeSelector"})
        for resource in ("pods", "count/pods"):
            if not scoped and _at_least(used.get(resource), hard.get(resource)):
                text = f"{used[resource]} of {hard[resource]} {resource} are used"
                evidence = Evidence(f"ResourceQuota/{key_of(quota)}", f"status.used.{resource}", used[resource])
                yield Hit((("quota", name_of(quota)), ("text", text)), (evidence,), confidence="inferred")


def _at_least(used: str | None, hard: str | None) -> bool:
    try:
        return used is not None and hard is not None and nanos(used) >= nanos(hard)
    except ValueError:
        return False


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """A larger quota, or what the quota demands."""
    facts, namespace = dict(finding.facts), daemonset.namespace
    demanded = re.search(r"must specify (.+)", facts["text"])
    if demanded:
        return Remedy(
            "policy",
            f"give every container {demanded[1].strip()}, in the template or by a LimitRange of the namespace",
            why="a quota on a resource admits only pods that name an amount of it",
            actions=(f"kubectl -n {namespace} describe resourcequota,limitrange",),
        )
    names = [name for name in facts["quota"].split(", ") if name]
    return Remedy(
        "policy",
        f"raise the quota {facts['quota']} of namespace {namespace}"
        if names
        else f"give namespace {namespace} a quota",
        why="one pod per node needs room for all of them; the template places them correctly",
        actions=tuple(f"kubectl -n {namespace} edit resourcequota {name}" for name in names)
        or (f"kubectl -n {namespace} describe resourcequota",),
    )


CAUSE = Cause(
    code="DSC201",
    slug="quota",
    title="a quota of the namespace refuses the pods",
    says="no pod is made: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
