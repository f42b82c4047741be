"""The step that a rolling update takes next: what uses up its budget, what it replaces at once, what may go.

Rules: rollingUpdate in pkg/controller/daemon/update.go, Kubernetes v1.37.2. Pods that are being deleted do not count
as there.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Entry(msgspec.Struct, frozen=True):
    """One node in the controller's map: whether it should run a pod, and for each live pod whether it is available."""

    should_run: bool = True
    old: tuple[bool, ...] = ()
    new: tuple[bool, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """What the controller does next, by names of nodes.

    `counted` use up the `budget` (maxUnavailable, or maxSurge of a surge); the old pods on `at_once` are replaced
    whatever the budget; those on `candidates` wait for room in it.
    """

    budget: int
    counted: tuple[str, ...] = ()
    at_once: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    @property
    def may_go(self) -> int:
        """How many candidates may go now."""
        return min(len(self.candidates), max(0, self.budget - len(self.counted)))

    @property
    def blocked(self) -> bool:
        """Whether candidates wait and none may go."""
        return bool(self.candidates) and not self.may_go


def next_step(nodes: Mapping[str, Entry], budget: int, *, counts_unavailable_old: bool = True) -> Step:
    """The next step without surge. `counts_unavailable_old` is the rule since 1.28 (late patches)."""
    counted, at_once, candidates = [], [], []
    for name, entry in nodes.items():
        only_old = len(entry.old) == 1 and not entry.new
        only_new = len(entry.new) == 1 and not entry.old
        if only_old and not entry.old[0]:
            at_once.append(name)
            counted += [name] * counts_unavailable_old
        elif only_old:
            candidates.append(name)
        elif not only_new or not entry.new[0]:
            counted.append(name)
    return Step(budget, tuple(counted), tuple(at_once), tuple(candidates))


def next_surge_step(nodes: Mapping[str, Entry], budget: int) -> Step:
    """The next step of a surge: `counted` are nodes with a second pod that is not available yet."""
    counted, at_once, candidates = [], [], []
    for name, entry in nodes.items():
        if len(entry.old) > 1 or len(entry.new) > 1:
            counted.append(name)
        elif entry.old and entry.new:
            counted += [] if entry.new[0] else [name]
        elif entry.old and not entry.old[0]:
            at_once.append(name)
        elif entry.old and entry.should_run:
            candidates.append(name)
    return Step(budget, tuple(counted), tuple(at_once), tuple(candidates))
