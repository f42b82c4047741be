"""Terms of the node affinity that Kubernetes cannot read, and what they were meant to say.

The API server stores a `Gt` without an integer, and older ones stored any text as a value. The term then matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import ceil, floor
from typing import Any

import msgspec

from dscov.kube.objects import listed, part
from dscov.kube.quantities import parse_quantity
from dscov.kube.requirements import Requirement, parse, parse_int64
from dscov.model.cluster import DaemonSet, Node
from dscov.model.spelling import loose
from dscov.patterns import pattern

_BOUNDS = frozenset({"Gt", "Lt"})
_NUMBER = pattern(r"([+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?)(.*)", re.ASCII | re.DOTALL)


class Entry(msgspec.Struct, frozen=True):
    """A matchExpressions entry as written, with the JSON pointer of its place below the list of terms."""

    pointer: str
    key: str
    operator: str
    values: tuple[str, ...]

    def read(self) -> Requirement:
        """The entry as Kubernetes reads it; ValueError where it cannot."""
        return parse(self.key, self.operator, self.values)

    @property
    def problem(self) -> str:
        """Why Kubernetes cannot read it; empty where it can."""
        try:
            self.read()
        except ValueError as problem:
            return str(problem)
        return ""

    @property
    def is_bound(self) -> bool:
        """Whether it compares numbers."""
        return self.operator in _BOUNDS and len(self.values) == 1


def entries_of(daemonset: DaemonSet, place: int) -> tuple[Entry, ...]:
    """The entries about labels of one term of the required affinity."""
    affinity = part(daemonset.obj, "spec", "template", "spec", "affinity", "nodeAffinity")
    terms = list(listed(affinity, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"))
    found = terms[place] if 0 <= place < len(terms) else {}
    return tuple(
        Entry(f"/{place}/matchExpressions/{i}", str(raw.get("key")), str(raw.get("operator")), _texts(raw))
        for i, raw in enumerate(listed(found, "matchExpressions"))
    )


def _texts(raw: Mapping[str, Any]) -> tuple[str, ...]:
    values = raw.get("values")
    return tuple(map(str, values)) if isinstance(values, list) else ()


def bounds_in(daemonset: DaemonSet, place: int) -> Iterator[Entry]:
    """The Gt and Lt entries of one term."""
    return (entry for entry in entries_of(daemonset, place) if entry.is_bound)


def nearly_admits(daemonset: DaemonSet, place: int, node: Node) -> bool:
    """Whether a term that cannot be read would let the node in, were it written as it was meant."""
    entries = entries_of(daemonset, place)
    return any(entry.problem for entry in entries) and all(
        would_admit(entry, node.labels.get(entry.key)) for entry in entries
    )


def would_admit(entry: Entry, have: str | None) -> bool:
    """Whether an entry, taken as it was meant, is met by a label with this value (None: no such label)."""
    if not entry.problem and not entry.is_bound:
        return entry.read().admits(have)
    if have is None:
        return entry.operator == "NotIn"
    if entry.is_bound:
        return exceeds(have, entry.values[0], entry.operator)
    among = loose(have) in {loose(value) for value in entry.values}
    return among if entry.operator == "In" else not among and entry.operator == "NotIn"


def exceeds(have: str, bound: str, operator: str) -> bool:
    """Whether a value is beyond a bound (Gt, Lt) to people, who read `32Gi` and `1.5` too; True where only one is a number."""
    mine, theirs = magnitudes(have, bound)
    if mine is None or theirs is None:
        return mine is not None or theirs is not None
    return mine > theirs if operator == "Gt" else mine < theirs


def magnitudes(a: str, b: str) -> tuple[Decimal | None, Decimal | None]:
    """Two numbers to compare: without their units where these are equal or only one has any, else as quantities."""
    parts_a, parts_b = _NUMBER.fullmatch(a), _NUMBER.fullmatch(b)
    if not parts_a or not parts_b:
        return (Decimal(parts_a[1]) if parts_a else None, Decimal(parts_b[1]) if parts_b else None)
    if parts_a[2] and parts_b[2] and parts_a[2] != parts_b[2]:
        return _quantity(a), _quantity(b)
    return Decimal(parts_a[1]), Decimal(parts_b[1])


def _quantity(text: str) -> Decimal | None:
    try:
        return parse_quantity(text)
    except ValueError:
        return None


def as_integer(entry: Entry) -> str:
    """The plain integer that says what a bound was meant to; empty where none does, such as for a negative one."""
    found = _NUMBER.fullmatch(entry.values[0])
    if not found:
        return ""
    number = Decimal(found[1])
    whole = floor(number) if entry.operator == "Gt" else ceil(number)
    return str(whole) if whole >= 0 and parse_int64(str(whole)) is not None else ""


def label_is_no_integer(entry: Requirement, labels: Mapping[str, str]) -> bool:
    """Whether a requirement compares numbers and the label is there and is none."""
    have = labels.get(entry.key) if (entry.above, entry.below) != (None, None) else None
    return have is not None and parse_int64(have) is None


def nearly_holds(entry: Requirement, have: str) -> bool:
    """Whether a comparison would hold for a label that is no integer, read as people do."""
    above, below = entry.above, entry.below
    return (above is None or exceeds(have, str(above), "Gt")) and (below is None or exceeds(have, str(below), "Lt"))
