"""Taint x toleration, and the tolerations that the DaemonSet controller adds by itself.

Rules: k8s.io/api core/v1/toleration.go, k8s.io/component-helpers scheduling/corev1/helpers.go and
pkg/controller/daemon/util/daemonset_util.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from dscov.patterns import pattern

NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"

#: Effects that keep a pod away; PreferNoSchedule and unknown words never do.
BLOCKING = frozenset({NO_SCHEDULE, NO_EXECUTE})

_CANONICAL = pattern(r"0|-?[1-9][0-9]*", re.ASCII)


class Taint(msgspec.Struct, frozen=True, gc=False):
    """A taint of a node; `value` may be empty. `timeAdded` never matters to a decision and is not kept."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """As kubectl writes it: `key=value:effect`, or `key:effect` when the value is empty."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(msgspec.Struct, frozen=True, gc=False):
    """A toleration of a pod or template; empty fields have the meaning of the API (operator "" is Equal)."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    seconds: int | None = None

    def __str__(self) -> str:
        """Short form for people: `key=value:effect`, `key:effect (Exists)`, `every taint`."""
        if not self.key and self.operator == "Exists":
            return f"every taint:{self.effect}" if self.effect else "every taint"
        effect = f":{self.effect}" if self.effect else ""
        if self.operator in {"", "Equal"}:
            return f"{self.key}={self.value}{effect}"
        return f"{self.key} {self.operator}{f' {self.value}' if self.value else ''}{effect}"


def tolerates(toleration: Toleration, taint: Taint, *, comparison_operators: bool = True) -> bool:
    """Whether `toleration` meets `taint`.

    `comparison_operators` is the gate TaintTolerationComparisonOperators (operators Lt and Gt). It is judged as on
    by default: a server with the gate off refuses to store these operators, so an object that carries them came
    through a server that had it on. The gates of controller-manager and scheduler cannot be seen by a client.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Lt" | "Gt" if comparison_operators:
            return _compares(toleration, taint)
        case _:
            return False


def _compares(toleration: Toleration, taint: Taint) -> bool:
    """Lt: the taint's number is below the toleration's; Gt: above. Only canonical 64-bit decimals are numbers."""
    mine, theirs = _canonical(toleration.value), _canonical(taint.value)
    if mine is None or theirs is None:
        return False
    return theirs < mine if toleration.operator == "Lt" else theirs > mine


def _canonical(text: str) -> int | None:
    number = int(text) if len(text) <= 20 and _CANONICAL.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def untolerated(
    taints: Iterable[Taint], tolerations: Iterable[Toleration], *, comparison_operators: bool = True
) -> tuple[Taint, ...]:
    """The taints with a blocking effect that no toleration meets, the deciding ones (NoExecute) first, else in order."""
    tolerations = tuple(tolerations)
    left = [
        taint
        for taint in taints
        if taint.effect in BLOCKING
        and not any(tolerates(t, taint, comparison_operators=comparison_operators) for t in tolerations)
    ]
    return tuple(sorted(left, key=lambda taint: taint.effect != NO_EXECUTE))


_ALWAYS = (
    Toleration("node.kubernetes.io/not-ready", "Exists", "", NO_EXECUTE),
    Toleration("node.kubernetes.io/unreachable", "Exists", "", NO_EXECUTE),
    Toleration("node.kubernetes.io/disk-pressure", "Exists", "", NO_SCHEDULE),
    Toleration("node.kubernetes.io/memory-pressure", "Exists", "", NO_SCHEDULE),
    Toleration("node.kubernetes.io/pid-pressure", "Exists", "", NO_SCHEDULE),
    Toleration("node.kubernetes.io/unschedulable", "Exists", "", NO_SCHEDULE),
)
_HOST_NETWORK = Toleration("node.kubernetes.io/network-unavailable", "Exists", "", NO_SCHEDULE)


def effective(own: Iterable[Toleration], *, host_network: bool) -> tuple[Toleration, ...]:
    """The tolerations a daemon pod gets: the template's own, and the controller's added or put in place.

    An own toleration equal in key, operator, value and effect is replaced, which drops its tolerationSeconds.
    """
    result = list(own)
    for added in (*_ALWAYS, _HOST_NETWORK) if host_network else _ALWAYS:
        twin = next((i for i, t in enumerate(result) if _identity(t) == _identity(added)), None)
        if twin is None:
            result.append(added)
        else:
            result[twin] = added
    return tuple(result)


def _identity(toleration: Toleration) -> tuple[str, str, str, str]:
    return toleration.key, toleration.effect, toleration.operator, toleration.value
