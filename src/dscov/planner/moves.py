"""The single edits of which a plan is made, what each does to the set of nodes, and the JSON patch that writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from dscov.kube.objects import escaped, listed
from dscov.kube.taints import Taint, Toleration
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Remedy
from dscov.model.platforms import selection
from dscov.model.selection import AFFINITY
from dscov.model.selector_patch import demand
from dscov.model.tolerations import LIST, addition
from dscov.planner.fleet import Bits
from dscov.simulation import patched

Operation = Mapping[str, Any]
Patch = tuple[Operation, ...]
#: One matchExpressions entry, as it stands in a manifest.
Expression = Mapping[str, Any]

SELECTOR = "/spec/template/spec/nodeSelector"
#: From this breadth on a toleration meets taints of any value.
ANY_VALUE = 4
REQUIRED = AFFINITY.rpartition("/")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One edit. `slots` are the places that it claims: two moves of one place never stand in one plan.

    `breadth` ranks it: 0 is the narrowest way there is. `write` gives the operations on the DaemonSet as it stands
    when the move's turn comes. `edits` is what it counts for.
    """

    text: str
    breadth: int
    write: Callable[[DaemonSet], Patch]
    slots: frozenset[str] = frozenset()
    edits: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Tolerating(Move):
    """Adds a toleration, or changes the own one at `place`. `lifts` are taints: bits of their places in the problem."""

    toleration: Toleration = field(default_factory=Toleration)
    place: int | None = None
    lifts: Bits = 0


@dataclass(frozen=True, slots=True, eq=False)
class Selecting(Move):
    """Changes an entry of the nodeSelector, or nodeName: the nodes that the `entry` lets in are then `admits`."""

    entry: str = ""
    admits: Bits = 0


@dataclass(frozen=True, slots=True, eq=False)
class Reshaping(Move):
    """Changes the required node affinity as it stands. What it lets in then is asked of the patched template."""


@dataclass(frozen=True, slots=True, eq=False)
class Narrowing(Move):
    """Asks for one label more, in the nodeSelector or in every term of the affinity: only `within` is let in."""

    within: Bits = 0


# -- tolerations ------------------------------------------------------------------------------------------------------


def add_toleration(toleration: Toleration, *, breadth: int, lifts: Bits) -> Tolerating:
    """A toleration more."""

    def write(daemonset: DaemonSet) -> Patch:
        return addition(daemonset, [as_object(toleration)])

    text = f"tolerate {told(toleration, any_value=breadth >= ANY_VALUE)}"
    return Tolerating(text, breadth, write, toleration=toleration, lifts=lifts)


def change_toleration(place: int, old: Toleration, new: Toleration, *, breadth: int, lifts: Bits) -> Tolerating:
    """The own toleration at `place` made another, field by field."""
    text = f"change the toleration {old} to {told(new, any_value=breadth >= ANY_VALUE)}"

    def write(_: DaemonSet) -> Patch:
        return tuple(_fields(f"{LIST}/{place}", old, new))

    slots = frozenset({f"toleration {place}"})
    return Tolerating(text, breadth, write, slots, toleration=new, place=place, lifts=lifts)


def as_object(toleration: Toleration) -> dict[str, str]:
    """A toleration as an API object, its keys in order."""
    made = {"effect": toleration.effect, "key": toleration.key, "operator": toleration.operator or "Equal"}
    made |= {"value": toleration.value} if toleration.value else {}
    return {name: value for name, value in made.items() if value}


def told(toleration: Toleration, *, any_value: bool) -> str:
    """A toleration for people: the taint that it meets, and in words what it leaves open."""
    value = "" if toleration.operator == "Exists" else toleration.value
    named = str(Taint(toleration.key, value, toleration.effect)).removesuffix(":")
    if toleration.operator != "Exists" and not value:
        named += " without a value"
    opened = ["value"] * any_value + ["effect"] * (not toleration.effect)
    return f"{named} with any {' and '.join(opened)}" if opened else named


def _fields(path: str, old: Toleration, new: Toleration) -> Iterator[Operation]:
    for name in ("key", "operator", "value", "effect"):
        before, after = getattr(old, name), getattr(new, name)
        if before == after or (name == "operator" and {before, after} <= {"", "Equal"}):
            continue
        if not after:
            yield {"op": "remove", "path": f"{path}/{name}"}
        else:
            yield {"op": "replace" if before else "add", "path": f"{path}/{name}", "value": after}


# -- selection --------------------------------------------------------------------------------------------------------


def unset(key: str, *, breadth: int, admits: Bits) -> Selecting:
    """A label that the nodeSelector asks for no more."""

    def write(daemonset: DaemonSet) -> Patch:
        last = len(daemonset.pod_spec["nodeSelector"]) == 1
        return ({"op": "remove", "path": SELECTOR if last else f"{SELECTOR}/{escaped(key)}"},)

    slots = frozenset({_slot(key)})
    return Selecting(f"take {key} out of the nodeSelector", breadth, write, slots, entry=_slot(key), admits=admits)


def replace(key: str, value: str, *, breadth: int, admits: Bits) -> Selecting:
    """Another value for a label of the nodeSelector."""

    def write(_: DaemonSet) -> Patch:
        return ({"op": "replace", "path": f"{SELECTOR}/{escaped(key)}", "value": value},)

    text = f"ask for {key}={value or '(empty)'}"
    return Selecting(text, breadth, write, frozenset({_slot(key)}), entry=_slot(key), admits=admits)


def rename(key: str, other: str, value: str, *, admits: Bits) -> Selecting:
    """Another key for an entry of the nodeSelector."""

    def write(_: DaemonSet) -> Patch:
        new = {"op": "add", "path": f"{SELECTOR}/{escaped(other)}", "value": value}
        return (new, {"op": "remove", "path": f"{SELECTOR}/{escaped(key)}"})

    slots = frozenset({_slot(key), _slot(other)})
    return Selecting(f"ask for {other} in place of {key}", 0, write, slots, entry=_slot(key), admits=admits)


def drop_node_name(everywhere: Bits) -> Selecting:
    """No nodeName."""

    def write(_: DaemonSet) -> Patch:
        return ({"op": "remove", "path": "/spec/template/spec/nodeName"},)

    text = "take nodeName out of the template"
    return Selecting(text, 1, write, frozenset({"nodeName"}), entry="nodeName", admits=everywhere)


def select(key: str, value: str, *, breadth: int, within: Bits) -> Narrowing:
    """One entry more in the nodeSelector."""

    def write(daemonset: DaemonSet) -> Patch:
        return selection(daemonset, key, value)

    return Narrowing(f"select {key}={value}", breadth, write, frozenset({_slot(key)}), within=within)


def ask(expression: Expression, *, breadth: int, within: Bits) -> Narrowing:
    """One expression more in every term of the required affinity."""

    def write(daemonset: DaemonSet) -> Patch:
        return demand(daemonset, expression)

    return Narrowing(f"ask for {spelt(expression)} in the node affinity", breadth, write, within=within)


# -- the affinity as it stands ----------------------------------------------------------------------------------------


def change_expression(old: Expression, new: Expression | None, *, breadth: int) -> Reshaping:
    """Every expression equal to `old` made `new`, or taken out."""

    def write(daemonset: DaemonSet) -> Patch:
        found = [(path, entry) for path, entry in expressions_of(daemonset) if entry == old]
        if new is None:
            return tuple({"op": "remove", "path": path} for path, _ in reversed(found))
        return tuple({"op": "replace", "path": f"{path}/values", "value": list(new["values"])} for path, _ in found)

    text = f"ask for {spelt(new)} in the node affinity" if new else f"take {spelt(old)} out of the node affinity"
    return Reshaping(text, breadth, write, frozenset({f"expression {sorted(old.items())}"}))


def drop_affinity() -> Reshaping:
    """No required node affinity."""

    def write(_: DaemonSet) -> Patch:
        return ({"op": "remove", "path": REQUIRED},)

    return Reshaping("take the required node affinity out", 4, write, frozenset({"affinity", "given"}))


def as_advised(remedy: Remedy, *, edits: int = 1) -> Reshaping:
    """What a cause advises for the affinity, as it stands there."""

    def write(_: DaemonSet) -> Patch:
        return remedy.patch

    return Reshaping(remedy.summary, 0, write, frozenset({"given"}), edits)


def expressions_of(daemonset: DaemonSet) -> Iterator[tuple[str, Expression]]:
    """(JSON pointer, entry) of every matchExpressions entry of the required affinity."""
    for place, term in enumerate(terms_of(daemonset)):
        for number, entry in enumerate(listed(term, "matchExpressions")):
            yield f"{AFFINITY}/{place}/matchExpressions/{number}", entry


def terms_of(daemonset: DaemonSet) -> Sequence[Mapping[str, Any]]:
    """The terms of the required affinity, as they stand."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return list(listed(daemonset.pod_spec, "affinity", "nodeAffinity", required, "nodeSelectorTerms"))


def spelt(expression: Expression) -> str:
    """An expression for people."""
    key, values = expression.get("key", ""), ",".join(map(str, expression.get("values") or ()))
    match expression.get("operator"):
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "Exists":
            return str(key)
        case "DoesNotExist":
            return f"!{key}"
        case operator:
            return f"{key} {operator} {values}"


# -- a plan -----------------------------------------------------------------------------------------------------------

_TURNS = (Reshaping, Selecting, Tolerating, Narrowing)


def written(daemonset: DaemonSet, moves: Sequence[Move]) -> Patch:
    """The patch of all moves; ValueError where it does not apply. What changes comes before what is added."""
    operations: list[Operation] = []
    added = [move.toleration for move in moves if _is_added(move)]
    for move in sorted((one for one in moves if not _is_added(one)), key=_turn):
        more = move.write(daemonset)
        daemonset = patched(daemonset, more)
        operations += more
    if added:
        operations += addition(daemonset, [as_object(one) for one in sorted(added, key=str)])
    return tuple(operations)


def _is_added(move: Move) -> TypeGuard[Tolerating]:
    return isinstance(move, Tolerating) and move.place is None


def _turn(move: Move) -> tuple[int, bool, str]:
    return next(i for i, kind in enumerate(_TURNS) if isinstance(move, kind)), "given" not in move.slots, move.text


def _slot(key: str) -> str:
    return f"selector {key}"
