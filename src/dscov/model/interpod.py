"""Rules among pods that keep a daemon pod off its node: (anti-)affinity of its own or of others, topology spread.

A daemon pod cannot go elsewhere, so a required rule of this kind leaves it waiting.
Rules: pkg/scheduler/framework/plugins/{interpodaffinity,podtopologyspread}, Kubernetes v1.37.2. Pods are looked for on
the nodes that were read; pods that are not bound do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from dscov.kube.objects import key_of, listed, name_of, part, strings, text, texts
from dscov.kube.selectors import Expression, Selector, from_label_selector
from dscov.model.capacity import owner_name, tenants
from dscov.model.cluster import Node, Object
from dscov.model.world import World, once

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Rule(msgspec.Struct, frozen=True):
    """One required term: its place in the list it stands in, whom it selects, over which label of nodes."""

    place: int
    selector: Selector
    topology: str
    namespaces: frozenset[str] = frozenset()
    #: Namespaces are selected by labels instead (of these, or all where there are none).
    by_labels: Selector | None = None

    def __str__(self) -> str:
        """`app in (db) over topology.kubernetes.io/zone`."""
        return f"{self.selector} over {self.topology}"

    def selects(self, world: World, pod: Object) -> bool:
        """Whether a pod is one of those that the rule speaks of."""
        namespace = text(pod, "metadata", "namespace") or "default"
        there = namespace in self.namespaces or (self.by_labels is not None and self._chosen(world, namespace))
        return there and self.selector.matches(texts(pod, "metadata", "labels"))

    def _chosen(self, world: World, namespace: str) -> bool:
        found = (one for one in world.snapshot.others.get("Namespace", ()) if name_of(one) == namespace)
        return self.by_labels is not None and self.by_labels.matches(texts(next(found, {}), "metadata", "labels"))


def rules(pod: Object, kind: str) -> Iterator[Rule]:
    """The required terms of `podAffinity` or `podAntiAffinity` of a pod (plain API object)."""
    own = text(pod, "metadata", "namespace") or "default"
    for place, term in enumerate(listed(pod, "spec", "affinity", kind, REQUIRED)):
        selector, by_labels = _selector(term, "labelSelector"), None
        if selector is None:
            continue
        if "namespaceSelector" in term:
            by_labels = _selector(term, "namespaceSelector")
        names = frozenset(strings(term, "namespaces"))
        topology = text(term, "topologyKey")
        yield Rule(place, selector, topology, names or (frozenset() if by_labels else frozenset({own})), by_labels)


def barred_by(world: World, node: Node, pod: Object) -> Iterator[tuple[Rule, Object]]:
    """The pod's own anti-affinity rules that a pod in the node's topology meets: (the rule, that pod)."""
    for rule in rules(pod, "podAntiAffinity"):
        for other in _neighbours(world, node, rule.topology):
            if rule.selects(world, other) and key_of(other) != key_of(pod):
                yield rule, other
                break


def bars(world: World, node: Node, pod: Object) -> Iterator[tuple[Rule, Object]]:
    """Anti-affinity rules of pods that are there and will not have this one: (the rule, the pod that has it)."""
    seen = set()
    for home, rule, other in once(world, ("guarded", ""), lambda: list(_guarded(world))):
        same = rule.topology in node.labels and home.labels.get(rule.topology) == node.labels[rule.topology]
        if same and rule.selects(world, pod) and owner_name(other) not in seen:
            seen.add(owner_name(other))
            yield rule, other


def _guarded(world: World) -> Iterator[tuple[Node, Rule, Object]]:
    """Every anti-affinity rule of a pod that is there: (its node, the rule, the pod)."""
    for home in world.snapshot.nodes:
        for other in tenants(world, home):
            yield from ((home, rule, other) for rule in rules(other, "podAntiAffinity"))


def lonely(world: World, node: Node, pod: Object) -> Iterator[Rule]:
    """The pod's own affinity rules that no pod in the node's topology meets."""
    for rule in rules(pod, "podAffinity"):
        if not any(rule.selects(world, other) for other in _neighbours(world, node, rule.topology)):
            yield rule


def spread(pod: Object) -> Iterator[tuple[int, str]]:
    """The places and topology keys of the pod's spread constraints that are strict."""
    for place, one in enumerate(listed(pod, "spec", "topologySpreadConstraints")):
        if one.get("whenUnsatisfiable") != "ScheduleAnyway":
            yield place, text(one, "topologyKey")


def _neighbours(world: World, node: Node, topology: str) -> Iterator[Object]:
    """The pods of the nodes that have the node's value of a label; none where it has not the label."""
    if topology not in node.labels:
        return
    if topology == "kubernetes.io/hostname":
        yield from tenants(world, node)
        return
    for other in world.snapshot.nodes:
        if other.labels.get(topology) == node.labels[topology]:
            yield from tenants(world, other)


def _selector(term: Object, field: str) -> Selector | None:
    """A label selector of a term; None where there is none or Kubernetes cannot read it."""
    if not isinstance(term.get(field), Mapping):
        return None
    expressions = [
        Expression(text(one, "key"), text(one, "operator"), strings(one, "values"))
        for one in listed(term, field, "matchExpressions")
    ]
    try:
        return from_label_selector(texts(part(term, field), "matchLabels"), expressions)
    except ValueError:
        return None
