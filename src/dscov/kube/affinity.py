"""nodeSelector and required node affinity: terms are ORed, the entries of one term are ANDed.

Rules: k8s.io/component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go v0.37.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from dscov.kube.requirements import Requirement, equals, parse
from dscov.kube.selectors import Expression


class Field(msgspec.Struct, frozen=True):
    """A matchFields entry: the field equals the value (or, complement, differs from it)."""

    key: str
    value: str
    complement: bool = False

    def matches(self, node_name: str) -> bool:
        """Whether a node of this name meets it; any field but `metadata.name` reads as the empty string."""
        return ((node_name if self.key == "metadata.name" else "") == self.value) is not self.complement

    def __str__(self) -> str:
        """As in a field selector."""
        return f"{self.key}{'!=' if self.complement else '='}{self.value}"


class Term(msgspec.Struct, frozen=True):
    """One nodeSelectorTerm. `problem` tells why Kubernetes cannot read it; then, and when empty, it matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Field, ...] = ()
    problem: str = ""

    @property
    def empty(self) -> bool:
        """A term without any entry: it is skipped and selects nothing."""
        return not self.problem and not self.expressions and not self.fields

    def failures(self, name: str, labels: Mapping[str, str]) -> tuple[Requirement | Field | str, ...]:
        """The entries that this node does not meet; a text where the term as a whole cannot match."""
        if self.problem:
            return (self.problem,)
        if self.empty:
            return ("the term is empty and selects nothing",)
        return (
            *(entry for entry in self.expressions if not entry.matches(labels)),
            *(entry for entry in self.fields if not entry.matches(name)),
        )

    def __str__(self) -> str:
        """The entries joined by `and`."""
        return " and ".join(map(str, (*self.expressions, *self.fields))) or self.problem or "(empty term)"


class Affinity(msgspec.Struct, frozen=True):
    """The required node affinity of a template: any one of `terms`. No term at all matches nothing."""

    terms: tuple[Term, ...] = ()

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether a node of this name and these labels is let in."""
        return any(not term.failures(name, labels) for term in self.terms)


def read_term(expressions: Iterable[Expression], fields: Iterable[Expression]) -> Term:
    """The term of these raw entries; one unreadable entry makes the whole term match nothing."""
    try:
        return Term(
            tuple(parse(e.key, e.operator, e.values) for e in expressions), tuple(_read_field(e) for e in fields)
        )
    except ValueError as problem:
        return Term(problem=str(problem))


def _read_field(entry: Expression) -> Field:
    if entry.operator not in {"In", "NotIn"}:
        raise ValueError(f"matchFields takes In and NotIn, not {entry.operator!r}")
    if len(entry.values) != 1:
        raise ValueError("matchFields takes exactly one value")
    return Field(entry.key, entry.values[0], complement=entry.operator == "NotIn")


def read_node_selector(labels: Mapping[str, str] | None) -> tuple[Requirement, ...]:
    """The requirements of a nodeSelector map: every key with exactly its value."""
    return tuple(equals(key, value) for key, value in (labels or {}).items())
