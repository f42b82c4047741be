"""A taint of the node is not tolerated by the template, so the controller never creates a pod there.

Nothing tells of it: no pod, no event, and DESIRED counts the node no more. A taint with effect NoExecute also removes
a pod that is there; with NoSchedule a pod stays until it is restarted. Taints of control-plane nodes count as meant
unless the template mentions the control plane; taints that say that a node is going away count as meant too. A taint
without a key, which no API server stores, is only in files that somebody wrote.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.marks import is_control_plane
from dscov.model.tolerations import (
    addition,
    barring_taints,
    many_values,
    mentions_control_plane,
    narrowest,
    shown,
    slip_of,
)
from dscov.model.world import World

#: Kinds of taints that have a cause of their own.
_ELSEWHERE = {Kind.CONDITION, Kind.STARTUP}


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Every untolerated taint that no more special cause explains; values of one key in one hit, if they are many."""
    for taint in barring_taints(world, daemonset, node):
        kind = look_up(taint).kind
        if kind in _ELSEWHERE or slip_of(world, daemonset, taint):
            continue
        many = many_values(world, daemonset, taint) if kind is Kind.ISOLATION else ()
        facts = (
            ("taint", shown(many or (taint,)) if taint.key else f"{taint}, which has no key and no API server stores,"),
            ("key", taint.key),
            ("value", "" if many else taint.value),
            ("effect", taint.effect),
        )
        shows = (Evidence(f"Node/{node.name}", "spec.taints", str(taint)),)
        yield Hit(facts, shows, meant=_is_meant(kind, daemonset, node, taint))


def _is_meant(kind: Kind, daemonset: DaemonSet, node: Node, taint: Taint) -> bool:
    # k3s and RKE2 close dedicated servers with CriticalAddonsOnly.
    if kind is Kind.ROLE or (taint.key == "CriticalAddonsOnly" and is_control_plane(node)):
        return not mentions_control_plane(daemonset)
    return kind in {Kind.MAINTENANCE, Kind.VIRTUAL}


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """One exact toleration; of a key with many values one for all of them."""
    facts = dict(finding.facts)
    taint = Taint(facts["key"], facts["value"], facts["effect"])
    if not taint.key:
        return Remedy(
            "no-patch",
            "correct the file: a taint has a key",
            why="a toleration without a key meets every taint, so none can be meant for this one",
        )
    if look_up(taint).kind in {Kind.MAINTENANCE, Kind.VIRTUAL}:
        return Remedy("no-patch", f"leave it: {look_up(taint).owner or 'its owner'} closed the node on purpose")
    return Remedy(
        "patch",
        f"tolerate {taint}",
        why="one exact toleration lets the pods in and admits no other taint" + _if_built(taint),
        target=daemonset.key,
        patch=addition(daemonset, [narrowest(taint)]),
    )


def _if_built(taint: Taint) -> str:
    """What to see to first, where the taint stands for a processor architecture."""
    is_arch = taint.key.rpartition("/")[2] in {"arch", "architecture"} and taint.value
    return f"; right only if the images are built for {taint.value}" if is_arch else ""


CAUSE = Cause(
    code="DSC101",
    slug="untolerated-taint",
    title="a taint is not tolerated",
    says="taint {taint} is not tolerated",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
