"""Nobody reconciles DaemonSets: kube-controller-manager is down, or does not get to work.

Two kinds of evidence. Its lease in kube-system has not been renewed for minutes (observed). Or (inferred) the node is
there for long, the template is let in, no DaemonSet that should be on the node has a pod there, and no event tells
that the controller ever tried, though the events were read. One DaemonSet alone is thin ground, since events are kept
for an hour only: its status must not have counted the node either. The status of every DaemonSet is then that of the last
good moment, however well it looks. Nodes that join meanwhile keep the taint not-ready, which the same process lifts.
"""

from collections.abc import Iterator

from dscov.kube.objects import name_of
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import has_tried, silent, stale_lease
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import denied_by
from dscov.model.reconcile import computed
from dscov.model.world import World, once

_LEASE = "kube-controller-manager"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """A lease that nobody renews, or a node without any daemon and without a word; not where the node is rightly closed."""
    reasons = world.placement(daemonset, node).reasons
    if not all(reason.taint and denied_by(node, reason.taint) is not None for reason in reasons):
        return
    lease = once(world, ("stale lease", _LEASE), lambda: stale_lease(world, _LEASE))
    if lease:
        why = f"its lease was last renewed at {lease.written}"
        yield Hit((("why", why),), (Evidence(f"Lease/{lease.key}", "spec.renewTime", lease.written),))
    elif not reasons and silent(world, daemonset, node) and _nobody_works(world, daemonset, node):
        why = "no DaemonSet has a pod on the node, and no event tells of a try"
        evidence = Evidence(f"Node/{node.name}", "metadata.name", node.name)
        yield Hit((("why", why),), (evidence,), confidence="inferred")


def _nobody_works(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """The grounds without a lease: events were read, none is about this DaemonSet, and nobody has a pod on the node."""
    if "events" in world.blind_to or has_tried(world, daemonset) or daemonset.deleted:
        return False
    if daemonset.observed_generation < daemonset.generation or _lease_is_fresh(world):
        return False
    wanted = [other for other in world.snapshot.daemonsets if world.placement(other, node).should_run]
    if any(world.pods(other, node.name) for other in wanted):
        return False
    return len(wanted) > 1 or _never_counted(world, daemonset)


def _never_counted(world: World, daemonset: DaemonSet) -> bool:
    """Whether the DaemonSet's status is of a time before its nodes were as they are."""
    reported = daemonset.reported.desired_number_scheduled
    return reported < computed(world, daemonset).desired_number_scheduled


def _lease_is_fresh(world: World) -> bool:
    return any(name_of(lease) == _LEASE for lease in world.snapshot.others.get("Lease", ()))


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Bring the controller back."""
    return Remedy(
        "no-patch",
        "bring kube-controller-manager back",
        why="nothing in the spec is wrong, and no change of it would be acted on",
        actions=(
            "kubectl -n kube-system get lease kube-controller-manager -o yaml",
            "kubectl -n kube-system get pods -l component=kube-controller-manager -o wide",
        ),
    )


CAUSE = Cause(
    code="DSC209",
    slug="controller-not-running",
    title="nobody reconciles DaemonSets",
    says="kube-controller-manager does not work: {why}",
    find=find,
    cure=cure,
    looks_at=frozenset({"missing", "absent"}),
)
