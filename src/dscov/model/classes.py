"""What makes two nodes differ for some template: nodes that do not differ are of one class, and one stands for all.

The oracle's answer must be the same within a class, and so must be what the causes of eligibility say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from dscov.kube.affinity import Affinity, Field
from dscov.kube.placement import Template
from dscov.kube.requirements import Requirement
from dscov.kube.selectors import Selector
from dscov.kube.taint_catalogue import Kind, look_up
from dscov.kube.taints import BLOCKING, Taint
from dscov.model.cluster import Node, Snapshot
from dscov.model.marks import CONTROL_PLANE_LABELS, is_virtual, pool_of, short
from dscov.model.spelling import loose, misspelt, successor
from dscov.model.unreadable import entries_of

#: Labels that tell what a node is; they split classes although nobody may select on them.
_KNOWN = ("kubernetes.io/os", "kubernetes.io/arch", "type", "eks.amazonaws.com/compute-type", *CONTROL_PLANE_LABELS)

#: A label with more values than this among the nodes is told apart only where a template names the value.
MANY = 64


class Split:
    """How the nodes of a snapshot fall into classes."""

    def __init__(
        self, snapshot: Snapshot, projects: Mapping[str, tuple[Selector, ...]], is_young: Callable[[Node], bool]
    ) -> None:
        self.snapshot, self.is_young = snapshot, is_young
        self.names: set[str] = set()
        self.mentioned: defaultdict[str, set[str]] = defaultdict(set)
        self.whole: set[str] = set(_KNOWN)
        self.starting: dict[tuple[Taint, ...], bool] = {}
        for template in {ds.template for ds in snapshot.daemonsets}:
            self._mention(template)
        for ds in snapshot.daemonsets:
            terms = ds.template.affinity.terms if ds.template.affinity else ()
            unreadable = [place for place, term in enumerate(terms) if term.problem]
            self.whole |= {entry.key for place in unreadable for entry in entries_of(ds, place)}
        self.whole |= {e.key for selectors in projects.values() for one in selectors for e in one.requirements}
        self.names = {short(name) for name in self.names.union(*self.mentioned.values())}
        self.values = dict(self._values())

    def _mention(self, template: Template) -> None:
        self.names.add(template.node_name)
        for entry in entries_in(template):
            if isinstance(entry, Field):
                self.names.add(entry.value)
                continue
            self.mentioned[entry.key] |= {value for value in entry.values if value is not None}
            if entry.above is not None or entry.below is not None:
                self.whole.add(entry.key)

    def _values(self) -> Iterator[tuple[str, frozenset[str] | None]]:
        """Each label that counts, with the values to tell apart in their loose spelling; None for all."""
        for key in sorted(self.mentioned.keys() | self.whole | self._other_names()):
            few = len({node.labels.get(key) for node in self.snapshot.nodes}) <= MANY
            loosely = frozenset(map(loose, self.mentioned[key])) | {short(value) for value in self.mentioned[key]}
            yield key, None if key in self.whole or few else loosely

    def _other_names(self) -> set[str]:
        """Labels of nodes whose key is that of a selected one in its newer name, or in another spelling."""
        present = {key for node in self.snapshot.nodes for key in node.labels}
        absent = self.mentioned.keys() - present
        found = {successor(key) for key in self.mentioned}
        found |= {key for key in present for wanted in absent if misspelt(wanted, key)}
        return found & present

    def signature(self, node: Node) -> object:
        """Equal for nodes of one class."""
        labels = tuple(_told_apart(node.labels.get(key), values) for key, values in self.values.items())
        named = node.name if short(node.name) in self.names else None
        system = node.labels.get("kubernetes.io/os") or node.info.os
        lacks = pool_of(node) if self._lacks_what_its_pool_has(node) else None
        return labels, node.taints, named, is_virtual(node), system, lacks, self._starts(node)

    def _lacks_what_its_pool_has(self, node: Node) -> bool:
        held = self._held.get(pool_of(node) or ("", ""), frozenset())
        return any(key not in node.labels for key in held)

    @cached_property
    def _held(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """The selected labels that any node of a pool has."""
        found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for node in self.snapshot.nodes:
            pool = pool_of(node)
            if pool:
                found[pool] |= self.mentioned.keys() & node.labels.keys()
        return {pool: frozenset(keys) for pool, keys in found.items()}

    def _starts(self, node: Node) -> object:
        """For a node with a startup taint: whether it is young, and which daemons are well on it."""
        if node.taints not in self.starting:
            kinds = (look_up(taint).kind for taint in node.taints if taint.effect in BLOCKING)
            self.starting[node.taints] = Kind.STARTUP in kinds
        return (self.is_young(node), self._daemons.get(node.name)) if self.starting[node.taints] else None

    @cached_property
    def _daemons(self) -> Mapping[str, frozenset[tuple[str, bool]]]:
        """The daemons on each node, and whether their pods are ready."""
        owners = {ds.identity for ds in self.snapshot.daemonsets}
        found: defaultdict[str, set[tuple[str, bool]]] = defaultdict(set)
        for pod in self.snapshot.pods:
            if pod.owner_uid in owners:
                found[pod.target].add((pod.owner_uid, pod.ready))
        return {name: frozenset(daemons) for name, daemons in found.items()}


def _told_apart(value: str | None, loosely: frozenset[str] | None) -> str | bool | None:
    """The value itself, or True for any that no template names in whatever spelling."""
    known = value is None or loosely is None or loose(value) in loosely or short(value) in loosely
    return value if known else True


def entries_in(template: Template) -> Iterator[Requirement | Field]:
    """Every entry by which a template selects nodes."""
    yield from template.node_selector
    for term in (template.affinity or Affinity()).terms:
        yield from term.expressions
        yield from term.fields
