"""A toleration would meet the taint, but is limited to another effect.

A taint with the same key often comes twice, as NoSchedule and as NoExecute; a toleration with one effect meets one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import Taint
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.tolerations import (
    LIST,
    Slip,
    addition,
    barring_taints,
    is_met,
    mentions_control_plane,
    missed_by,
    narrowest,
    shown,
    slip_of,
)
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Untolerated taints that an own toleration would meet with the other effect; one finding a toleration."""
    for taint in barring_taints(world, daemonset, node):
        slip = slip_of(world, daemonset, taint)
        if slip is None or slip.what != "effect":
            continue
        own = daemonset.template.own_tolerations[slip.place]
        effect = f"spec.template.spec.tolerations[{slip.place}].effect"
        # A toleration without a key was not made for the control plane.
        by_chance = not own.key and look_up(taint).kind is Kind.ROLE and not mentions_control_plane(daemonset)
        yield Hit(
            (
                ("taint", shown(missed_by(world, daemonset, slip) if own.key else (taint,))),
                ("toleration", str(own)),
                ("place", str(slip.place)),
                *(() if own.key else (("key", taint.key), ("value", taint.value), ("effect", taint.effect))),
            ),
            (
                Evidence(f"Node/{node.name}", "spec.taints", str(taint)),
                Evidence(f"DaemonSet/{daemonset.key}", effect, own.effect),
            ),
            meant=by_chance,
        )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The toleration for the taint's effect, or for every effect; where it has no key, an exact one beside it."""
    facts = dict(finding.facts)
    place = int(facts["place"])
    own = daemonset.template.own_tolerations[place]
    if not own.key:
        taint = Taint(facts["key"], facts["value"], facts["effect"])
        return Remedy(
            "patch",
            f"tolerate {taint}",
            why="one exact toleration; the one that is there has no key, and with this effect it would admit all",
            target=daemonset.key,
            patch=addition(daemonset, [narrowest(taint)]),
        )
    missed = missed_by(world, daemonset, Slip("effect", place))
    if missed_by(world, daemonset, Slip("value", place)):
        return Remedy(
            "patch",
            f"tolerate {shown(missed)} too",
            why="the toleration that is there needs another value for other nodes",
            target=daemonset.key,
            patch=addition(daemonset, [narrowest(taint) for taint in missed]),
        )
    effects = sorted({taint.effect for taint in missed})
    return Remedy(
        "patch",
        f"let the toleration of {own.key} meet {' and '.join(effects)} too",
        why="the same toleration with the other effect; what it meets now it goes on to meet",
        target=daemonset.key,
        patch=_widened(daemonset, place, effects=effects, used=is_met(world, own)),
    )


def _widened(daemonset: DaemonSet, place: int, *, effects: list[str], used: bool) -> tuple[Mapping[str, Any], ...]:
    own = daemonset.template.own_tolerations[place]
    if own.seconds is not None:
        # Only NoExecute may have an end.
        twin = {"key": own.key, "operator": own.operator, "value": own.value}
        told = {name: value for name, value in twin.items() if value}
        return addition(daemonset, [{"effect": effect, **told} for effect in effects])
    if used or len(effects) > 1:
        return ({"op": "remove", "path": f"{LIST}/{place}/effect"},)
    return ({"op": "replace", "path": f"{LIST}/{place}/effect", "value": effects[0]},)


CAUSE = Cause(
    code="DSC107",
    slug="toleration-effect-mismatch",
    title="a toleration has the right key and the wrong effect",
    says="taint {taint} is not met by the toleration {toleration}: the effect differs",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
