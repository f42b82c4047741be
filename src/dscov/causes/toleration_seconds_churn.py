"""The template tolerates a NoExecute taint for some seconds only: the pod is evicted, made anew, and evicted again, for ever.

The DaemonSet controller does not look at tolerationSeconds and finds the taint tolerated; the taint eviction controller
deletes the pod when the time is up, at once where it is 0 or less. The first toleration that matches counts.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import NO_EXECUTE, Taint, tolerates
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import LIST, all_taints, shown
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """NoExecute taints whose first matching toleration has an end; one finding a toleration."""
    for taint in node.taints:
        place = _ending(daemonset, taint)
        if place is None:
            continue
        seconds = str(daemonset.template.own_tolerations[place].seconds)
        met = [one for one in all_taints(world) if _ending(daemonset, one) == place]
        field = f"spec.template.spec.tolerations[{place}].tolerationSeconds"
        yield Hit(
            (("taint", shown(met)), ("seconds", seconds), ("place", str(place))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", field, seconds),
            ),
            breaks=True,
        )


def _ending(daemonset: DaemonSet, taint: Taint) -> int | None:
    """The place of the own toleration that counts for a NoExecute taint, where it has an end."""
    if taint.effect != NO_EXECUTE or _says_farewell(taint):
        return None
    first = next((one for one in daemonset.template.tolerations if tolerates(one, taint)), None)
    return daemonset.template.own_tolerations.index(first) if first and first.seconds is not None else None


def _says_farewell(taint: Taint) -> bool:
    """A node that is known to go away is to lose its pods; a guess by the words of a key is not enough."""
    entry = look_up(taint)
    return entry.kind is Kind.MAINTENANCE and bool(entry.owner)


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Tolerate without end."""
    return Remedy(
        "patch",
        "tolerate the taint without tolerationSeconds",
        why="or taint the node NoSchedule as well, if it should be empty",
        target=daemonset.key,
        patch=({"op": "remove", "path": f"{LIST}/{dict(finding.facts)['place']}/tolerationSeconds"},),
    )


CAUSE = Cause(
    code="DSC108",
    slug="toleration-seconds-churn",
    title="a toleration with an end makes pods come and go",
    says="taint {taint} is tolerated for {seconds} s only: the pod is evicted and made anew, for ever",
    find=find,
    cure=cure,
    looks_at=frozenset({"eligible"}),
)
