"""The DaemonSet controller has not acted on the newest generation of the DaemonSet yet.

`status.observedGeneration` is behind `metadata.generation`, so nodes that the edit lets in have no pod so far. For a
minute or two that is normal. A DaemonSet that is being deleted is not acted on any more.
"""

from collections.abc import Iterator
from datetime import timedelta

from dscov.kube.objects import listed, text, time
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import awaits_a_pod
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World

_GRACE = timedelta(minutes=2)


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """A generation that the controller has not seen, or a deletion."""
    if not awaits_a_pod(world, daemonset, node):
        return
    at = f"DaemonSet/{daemonset.key}"
    if daemonset.deleted:
        evidence = Evidence(at, "metadata.deletionTimestamp", text(daemonset.obj, "metadata", "deletionTimestamp"))
        yield Hit(
            (("what", "the DaemonSet is being deleted, the controller makes no more pods"),),
            (evidence,),
            transient=True,
        )
    elif daemonset.observed_generation < daemonset.generation:
        seen, newest = daemonset.observed_generation, daemonset.generation
        what = f"the controller has seen generation {seen} of {newest}" if seen else "the controller has never seen it"
        shown = Evidence(at, "metadata.generation", str(newest))
        observed = (Evidence(at, "status.observedGeneration", str(seen)),) if seen else ()
        yield Hit((("what", what),), (shown, *observed), transient=_just_edited(world, daemonset))


def _just_edited(world: World, daemonset: DaemonSet) -> bool:
    edits = [
        time(entry, "time")
        for entry in listed(daemonset.obj, "metadata", "managedFields")
        if text(entry, "subresource") != "status"
    ]
    edits.append(daemonset.created)
    newest = max((edit for edit in edits if edit), default=None)
    return newest is not None and world.now - newest < _GRACE


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Wait, then look at the controller."""
    if daemonset.deleted:
        return Remedy("no-patch", "leave it: the DaemonSet is going away", why=dict(finding.facts)["what"])
    return Remedy(
        "no-patch",
        "wait a minute; if it stays, look after kube-controller-manager",
        why="no change of the spec takes effect before the controller has read the last one",
        actions=("kubectl -n kube-system get lease kube-controller-manager -o yaml",),
    )


CAUSE = Cause(
    code="DSC208",
    slug="controller-pending",
    title="the controller has not acted on the newest generation",
    says="{what}",
    find=find,
    cure=cure,
    looks_at=frozenset({"missing"}),
)
