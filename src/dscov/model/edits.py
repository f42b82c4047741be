"""The frozen nouns of an edit plan: which DaemonSet, and what is to become of its scheduling fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


@dataclass(frozen=True, slots=True)
class TolerationSpec:
    """A toleration as it stands in a manifest; None is a field that is not written. No operator means Equal."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    seconds: int | None = None

    def fields(self) -> dict[str, str | int]:
        """The fields that are written, under their manifest names and in their customary order."""
        named = {
            "key": self.key,
            "operator": self.operator,
            "value": self.value,
            "effect": self.effect,
            "tolerationSeconds": self.seconds,
        }
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Expression:
    """One node-affinity expression: `operator` is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One nodeSelectorTerm: its matchExpressions and its matchFields, all of which must hold."""

    expressions: tuple[Expression, ...] = ()
    fields: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class AddToleration:
    """Add a toleration, in front of the one that equals `before`, else at the end; nothing to do where it is there."""

    toleration: TolerationSpec
    before: TolerationSpec | None = None


@dataclass(frozen=True, slots=True)
class ChangeToleration:
    """Turn the toleration that equals `old` into `new`, field by field; without `seconds` in `new` they stay."""

    old: TolerationSpec
    new: TolerationSpec


@dataclass(frozen=True, slots=True)
class RemoveToleration:
    """Take out every toleration that equals this one."""

    toleration: TolerationSpec


@dataclass(frozen=True, slots=True)
class RemoveTolerationSeconds:
    """Take tolerationSeconds out of the toleration that otherwise equals this one."""

    toleration: TolerationSpec


@dataclass(frozen=True, slots=True)
class SetNodeSelector:
    """Give the label another value, or add it: in front of the label `before` where that is there, else at the end."""

    key: str
    value: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class UnsetNodeSelector:
    """Take the label out of nodeSelector."""

    key: str


@dataclass(frozen=True, slots=True)
class AddAffinityExpression:
    """Demand `expression` in every term of the required node affinity, making the first term where there is none."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class ChangeAffinityExpression:
    """Turn every required expression that equals `old` into `new`."""

    old: Expression
    new: Expression


@dataclass(frozen=True, slots=True)
class RemoveAffinityExpression:
    """Demand `expression` no more in any term. Where nothing else is demanded the required node affinity goes."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class ReplaceAffinityTerms:
    """The required node affinity is to have exactly these terms; what they share with those there stays as it is."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class SetPriorityClass:
    """Set priorityClassName."""

    name: str


@dataclass(frozen=True, slots=True)
class SetUpdateStrategy:
    """Set numbers of updateStrategy.rollingUpdate (a count, or a percentage such as `10%`), or the type."""

    max_unavailable: int | str | None = None
    max_surge: int | str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class SetField:
    """Set the scalar at `path`: the keys below the DaemonSet, such as (`spec`, `template`, `spec`, `schedulerName`)."""

    path: tuple[str, ...]
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class UnsetField:
    """Take out the key at `path` with all that is in it, and the maps of `spec` that it leaves empty."""

    path: tuple[str, ...]


Edit = (
    AddToleration
    | ChangeToleration
    | RemoveToleration
    | RemoveTolerationSeconds
    | SetNodeSelector
    | UnsetNodeSelector
    | AddAffinityExpression
    | ChangeAffinityExpression
    | RemoveAffinityExpression
    | ReplaceAffinityTerms
    | SetPriorityClass
    | SetUpdateStrategy
    | SetField
    | UnsetField
)


@dataclass(frozen=True, slots=True)
class Target:
    """A DaemonSet by name; without a namespace any, without a name the only one there is."""

    name: str | None = None
    namespace: str | None = None

    def __str__(self) -> str:
        """`daemonset/name`, with the namespace where it is known."""
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"daemonset/{self.name}{where}" if self.name else f"the DaemonSet{where}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done to one DaemonSet, in order."""

    target: Target
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One file, before and after. `old` is None for a file that is new; `notes` are for the person who decides."""

    path: str
    old: bytes | None
    new: bytes
    notes: tuple[str, ...] = ()

    @property
    def region(self) -> tuple[int, int, bytes]:
        """The least part of the old text, from and to, that differs, and what takes its place."""
        old = self.old or b""
        head = _shared(old, self.new)
        tail = _shared(old[head:][::-1], self.new[head:][::-1])
        return head, len(old) - tail, self.new[head : len(self.new) - tail]


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low
