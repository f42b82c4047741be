"""The template tolerates a NoExecute taint for some seconds only: the pod is evicted, made anew, and evicted again, for ever.

The DaemonSet controller does not look at tolerationSeconds and finds the taint tolerated; the taint eviction controller
deletes the pod when the time is up.
"""

from collections.abc import Iterator

from dscov.kube.taints import NO_EXECUTE, tolerates
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import LIST
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """NoExecute taints whose first matching toleration has an end."""
    if not world.placement(daemonset, node).should_run:
        return
    own = daemonset.template.own_tolerations
    for taint in (taint for taint in node.taints if taint.effect == NO_EXECUTE):
        first = next((t for t in daemonset.template.tolerations if tolerates(t, taint)), None)
        if first is None or first.seconds is None:
            continue
        place = own.index(first)
        yield Hit(
            (("taint", str(taint)), ("seconds", str(first.seconds)), ("place", str(place))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(
                    f"DaemonSet/{daemonset.key}",
                    f"spec.template.spec.tolerations[{place}].tolerationSeconds",
                    str(first.seconds),
                ),
            ),
            breaks=True,
        )


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
