"""Two DaemonSets of a namespace have selectors that match each other's pods.

The controllers go by the owner's UID and do not touch each other's pods; people, Services and label queries mix them
up. Only pods without an owner that both selectors match do harm: either controller may take them over.
"""

from collections.abc import Iterator, Mapping

from dscov.kube.objects import texts
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """Other DaemonSets of the namespace whose pods this selector matches, or that match this one's pods."""
    own = _labels(daemonset)
    for other in _peers(world, daemonset):
        theirs = _labels(other)
        mine, yours = daemonset.selector.matches(theirs), other.selector.matches(own)
        if not mine and not yours:
            continue
        shared = next((key for key in own if theirs.get(key) == own[key]), "")
        shown = [_shown(one, shared) for one in (daemonset, other) if shared]
        orphans = [pod for pod in world.snapshot.pods if not pod.owner_uid and pod.namespace == daemonset.namespace]
        torn = [pod for pod in orphans if daemonset.selector.matches(pod.labels) and other.selector.matches(pod.labels)]
        harm = (
            f"; pod {torn[0].name} has no owner, and either may take it"
            if torn
            else ", which does no harm: pods go by their owner"
        )
        yield Hit((("other", other.name), ("harm", harm)), tuple(shown), severity="warning" if torn else "")


def _peers(world: World, daemonset: DaemonSet) -> Iterator[DaemonSet]:
    key = "of the namespace", daemonset.namespace
    if key not in world.memo:
        world.memo[key] = [one for one in world.snapshot.daemonsets if one.namespace == daemonset.namespace]
    return (one for one in world.memo[key] if one.key != daemonset.key)


def _labels(daemonset: DaemonSet) -> Mapping[str, str]:
    """The labels of the pods that the template makes."""
    return texts(daemonset.obj, "spec", "template", "metadata", "labels")


def _shown(daemonset: DaemonSet, key: str) -> Evidence:
    field = f"spec.template.metadata.labels.{key}"
    return Evidence(f"DaemonSet/{daemonset.key}", field, _labels(daemonset)[key])


def cure(_world: World, _daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Distinct selectors, some day."""
    return Remedy(
        "no-patch",
        "give the two distinct selectors; that needs making one of them anew, since a selector cannot be changed",
        why="no placement problem",
    )


CAUSE = Cause(
    code="DSC708",
    slug="selector-overlap",
    title="another DaemonSet's selector overlaps",
    says="its selector overlaps with that of {other}{harm}",
    survey=survey,
    cure=cure,
    severity="info",
)
