"""Several live pods of the DaemonSet are on one node, or pods with its labels whose own DaemonSet is gone.

The controller goes by the owner's UID: it deletes all of its own pods but the oldest, and never touches those of
another UID, as they are left by `--cascade=orphan`, by a DaemonSet made anew, or restored from a backup. A finished
pod that a finalizer holds, and a second pod of a surge, are no duplicates.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Pod
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """Nodes with more pods of its own than the strategy allows, and pods that only look like its own."""
    most = 2 if daemonset.strategy.surges else 1
    own = {name: _live(pods) for name, pods in world.pods_by_node(daemonset).items() if len(pods) > most}
    crowded = {name: pods for name, pods in own.items() if len(pods) > most}
    if crowded:
        first = next(iter(crowded.values()))
        shown = tuple(Evidence(f"Pod/{pod.key}", "spec.nodeName", pod.node_name) for pod in first if pod.node_name)
        yield Hit((("what", "several live pods of its own"),), shown, nodes=tuple(crowded))
    strays = _strays(world, daemonset)
    if strays:
        shown = tuple(Evidence(f"Pod/{pod.key}", "spec.nodeName", pod.node_name) for pod in strays[:3])
        nodes = tuple(dict.fromkeys(pod.node_name for pod in strays if pod.node_name in world.nodes))
        yield Hit((("what", "pods with its labels that belong to a DaemonSet that is gone"),), shown, nodes=nodes)


def _live(pods: list[Pod]) -> list[Pod]:
    return [pod for pod in pods if pod.deleted is None and not pod.finished]


def _strays(world: World, daemonset: DaemonSet) -> list[Pod]:
    if "daemonsets.apps" in world.blind_to:
        return []
    return [
        pod
        for pod in _ownerless(world)
        if pod.namespace == daemonset.namespace and daemonset.selector.matches(pod.labels)
    ]


def _ownerless(world: World) -> list[Pod]:
    """Live bound pods whose owner was not seen."""
    key = "pods of owners that are gone", ""
    if key not in world.memo:
        known = {daemonset.identity for daemonset in world.snapshot.daemonsets}
        world.memo[key] = [
            pod
            for pod in world.snapshot.pods
            if pod.owner_uid and pod.owner_uid not in known and pod.node_name and not pod.finished
        ]
    return world.memo[key]  # type: ignore[no-any-return]


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Delete what is too much."""
    if "gone" in dict(finding.facts)["what"]:
        pods = _strays(world, daemonset)
        why = "the controller does not own them: they are neither updated nor deleted, and hold ports and resources"
    else:
        pods = [pod for name in finding.nodes for pod in _live(list(world.pods(daemonset, name)))[1:]]
        why = "the controller keeps the oldest and deletes the others; it is behind, or something makes them anew"
    return Remedy(
        "no-patch",
        "delete the pods that are too much",
        why=why,
        actions=tuple(f"kubectl -n {pod.namespace} delete pod {pod.name}" for pod in pods[:5]),
    )


CAUSE = Cause(
    code="DSC707",
    slug="duplicate-pods",
    title="more pods than one on a node",
    says="{what} on one node",
    survey=survey,
    cure=cure,
    severity="warning",
)
