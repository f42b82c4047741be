"""What is to be reached for one DaemonSet, and what a set of moves does to it: sets of nodes in, sets of nodes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dscov.kube.taints import NO_EXECUTE, Taint, untolerated
from dscov.model.cluster import DaemonSet
from dscov.planner.fleet import Bits, Fleet, places
from dscov.planner.moves import Move, Narrowing, Reshaping, Selecting, Tolerating
from dscov.simulation import patched


@dataclass(frozen=True, slots=True)
class Aims:
    """Sets of nodes: the daemon is to `enter` and to `leave` some, it must go on to be wanted where `keep` says and
    may not be thrown out where `stay` says; `closed` must not be gained. Any other node may go either way.
    """

    enter: Bits = 0
    leave: Bits = 0
    keep: Bits = 0
    stay: Bits = 0
    closed: Bits = 0

    @property
    def inside(self) -> Bits:
        """The nodes that every selector has to let in."""
        return self.enter | self.keep | self.stay


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a set of moves leads to: the nodes that the controller then wants, and those where a pod may go on."""

    runs: Bits
    goes_on: Bits
    #: The nodes that every selector lets in, whatever their taints.
    selected: Bits
    #: What of each entry of the template is met where, and by all that is asked beside.
    entries: dict[str, Bits]
    affinity: Bits
    asked: Bits
    #: Taints still untolerated, as bits of their places in `Problem.taints`.
    barring: Bits


class Problem:
    """One DaemonSet, as it stands, against the nodes."""

    def __init__(self, fleet: Fleet, daemonset: DaemonSet) -> None:
        self.fleet, self.daemonset = fleet, daemonset
        template = daemonset.template
        #: The taints of any node that it does not tolerate.
        self.taints: Sequence[Taint] = untolerated(fleet.taints, template.tolerations)
        self.tainted = [fleet.taints[taint] for taint in self.taints]
        self.place = {taint: place for place, taint in enumerate(self.taints)}
        self.entries = {f"selector {entry.key}": fleet.meeting(entry) for entry in template.node_selector}
        if template.node_name:
            self.entries["nodeName"] = fleet.bit.get(template.node_name, 0)
        self.project = fleet.all
        for selector in fleet.world.projects.get(daemonset.namespace, ()):
            for entry in selector.requirements:
                self.project &= fleet.meeting(entry)
        self._reshaped: dict[frozenset[Move], Bits] = {}

    @cached_property
    def base(self) -> Outcome:
        """The outcome of doing nothing."""
        return self.outcome(())

    def outcome(self, moves: Iterable[Move]) -> Outcome:
        """What the moves lead to."""
        entries, asked, lifted = dict(self.entries), self.fleet.all, 0
        reshaping = []
        for move in moves:
            match move:
                case Tolerating():
                    lifted |= move.lifts
                case Selecting():
                    entries[move.entry] = move.admits
                case Narrowing():
                    asked &= move.within
                case Reshaping():
                    reshaping.append(move)
        affinity = self.affinity(frozenset(reshaping))
        selected = affinity & asked
        for bits in entries.values():
            selected &= bits
        barring = ((1 << len(self.taints)) - 1) & ~lifted
        closed = evicting = 0
        for place in places(barring):
            closed |= self.tainted[place]
            evicting |= self.tainted[place] if self.taints[place].effect == NO_EXECUTE else 0
        # The namespace's own selector is asked only where the rest says yes.
        goes_on = selected & ~evicting & (closed | self.project)
        return Outcome(selected & ~closed & self.project, goes_on, selected, entries, affinity, asked, barring)

    def affinity(self, moves: frozenset[Move]) -> Bits:
        """The nodes that the affinity lets in when it is reshaped so; none where the moves do not go together."""
        if moves not in self._reshaped:
            self._reshaped[moves] = self._ask(moves)
        return self._reshaped[moves]

    def _ask(self, moves: frozenset[Move]) -> Bits:
        after = self.daemonset
        try:
            for move in sorted(moves, key=lambda one: ("given" not in one.slots, one.text)):
                after = patched(after, move.write(after))
        except ValueError:
            return 0
        return self.fleet.admitted(after.template.affinity)
