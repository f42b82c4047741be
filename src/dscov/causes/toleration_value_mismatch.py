"""A toleration names the taint's key but another value, so it does not match.

An absent operator means Equal, and an absent value means the empty one: `key: k` alone tolerates only `k` without a
value. `operator: Exists` tolerates every value.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import LIST, barring_taints, near_miss
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints whose key an own toleration has with another value."""
    for taint in barring_taints(world, daemonset, node):
        miss = near_miss(daemonset, taint)
        if not miss or miss[0] != "value":
            continue
        own = daemonset.template.own_tolerations[miss[1]]
        yield Hit(
            (("taint", str(taint)), ("toleration", str(own)), ("place", str(miss[1]))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.tolerations[{miss[1]}].value", own.value),
            ),
        )


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mend the toleration that is there: Exists meets both values."""
    place = int(dict(finding.facts)["place"])
    own = daemonset.template.own_tolerations[place]
    patch: list[dict[str, str]] = [
        {"op": "replace" if own.operator else "add", "path": f"{LIST}/{place}/operator", "value": "Exists"}
    ]
    if own.value:
        patch.append({"op": "remove", "path": f"{LIST}/{place}/value"})
    return Remedy(
        "patch",
        f"give the toleration of {own.key} the operator Exists",
        why="Exists meets the taint with any value, so nodes that the old toleration let in stay in",
        target=daemonset.key,
        patch=tuple(patch),
    )


CAUSE = Cause(
    code="DSC106",
    slug="toleration-value-mismatch",
    title="a toleration has the right key and the wrong value",
    says="taint {taint} is not met by the toleration {toleration}: the value differs",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
