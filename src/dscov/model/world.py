"""A snapshot with its joins: which class a node is of, whose a pod is, and the oracle's answer, each worked out once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from dscov.kube.objects import part
from dscov.kube.placement import Placement, Template, place
from dscov.kube.pods import DaemonPod, belongs, in_play, oldest_first
from dscov.kube.revisions import GENERATION_ANNOTATION, is_updated
from dscov.kube.selectors import Selector
from dscov.model.classes import Split
from dscov.model.cluster import DaemonSet, Event, Node, Object, Pod, Revision, Snapshot
from dscov.model.grace import USUAL, Grace
from dscov.model.marks import is_leaving, is_young_at
from dscov.model.openshift import project_selectors
from dscov.model.policy import OPEN, Scope, Zone

#: The resource of a NotSeen for the pods of all namespaces but one, whose name follows.
OUTSIDE = "pods outside "

_Value = TypeVar("_Value")

_UNDECLARED: Mapping[str, Scope] = MappingProxyType({})


class World:
    """What causes see. Everything in it is read-only; indexes are made on first use."""

    def __init__(
        self, snapshot: Snapshot, now: datetime, *, grace: Grace = USUAL, scopes: Mapping[str, Scope] = _UNDECLARED
    ) -> None:
        self.snapshot = snapshot
        self.now = now
        self.grace = grace
        #: What is declared of DaemonSets, by their keys.
        self.scopes = scopes
        #: What helpers worked out about a DaemonSet, once for all causes that ask: by a name of theirs and the key.
        self.memo: dict[tuple[object, ...], Any] = {}
        self._placements: dict[str, Sequence[Placement]] = {}
        self._decided: dict[tuple[Template, tuple[Selector, ...]], Sequence[Placement]] = {}

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes by name."""
        return {node.name: node for node in self.snapshot.nodes}

    @cached_property
    def blind_to(self) -> frozenset[str]:
        """The resources that could not be looked at, e.g. `pods`."""
        return frozenset(missing.resource for missing in self.snapshot.not_seen)

    @property
    def sees_nodes(self) -> bool:
        """Whether the nodes could be looked at; else there is no placement to ask for."""
        return "nodes" not in self.blind_to

    @property
    def nodes_to_judge(self) -> Sequence[Node]:
        """The nodes; where they could not be looked at, those that pods tell of, of which only the names are known."""
        if self.sees_nodes:
            return self.snapshot.nodes
        names = {name for daemonset in self.snapshot.daemonsets for name in self.pods_by_node(daemonset)}
        return [Node(name) for name in sorted(names)]

    def sees_pods_of(self, namespace: str) -> bool:
        """Whether the pods of a namespace could be looked at."""
        beyond = any(what.startswith(OUTSIDE) and what != f"{OUTSIDE}{namespace}" for what in self.blind_to)
        return not beyond and not self.blind_to & {"pods", f"pods in {namespace}"}

    @cached_property
    def leaving(self) -> frozenset[str]:
        """The names of the nodes that something is taking away."""
        return frozenset(node.name for node in self.snapshot.nodes if is_leaving(node))

    @cached_property
    def taint_keys(self) -> frozenset[str]:
        """The keys of all taints that any node has."""
        return frozenset(taint.key for node in self.snapshot.nodes for taint in node.taints)

    # -- classes of nodes -------------------------------------------------------------------------------------

    @cached_property
    def class_of(self) -> Mapping[str, int]:
        """The class of each node: nodes of one class get equal answers from the oracle for every DaemonSet."""
        split = Split(self.snapshot, self.projects, lambda node: is_young_at(node, self.now, self.grace.node))
        numbers: dict[object, int] = {}
        return {node.name: numbers.setdefault(split.signature(node), len(numbers)) for node in self.snapshot.nodes}

    @cached_property
    def members(self) -> Sequence[Sequence[Node]]:
        """The nodes of each class; the first stands for all."""
        found: defaultdict[int, list[Node]] = defaultdict(list)
        for node in self.snapshot.nodes:
            found[self.class_of[node.name]].append(node)
        return [found[number] for number in range(len(found))]

    def placement(self, daemonset: DaemonSet, node: Node) -> Placement:
        """The oracle's answer, asked once per template and class of nodes."""
        return self.placements(daemonset)[self.class_of[node.name]]

    def placements(self, daemonset: DaemonSet) -> Sequence[Placement]:
        """The oracle's answers for every class of nodes, by the number of the class."""
        known = self._placements.get(daemonset.key)
        if known is None:
            project = self.projects.get(daemonset.namespace, ())
            key = daemonset.template, project
            if key not in self._decided:
                self._decided[key] = [_decide(daemonset.template, many[0], project) for many in self.members]
            known = self._placements[daemonset.key] = self._decided[key]
        return known

    def zone(self, daemonset: DaemonSet, node: Node) -> Zone:
        """Where the node stands to what is declared of the DaemonSet."""
        scope = self.scopes.get(daemonset.key)
        return scope.zone(node) if scope else OPEN

    @cached_property
    def projects(self) -> Mapping[str, tuple[Selector, ...]]:
        """OpenShift's selectors by namespace; empty outside OpenShift."""
        return project_selectors(self.snapshot)

    # -- pods -------------------------------------------------------------------------------------------------

    @cached_property
    def _pods(self) -> Mapping[str, Mapping[str, list[Pod]]]:
        """Pods in play by DaemonSet key and node name, oldest first."""
        by_identity = {ds.identity: ds for ds in self.snapshot.daemonsets}
        orphans_of: defaultdict[str, list[DaemonSet]] = defaultdict(list)
        for ds in self.snapshot.daemonsets:
            orphans_of[ds.namespace].append(ds)
        found: dict[str, defaultdict[str, list[Pod]]] = {ds.key: defaultdict(list) for ds in self.snapshot.daemonsets}
        version = self.snapshot.version
        for pod in self.snapshot.pods:
            if not in_play(pod, version):
                continue
            owner = by_identity.get(pod.owner_uid)
            for ds in (owner,) if owner else () if pod.owner_uid else orphans_of.get(pod.namespace, ()):
                if owns(ds, pod):
                    found[ds.key][pod.target].append(pod)
        for by_node in found.values():
            for node, pods in by_node.items():
                if len(pods) > 1:
                    by_node[node] = oldest_first(pods)  # type: ignore[assignment]
        return found

    def pods(self, daemonset: DaemonSet, node_name: str) -> Sequence[Pod]:
        """The pods in play of a DaemonSet that are meant for a node, oldest first."""
        return self._pods[daemonset.key].get(node_name, ())

    def pods_by_node(self, daemonset: DaemonSet) -> Mapping[str, list[Pod]]:
        """The same for every node that has any, also nodes that do not exist."""
        return self._pods[daemonset.key]

    def object_of(self, pod: Pod) -> Object:
        """The whole API object of a pod that is not ready; empty where it was not kept."""
        if pod.key not in self._objects:
            self._objects[pod.key] = msgspec.json.decode(pod.raw) if pod.raw else {}
        return self._objects[pod.key]

    @cached_property
    def _objects(self) -> dict[str, Object]:
        return {}

    def occupants(self, node_name: str) -> Sequence[Object]:
        """The whole objects of all pods bound to a node, of whatever owner; empty where they were not read."""
        if node_name not in self._occupants:
            self._occupants[node_name] = [msgspec.json.decode(raw) for raw in self.snapshot.bound.get(node_name, ())]
        return self._occupants[node_name]

    @cached_property
    def _occupants(self) -> dict[str, Sequence[Object]]:
        return {}

    # -- revisions and events ---------------------------------------------------------------------------------

    @cached_property
    def _revisions(self) -> Mapping[str, Sequence[Revision]]:
        found: defaultdict[str, list[Revision]] = defaultdict(list)
        for revision in self.snapshot.revisions:
            found[revision.owner_uid].append(revision)
        return {uid: sorted(many, key=lambda r: (-r.revision, r.name)) for uid, many in found.items()}

    def current_revision(self, daemonset: DaemonSet) -> Revision | None:
        """The revision whose template is the DaemonSet's, the highest of them; None where none was seen to be."""
        template = part(daemonset.obj, "spec", "template")
        return next((r for r in self._revisions.get(daemonset.identity, ()) if r.template == template), None)

    def tells_revisions(self, daemonset: DaemonSet) -> bool:
        """Whether old pods can be told from new ones."""
        return self.current_revision(daemonset) is not None or GENERATION_ANNOTATION in daemonset.annotations

    def is_updated(self, daemonset: DaemonSet, pod: Pod) -> bool:
        """Whether a pod is of the current revision, by hash or by template generation."""
        return self.updated(daemonset)(pod)

    def updated(self, daemonset: DaemonSet) -> Callable[[DaemonPod], bool]:
        """The same as a question to many pods of the DaemonSet; pods with the same labels get the same answer."""
        key = daemonset.key
        if key not in self._updated:
            revision = self.current_revision(daemonset)
            hashed, generation = revision.hash if revision else "", daemonset.annotations.get(GENERATION_ANNOTATION)
            self._updated[key] = lambda pod: is_updated(pod.labels, current_hash=hashed, generation=generation)
        return self._updated[key]

    @cached_property
    def _updated(self) -> dict[str, Callable[[DaemonPod], bool]]:
        return {}

    @cached_property
    def _events(self) -> Mapping[tuple[str, str, str], Sequence[Event]]:
        found: defaultdict[tuple[str, str, str], list[Event]] = defaultdict(list)
        for event in self.snapshot.events:
            found[event.kind, event.namespace if event.kind != "Node" else "", event.name].append(event)
        floor = datetime.min.replace(tzinfo=self.now.tzinfo)
        return {key: sorted(many, key=lambda e: e.last or floor, reverse=True) for key, many in found.items()}

    def events(self, kind: str, namespace: str, name: str) -> Sequence[Event]:
        """The events about an object, newest first; the namespace of a node is empty."""
        return self._events.get((kind, namespace, name), ())

    @cached_property
    def _by_reason(self) -> Mapping[str, Sequence[Event]]:
        found: defaultdict[str, list[Event]] = defaultdict(list)
        for event in self.snapshot.events:
            found[event.reason].append(event)
        return found

    def events_with(self, reason: str) -> Sequence[Event]:
        """The events of a reason about whatever object, e.g. `Preempted`, also about pods that are gone."""
        return self._by_reason.get(reason, ())


def once(world: World, key: tuple[object, ...], make: Callable[[], _Value]) -> _Value:
    """What `make` gives, made once per key and kept in the world's memo."""
    if key not in world.memo:
        world.memo[key] = make()
    found: _Value = world.memo[key]
    return found


def _decide(template: Template, node: Node, project: tuple[Selector, ...]) -> Placement:
    return place(template, name=node.name, labels=node.labels, taints=node.taints, project=project)


def owns(daemonset: DaemonSet, pod: Pod) -> bool:
    """Whether the controller counts the pod as the DaemonSet's."""
    return daemonset.namespace == pod.namespace and belongs(
        owner_uid=pod.owner_uid,
        daemonset_uid=daemonset.identity,
        labels=pod.labels,
        selector=daemonset.selector,
        pod_deleting=pod.deleted is not None,
        daemonset_deleting=daemonset.deleted is not None,
    )
