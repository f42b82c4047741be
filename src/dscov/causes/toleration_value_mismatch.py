"""A toleration names the taint's key but another value, so it does not match.

An absent operator means Equal, and an absent value means the empty one: `key: k` alone tolerates only `k` without a
value. `operator: Exists` tolerates every value.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.spelling import same_meaning
from dscov.model.tolerations import (
    LIST,
    Slip,
    addition,
    are_wanted,
    barring_taints,
    is_met,
    missed_by,
    narrowest,
    shown,
    slip_of,
)
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints whose key an own toleration has with another value; one finding a toleration."""
    for taint in barring_taints(world, daemonset, node):
        slip = slip_of(world, daemonset, taint)
        if slip is None or slip.what != "value":
            continue
        own = daemonset.template.own_tolerations[slip.place]
        missed = missed_by(world, daemonset, slip)
        value = f"spec.template.spec.tolerations[{slip.place}].value"
        yield Hit(
            (("taint", shown(missed)), ("toleration", str(own)), ("place", str(slip.place))),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", value, own.value),
            ),
        )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The taint's value, where the one that is there meets nothing; else Exists, or an exact toleration more."""
    place = int(dict(finding.facts)["place"])
    own = daemonset.template.own_tolerations[place]
    missed = missed_by(world, daemonset, Slip("value", place))
    values = {taint.value for taint in missed}
    used = is_met(world, own)
    other_groups = used and not all(same_meaning(own.value, value) for value in values)
    if other_groups or not are_wanted(world, daemonset, missed):
        exact = [taint for taint in missed if are_wanted(world, daemonset, (taint,))]
        return _remedy(
            daemonset,
            f"tolerate {shown(exact)} too",
            why="the toleration that is there meets other nodes and stays as it is",
            patch=addition(daemonset, [narrowest(taint) for taint in exact]),
        )
    if own.value and not used and len(values) == 1:
        return _remedy(
            daemonset,
            f'give the toleration of {own.key} the value "{min(values)}"',
            why=f'no node has a taint {own.key} with the value "{own.value}"',
            patch=({"op": "replace", "path": f"{LIST}/{place}/value", "value": min(values)},),
        )
    return _remedy(
        daemonset,
        f"give the toleration of {own.key} the operator Exists",
        why="Exists meets the taint with any value, so nodes that the old toleration let in stay in",
        patch=tuple(_exists(place, has_operator=bool(own.operator), has_value=bool(own.value))),
    )


def _exists(place: int, *, has_operator: bool, has_value: bool) -> Iterator[dict[str, str]]:
    yield {"op": "replace" if has_operator else "add", "path": f"{LIST}/{place}/operator", "value": "Exists"}
    if has_value:
        yield {"op": "remove", "path": f"{LIST}/{place}/value"}


def _remedy(daemonset: DaemonSet, summary: str, *, why: str, patch: Sequence[Mapping[str, Any]]) -> Remedy:
    return Remedy("patch", summary, why=why, target=daemonset.key, patch=tuple(patch))


CAUSE = Cause(
    code="DSC106",
    slug="toleration-value-mismatch",
    title="a toleration has the right key and the wrong value",
    says="taint {taint} is not met by the toleration {toleration}: the value differs",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
