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
class AddToleration:
    """Append a toleration; nothing to do where an equal one is there."""

    toleration: TolerationSpec


@dataclass(frozen=True, slots=True)
class ChangeToleration:
    """Turn the toleration that equals `old` into `new`, field by field."""

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
    """Add the label to nodeSelector, or give it another value."""

    key: str
    value: str


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
class SetPriorityClass:
    """Set priorityClassName."""

    name: str


@dataclass(frozen=True, slots=True)
class SetUpdateStrategy:
    """Set numbers of updateStrategy.rollingUpdate (a count, or a percentage such as `10%`), or the type."""

    max_unavailable: int | str | None = None
    max_surge: int | str | None = None
    type: str | None = None


Edit = (
    AddToleration
    | ChangeToleration
    | RemoveToleration
    | RemoveTolerationSeconds
    | SetNodeSelector
    | UnsetNodeSelector
    | AddAffinityExpression
    | ChangeAffinityExpression
    | SetPriorityClass
    | SetUpdateStrategy
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
