"""A toleration would meet the taint, but is limited to another effect.

A taint with the same key often comes twice, as NoSchedule and as NoExecute; a toleration with one effect meets one.
"""

from collections.abc import Iterator

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import addition, barring_taints, near_miss
from dscov.model.world import World

_ELSEWHERE = {Kind.CONDITION, Kind.STARTUP, Kind.MAINTENANCE, Kind.VIRTUAL}


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints that an own toleration would meet with the other effect."""
    for taint in barring_taints(world, daemonset, node):
        miss = near_miss(daemonset, taint)
        if not miss or miss[0] != "effect" or look_up(taint).kind in _ELSEWHERE:
            continue
        own = daemonset.template.own_tolerations[miss[1]]
        yield Hit(
            (("taint", str(taint)), ("effect", taint.effect), ("toleration", str(own)), ("place", str(miss[1]))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.tolerations[{miss[1]}].effect", own.effect),
            ),
        )


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The same toleration once more, with the taint's effect."""
    facts = dict(finding.facts)
    own = daemonset.template.own_tolerations[int(facts["place"])]
    twin = {"effect": facts["effect"], "key": own.key, "operator": own.operator, "value": own.value}
    return Remedy(
        "patch",
        f"tolerate {own.key or 'the taint'} with effect {facts['effect']} too",
        why="the same toleration with the other effect; the one that is there stays as it is",
        target=daemonset.key,
        patch=addition(daemonset, [{key: value for key, value in twin.items() if value}]),
    )


CAUSE = Cause(
    code="DSC107",
    slug="toleration-effect-mismatch",
    title="a toleration has the right key and the wrong effect",
    says="taint {taint} is not met by the toleration {toleration}: the effect differs",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
