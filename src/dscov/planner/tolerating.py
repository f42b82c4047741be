"""Every toleration that a plan may add, and every change of an own one, for one DaemonSet.

Four forms of a toleration meet a taint, the narrowest first: exact (key, value, effect), any effect (key, value), any
value (key, effect), any value and effect (key). None is without a key. An own toleration is changed only where it was
meant for such taints (it has their key, or that key misspelt), has no end, and meets afterwards every taint of any node
that it meets now. Nothing tolerates a taint of a kind that is not to be tolerated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import BLOCKING, Taint, Toleration, tolerates
from dscov.model.cluster import DaemonSet
from dscov.model.nodes import UNINITIALIZED, lifts
from dscov.model.roles import is_cloud_controller, role_of
from dscov.model.tolerations import slip_of
from dscov.model.world import World
from dscov.planner.fleet import Bits, Fleet, places
from dscov.planner.moves import Tolerating, add_toleration, change_toleration
from dscov.planner.problem import Problem

#: Kinds of taints that no daemon tolerates for the mere wish to be there.
SHUNNED = frozenset({Kind.STARTUP, Kind.MAINTENANCE, Kind.CONDITION, Kind.VIRTUAL})

_NOT_READY = "node.kubernetes.io/not-ready"
_NO_NETWORK = "node.kubernetes.io/network-unavailable"


def must_tolerate(world: World, daemonset: DaemonSet, taint: Taint) -> str:
    """Why the daemon may tolerate a taint that others must not: else nobody could lift it. Empty where it may not."""
    kind = look_up(taint).kind
    if kind is Kind.STARTUP and lifts(world, daemonset, taint):
        return "the taint is lifted when this very daemon runs"
    if taint.key in {_NOT_READY, _NO_NETWORK, UNINITIALIZED} and role_of(daemonset).kind == "network":
        return "a network plugin has to run before its node can get ready"
    if taint.key in {_NOT_READY, UNINITIALIZED} and is_cloud_controller(daemonset):
        return "a cloud controller has to run before nodes are initialised"
    return ""


def may_tolerate(world: World, daemonset: DaemonSet, taint: Taint) -> bool:
    """Whether tolerating the taint can be right at all; it is where an own toleration misses it by a slip."""
    if look_up(taint).kind not in SHUNNED or slip_of(world, daemonset, taint):
        return True
    return bool(must_tolerate(world, daemonset, taint))


def tolerating_moves(problem: Problem, wanted: Bits) -> list[Tolerating]:
    """The moves that lift a taint of the places `wanted`; of equal ones the narrowest."""
    world, daemonset = problem.fleet.world, problem.daemonset
    shunned = _places(problem, [t for t in problem.taints if not may_tolerate(world, daemonset, t)])
    found = [*_changes(problem, wanted), *_additions(problem, wanted)]
    return [move for move in found if move.lifts & wanted and not move.lifts & shunned]


def distinct(moves: Sequence[Tolerating]) -> list[Tolerating]:
    """Without moves that do what another one in the same place does more narrowly."""
    kept: dict[tuple[int | None, Bits], Tolerating] = {}
    for move in moves:
        twin = kept.get((move.place, move.lifts))
        if twin is None or (move.breadth, move.text) < (twin.breadth, twin.text):
            kept[move.place, move.lifts] = move
    return list(kept.values())


def _additions(problem: Problem, wanted: Bits) -> Iterator[Tolerating]:
    seen = {form: None for place in places(wanted) for form in forms(problem.taints[place])}
    for form in seen:
        yield add_toleration(form, breadth=2 * breadth_of(form, problem.fleet) + 1, lifts=_lifts(problem, form))


def _changes(problem: Problem, wanted: Bits) -> Iterator[Tolerating]:
    seen = {form: None for place in places(wanted) for form in forms(problem.taints[place])}
    for number, own in enumerate(problem.daemonset.template.own_tolerations):
        for form in seen if own.seconds is None else ():
            if form != own and _is_meant(problem, number, own, form) and not _loses(problem.fleet, own, form):
                breadth = 2 * breadth_of(form, problem.fleet)
                yield change_toleration(number, own, form, breadth=breadth, lifts=_lifts(problem, form))


def _is_meant(problem: Problem, number: int, own: Toleration, form: Toleration) -> bool:
    if own.key == form.key:
        return True
    met = (taint for taint in problem.fleet.met(form) if taint in problem.place)
    slips = (slip_of(problem.fleet.world, problem.daemonset, taint) for taint in met)
    return any(slip is not None and slip.what == "key" and slip.place == number for slip in slips)


def _loses(fleet: Fleet, own: Toleration, form: Toleration) -> bool:
    return any(not tolerates(form, taint) for taint in fleet.met(own))


def forms(taint: Taint) -> tuple[Toleration, ...]:
    """The forms that meet a taint, the narrowest first. A taint without a value is commonly met by Exists."""
    bare = (Toleration(taint.key, "Exists", "", taint.effect),) if not taint.value else ()
    return (
        *bare,
        Toleration(taint.key, "Equal", taint.value, taint.effect),
        Toleration(taint.key, "Equal", taint.value),
        *(() if bare else (Toleration(taint.key, "Exists", "", taint.effect),)),
        Toleration(taint.key, "Exists"),
    )


def breadth_of(form: Toleration, fleet: Fleet) -> int:
    """0 to 3: 2 for any value where taints with a value are met, 1 for any effect where not both effects are met."""
    met = fleet.met(form)
    any_value = form.operator == "Exists" and any(taint.value for taint in met)
    any_effect = not form.effect and not {taint.effect for taint in met} >= BLOCKING
    return 2 * any_value + any_effect


def _lifts(problem: Problem, form: Toleration) -> Bits:
    return _places(problem, problem.fleet.met(form))


def _places(problem: Problem, taints: Collection[Taint]) -> Bits:
    return sum(1 << problem.place[taint] for taint in taints if taint in problem.place)
