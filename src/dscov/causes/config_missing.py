"""A ConfigMap, a Secret, or a key of one is not there, or the container cannot be configured as asked.

The pod sits in CreateContainerConfigError, or, where the object is a volume, in ContainerCreating with FailedMount
events.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import event_evidence, last_words
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.starting_up import Missing, config_failure, missing_config, mount_failure
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """What the container's status or the newest failed mount finds missing."""
    told = config_failure(world, daemonset, node)
    if told:
        yield _hit(told[0], told[1])
        return
    event = mount_failure(world, daemonset, node)
    if event and missing_config(event.message):
        yield _hit(event.message, event_evidence(event))


def _hit(text: str, shown: Evidence) -> Hit:
    found = missing_config(text) or Missing("", "", "", last_words(text))
    facts = ("kind", found.kind), ("name", found.name), ("key", found.key)
    return Hit((*facts, ("words", found.said or "the container cannot be configured")), (shown,))


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Make what is missing."""
    facts = dict(finding.facts)
    kind, name = facts["kind"], facts["name"].rpartition("/")[2]
    if not kind:
        return Remedy("no-patch", "correct the container's settings", why="the kubelet cannot configure the container")
    missing = f"{kind} {daemonset.namespace}/{name}" if name else f"the {kind}"
    return Remedy(
        "policy",
        f"put the key {facts['key']} into {missing}" if facts["key"] else f"create {missing}",
        why="not a placement problem: the pods start as soon as it is there",
        actions=(f"kubectl -n {daemonset.namespace} get {kind.lower()} {name}".rstrip(),),
    )


CAUSE = Cause(
    code="DSC408",
    slug="config-missing",
    title="a ConfigMap or Secret is missing",
    says="{words}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
