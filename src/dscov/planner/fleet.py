"""Sets of nodes as whole numbers: bit n stands for node n of the snapshot, so that a plan is judged by a few operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from dscov.kube.affinity import Affinity, Field
from dscov.kube.requirements import Requirement
from dscov.kube.taints import BLOCKING, Taint, Toleration, tolerates
from dscov.model.world import World

Bits = int


class Fleet:
    """The nodes of a world. Everything in it is made once and on first use."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.nodes = world.snapshot.nodes
        self.bit = {node.name: 1 << number for number, node in enumerate(self.nodes)}
        self.all = (1 << len(self.nodes)) - 1
        self._labels: dict[str, Mapping[str | None, Bits]] = {}
        self._known: dict[Requirement, Bits] = {}
        self._met: dict[Toleration, tuple[Taint, ...]] = {}

    def names(self, bits: Bits) -> tuple[str, ...]:
        """The names of the nodes of a set, in the order of the snapshot."""
        return tuple(self.nodes[number].name for number in places(bits))

    @cached_property
    def taints(self) -> Mapping[Taint, Bits]:
        """The nodes with each taint that can keep pods away, in the order of the taints' texts."""
        found: defaultdict[Taint, Bits] = defaultdict(int)
        for number, node in enumerate(self.nodes):
            for taint in node.taints:
                if taint.effect in BLOCKING:
                    found[taint] |= 1 << number
        return dict(sorted(found.items(), key=lambda item: (item[0].key, item[0].value, item[0].effect)))

    @cached_property
    def _taints_of_key(self) -> Mapping[str, Sequence[Taint]]:
        found: defaultdict[str, list[Taint]] = defaultdict(list)
        for taint in self.taints:
            found[taint.key].append(taint)
        return found

    def met(self, form: Toleration) -> tuple[Taint, ...]:
        """The taints that a toleration meets, in their order."""
        if form not in self._met:
            candidates = self._taints_of_key.get(form.key, ()) if form.key else self.taints
            self._met[form] = tuple(taint for taint in candidates if tolerates(form, taint))
        return self._met[form]

    def values(self, key: str) -> Mapping[str | None, Bits]:
        """The nodes with each value of a label; under None those that have no such label."""
        if key not in self._labels:
            found: defaultdict[str | None, Bits] = defaultdict(int)
            for number, node in enumerate(self.nodes):
                found[node.labels.get(key)] |= 1 << number
            self._labels[key] = found
        return self._labels[key]

    def meeting(self, entry: Requirement) -> Bits:
        """The nodes that meet a requirement."""
        if entry not in self._known:
            held = self.values(entry.key).items()
            self._known[entry] = _joined(bits for value, bits in held if entry.admits(value))
        return self._known[entry]

    def admitted(self, affinity: Affinity | None) -> Bits:
        """The nodes that a required affinity lets in."""
        if affinity is None:
            return self.all
        whole = 0
        for term in affinity.terms:
            within = self.all if not term.problem and not term.empty else 0
            for entry in term.expressions if within else ():
                within &= self.meeting(entry)
            for field in term.fields if within else ():
                within &= self._named(field)
            whole |= within
        return whole

    def _named(self, field: Field) -> Bits:
        own = self.bit.get(field.value, 0) if field.key == "metadata.name" else self.all if not field.value else 0
        return self.all & ~own if field.complement else own


def places(bits: Bits) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _joined(parts: Iterator[Bits]) -> Bits:
    whole = 0
    for bits in parts:
        whole |= bits
    return whole
