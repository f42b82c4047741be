"""What a cause is: a name, a sentence, a way to find it and a remedy. The files in `dscov/causes/` each define one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.world import World

Find = Callable[[World, DaemonSet, Node], Iterator[Hit]]
Survey = Callable[[World, DaemonSet], Iterator[Hit]]
Cure = Callable[[World, DaemonSet, Finding], Remedy]

#: The seven stages in the order in which a pod meets them; the hundred of a code is its stage.
STAGES = ("eligibility", "creation", "scheduling", "kubelet", "run", "node", "rollout and counters")


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """One cause.

    `says` is its sentence with the facts of a hit as {names}; `find` speaks of one node, `survey` of a DaemonSet as a
    whole. `looks_at` names the states in which `find` is asked. Causes of eligibility are asked once per class of
    nodes, as `excluded` or `eligible`, and as `declared` where intent is declared; what goes by the single node is
    asked as `absent` where it is excluded and yet expected, and what nobody spoke of as `unexplained`. `of_pod` marks
    what the pod alone tells: it is asked although the nodes could not be looked at.
    """

    code: str
    slug: str
    title: str
    says: str
    cure: Cure
    find: Find | None = None
    survey: Survey | None = None
    looks_at: frozenset[str] = frozenset()
    severity: str = "error"
    of_pod: bool = False

    @property
    def stage(self) -> int:
        """Its stage, 1 to 7."""
        return int(self.code[3])
