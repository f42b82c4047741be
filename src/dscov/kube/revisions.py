"""The current revision of a DaemonSet, outdated pods, and how many pods a rollout may touch at once.

Rules: pkg/controller/daemon/update.go, pkg/controller/daemon/util/daemonset_util.go and
k8s.io/apimachinery pkg/util/intstr, Kubernetes v1.37.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.kube.requirements import parse_int64
from dscov.patterns import pattern

HASH_LABEL = "controller-revision-hash"
GENERATION_LABEL = "pod-template-generation"
GENERATION_ANNOTATION = "deprecated.daemonset.template.generation"

_PERCENT = pattern(r"[+-]?[0-9]+%", re.ASCII)


class Strategy(msgspec.Struct, frozen=True):
    """`spec.updateStrategy`. A number is a count, a text a percentage; None where the rollingUpdate part is absent."""

    type: str = "RollingUpdate"
    max_unavailable: int | str | None = 1
    max_surge: int | str | None = 0
    #: Whether `rollingUpdate` is there at all; the API server fills it in, so only raw objects lack it.
    bounded: bool = True

    @property
    def surges(self) -> bool:
        """Whether a new pod may stand beside the old one on a node (AllowsSurge)."""
        try:
            return (
                self.bounded
                and self.type == "RollingUpdate"
                and scaled(0 if self.max_surge is None else self.max_surge, 1) > 0
            )
        except ValueError:
            return False


class Budget(msgspec.Struct, frozen=True):
    """How many pods a rollout over `desired` eligible nodes may touch at once (UnavailableCount and SurgeCount).

    Reading `max_unavailable` or `max_surge` raises ValueError where the controller cannot read that field.
    """

    strategy: Strategy
    desired: int

    @property
    def max_unavailable(self) -> int:
        """How many nodes may be without an available pod, as the field says."""
        return scaled(self.strategy.max_unavailable, self.desired) if self._rolls else 0

    @property
    def max_surge(self) -> int:
        """How many nodes may have a second pod while the first is replaced."""
        return (
            scaled(0 if self.strategy.max_surge is None else self.strategy.max_surge, self.desired)
            if self._rolls
            else 0
        )

    @property
    def usable_unavailable(self) -> int:
        """`max_unavailable` as the rollout uses it: 1 where both fields come to 0 and there are nodes."""
        stuck = self._rolls and self.desired > 0 and self.max_unavailable == 0 and self.max_surge == 0
        return 1 if stuck else self.max_unavailable

    @property
    def _rolls(self) -> bool:
        return self.strategy.type == "RollingUpdate" and self.strategy.bounded


def scaled(value: int | str | None, total: int) -> int:
    """A count as it is, a percentage of `total` rounded up; ValueError for any other text and where it is absent."""
    if value is None:
        raise ValueError("the value is missing")
    if isinstance(value, int):
        return value
    percent = parse_int64(value[:-1]) if _PERCENT.fullmatch(value) else None
    if percent is None:
        raise ValueError(f"{value[:60]!r} is neither a number nor a percentage")
    return math.ceil(percent * total / 100)


def rollout_budget(daemonset: Mapping[str, Any], desired: int) -> Budget:
    """The budget of a DaemonSet (plain API object) over `desired` eligible nodes."""
    return Budget(read_strategy((daemonset.get("spec") or {}).get("updateStrategy") or {}), desired)


def read_strategy(raw: Mapping[str, Any]) -> Strategy:
    """The strategy of a raw `spec.updateStrategy`; nothing is defaulted but absence of the whole."""
    rolling = raw.get("rollingUpdate")
    if rolling is None:
        return Strategy(raw.get("type") or "RollingUpdate", None, None, bounded=False)
    return Strategy(raw.get("type") or "RollingUpdate", rolling.get("maxUnavailable"), rolling.get("maxSurge"))


def is_updated(labels: Mapping[str, str], *, current_hash: str, generation: str | None) -> bool:
    """Whether a pod with these labels is of the current revision, by hash or by template generation.

    `generation` is the DaemonSet's annotation; one that is no integer does not count.
    """
    if current_hash and labels.get(HASH_LABEL) == current_hash:
        return True
    number = parse_int64(generation) if generation is not None else None
    return number is not None and labels.get(GENERATION_LABEL) == str(number)
