"""The template was changed, and pods are of an older one: with updateStrategy OnDelete nobody replaces them.

That is what OnDelete means, and no gap. Only a change that makes a node ineligible removes pods at once, also here.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.reconcile import computed
from dscov.model.rollout import outdated_nodes
from dscov.model.world import World


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """OnDelete with pods of older revisions."""
    if daemonset.strategy.type != "OnDelete":
        return
    nodes = outdated_nodes(world, daemonset)
    if nodes:
        counters = computed(world, daemonset)
        shown = Evidence(f"DaemonSet/{daemonset.key}", "spec.updateStrategy.type", "OnDelete")
        updated, desired = str(counters.updated_number_scheduled), str(counters.desired_number_scheduled)
        yield Hit((("updated", updated), ("desired", desired)), (shown,), nodes=nodes)


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Delete the pods one by one, or change the strategy."""
    pods = (
        pod
        for name in finding.nodes[:3]
        for pod in world.pods(daemonset, name)
        if pod.deleted is None and not world.is_updated(daemonset, pod)
    )
    return Remedy(
        "no-patch",
        "delete the outdated pods one by one, each when the one before is ready; or switch to RollingUpdate",
        why="coverage is complete; OnDelete leaves the replacement to you",
        actions=tuple(f"kubectl -n {pod.namespace} delete pod {pod.name}" for pod in pods),
    )


CAUSE = Cause(
    code="DSC702",
    slug="on-delete-outdated",
    title="pods of an older template wait to be deleted",
    says="updateStrategy is OnDelete: {updated} of {desired} pods are of the current template",
    survey=survey,
    cure=cure,
    severity="info",
)
