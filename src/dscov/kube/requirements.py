"""Label requirements as sets with a complement: one membership test answers every operator.

A label that is absent is the value None. `In` is a set of values, `NotIn` its complement (so absent is fine),
`Exists` the complement of {None}, `DoesNotExist` the set {None}; `Gt` and `Lt` add a bound.
Rules: k8s.io/apimachinery pkg/labels/selector.go and pkg/util/validation/validation.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from dscov.patterns import pattern

_NAME = pattern(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)
_SUBDOMAIN = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_INTEGER = pattern(r"[+-]?[0-9]+", re.ASCII)


class Requirement(msgspec.Struct, frozen=True):
    """One condition on one label: the value is in `values` (or, complement, is not), and within the open bounds."""

    key: str
    values: frozenset[str | None]
    complement: bool = False
    above: int | None = None
    below: int | None = None
    text: str = ""

    def admits(self, value: str | None) -> bool:
        """Whether a label with this value (None: no such label) meets the requirement."""
        if (value in self.values) is self.complement:
            return False
        if self.above is None and self.below is None:
            return True
        number = parse_int64(value or "")
        if number is None:
            return False
        return (self.above is None or number > self.above) and (self.below is None or number < self.below)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels meet the requirement."""
        return self.admits(labels.get(self.key))

    def __str__(self) -> str:
        """The requirement as a selector is written, e.g. `zone in (a,b)`."""
        return self.text


def equals(key: str, value: str) -> Requirement:
    """The requirement of a nodeSelector entry: exactly this value, without validation."""
    return Requirement(key, frozenset({value}), text=f"{key}={value}")


def parse_int64(text: str) -> int | None:
    """The number that Go's ParseInt(text, 10, 64) reads, or None where it gives an error."""
    if len(text) > 4096 or not _INTEGER.fullmatch(text):
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > 19:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def check_key(key: str) -> None:
    """ValueError unless `key` is a label key: an optional DNS subdomain and `/`, then a name of 1 to 63 characters."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not _SUBDOMAIN.fullmatch(prefix)):
        raise ValueError(f"{key!r} is not a label key: the part before the slash must be a DNS subdomain")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{key!r} is not a label key")


def check_value(value: str) -> None:
    """ValueError unless `value` is a label value: empty, or up to 63 characters that begin and end alphanumeric."""
    if value and not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not a label value")


def parse(key: str, operator: str, values: Sequence[str]) -> Requirement:
    """The requirement of a matchExpressions entry; ValueError with the reason where Kubernetes cannot read it."""
    check_key(key)
    _check_count(operator, len(values))
    for value in values:
        check_value(value)
    listed = ",".join(values)
    match operator:
        case "In":
            return Requirement(key, frozenset(values), text=f"{key} in ({listed})")
        case "NotIn":
            return Requirement(key, frozenset(values), complement=True, text=f"{key} notin ({listed})")
        case "Exists":
            return Requirement(key, frozenset({None}), complement=True, text=key)
        case "DoesNotExist":
            return Requirement(key, frozenset({None}), text=f"!{key}")
    bound = parse_int64(values[0])
    if bound is None:
        raise ValueError(f"operator {operator} needs an integer, not {values[0]!r}")
    if operator == "Gt":
        return Requirement(key, frozenset({None}), complement=True, above=bound, text=f"{key}>{values[0]}")
    return Requirement(key, frozenset({None}), complement=True, below=bound, text=f"{key}<{values[0]}")


def _check_count(operator: str, count: int) -> None:
    match operator:
        case "In" | "NotIn" if count == 0:
            raise ValueError(f"operator {operator} needs at least one value")
        case "Exists" | "DoesNotExist" if count:
            raise ValueError(f"operator {operator} takes no values")
        case "Gt" | "Lt" if count != 1:
            raise ValueError(f"operator {operator} needs exactly one value")
        case "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt":
            return
        case _:
            raise ValueError(f"{operator!r} is not an operator")
