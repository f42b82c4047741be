"""What is aimed at by the verdicts, and what the oracle says of a template: for the planner's law, of which nothing is here."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from dscov.kube.placement import Template, place
from dscov.kube.taints import Toleration
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Coverage
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.world import World
from dscov.sources import decode, wire

Json = dict[str, Any]
TOLERATES_ALL = (Toleration("", "Exists"),)


@dataclass(frozen=True, eq=False)
class Edit:
    """One edit of the pod spec. Edits of equal slots exclude each other; lower turns are made first."""

    name: str
    breadth: int
    apply: Callable[[Json], None]
    turn: int
    slots: frozenset[str] = frozenset()

    @property
    def of_taints(self) -> bool:
        return self.turn == 9


@dataclass
class Asked:
    """One DaemonSet, and what is aimed at."""

    world: World
    coverage: Coverage
    targets: frozenset[str]

    def __post_init__(self) -> None:
        verdicts = {pair.node: pair.verdict for pair in self.coverage.pairs}
        self.enter = {n for n in self.targets if not verdicts[n].unwanted and not verdicts[n].should_run}
        self.leave = {n for n in self.targets if verdicts[n].unwanted}
        self.keep = {n for n, v in verdicts.items() if v.should_run and not v.unwanted}
        self.nodes = {node.name: node for node in self.world.snapshot.nodes}
        self.stay = {
            pair.node
            for pair in self.coverage.pairs
            if pair.pods
            and pair.verdict.should_continue_running
            and not pair.verdict.unwanted
            and (pair.verdict.expected or not self.no_place(pair.node))
        }
        self.closed = {n for n, v in verdicts.items() if not v.should_run and (v.unwanted or not v.expected)}
        self._asked: dict[object, tuple[frozenset[str], frozenset[str]]] = {}

    @property
    def daemonset(self) -> DaemonSet:
        return self.coverage.daemonset

    def no_place(self, name: str) -> bool:
        return is_virtual(self.nodes[name]) or is_foreign(self.daemonset, self.nodes[name])

    @cached_property
    def spec(self) -> Json:
        return dict(self.daemonset.obj)["spec"]["template"]["spec"]

    @cached_property
    def inside(self) -> set[str]:
        return self.enter | self.keep | self.stay

    # -- asking ---------------------------------------------------------------------------------------------------

    def template(self, spec: Json) -> Template:
        obj = deepcopy(dict(self.daemonset.obj))
        obj["spec"]["template"]["spec"] = spec
        return decode.daemonset(msgspec.convert(obj, wire.DaemonSet), obj).template

    def answers(self, template: Template) -> tuple[frozenset[str], frozenset[str]]:
        """The nodes that the controller wants, and those where it lets a pod go on."""
        said = {
            name: place(template, name=name, labels=node.labels, taints=node.taints)
            for name, node in self.nodes.items()
        }
        return (
            frozenset(name for name, one in said.items() if one.should_run),
            frozenset(name for name, one in said.items() if one.should_continue_running),
        )

    def edited(self, edits: frozenset[Edit]) -> Json:
        spec = deepcopy(self.spec)
        for edit in sorted(edits, key=lambda one: (one.turn, one.name)):
            edit.apply(spec)
        return spec
