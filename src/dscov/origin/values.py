"""Helm values: where in a tree of values the changed fields lie, and the fragment that changes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dscov.origin.fields import (
    Field,
    Spot,
    is_of_another,
    nested,
    rank,
    ranked,
    renewed,
    spots_in,
    together,
    with_nulls,
)
from dscov.origin.texts import dotted, listing

WHOLE_LISTS = "Helm replaces lists, it never merges them: each list is the whole list that the chart gets"
_IN_CHARTS = ("tolerations", "nodeSelector", "affinity", "priorityClassName", "updateStrategy")


class Fragment(NamedTuple):
    """Values to put; `seen` says that every path was found in the tree, `exact` that the DaemonSet has them now."""

    values: dict[str, Any]
    notes: tuple[str, ...] = ()
    seen: bool = False
    exact: bool = False


def fragment(tree: Any, fields: Sequence[Field], name: str, *, where: str = "values") -> Fragment:
    """The changed fields in their places in `tree`, the values that are set now; `where` names the tree in notes."""
    trees, notes, spots = [], [], []
    for field in fields:
        every = ranked(spots_in(tree, field), field, name)
        found = [spot for spot in every if spot.exact or not is_of_another(spot.way, name)]
        spot = found[0] if found else Spot((field.name,), None)
        spots += found[:1]
        base = field.old if spot.present is None else spot.present
        trees.append(nested(spot.way, with_nulls(base, renewed(spot.present, field))))
        notes += _notes(field, found, name, where=where)
    if any(isinstance(field.new, list) for field in fields):
        notes.append(WHOLE_LISTS)
    seen = bool(fields) and len(spots) == len(fields)
    return Fragment(together(trees), tuple(notes), seen, seen and all(spot.exact for spot in spots))


def _notes(field: Field, found: Sequence[Spot], name: str, *, where: str) -> list[str]:
    if not found:
        kept = "" if field.name in _IN_CHARTS else ", if it has one for it at all"
        return [f"{where} sets no {field.name}: the path depends on the chart{kept}"]
    first, *others = found
    if not first.exact:
        note = f"{where}: {dotted(first.way)} is named alike, but is not what the DaemonSet has now; look in the chart"
        return [note, *_others(others, where)]
    rivals = [
        other for other in others if other.exact and rank(other, field, name)[:-1] == rank(first, field, name)[:-1]
    ]
    return _others(rivals, where)


def _others(spots: Sequence[Spot], where: str) -> list[str]:
    ways = [dotted(spot.way) for spot in spots]
    return [f"{where}: it may be {listing(ways)} instead"] if ways else []
