"""Snapshot -> Diagnosis: the main loop, and the truth of the tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache

import msgspec

from dscov.causes import registry
from dscov.intent import INFERRED, accepted, expects, scopes
from dscov.kube.placement import Placement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod, Snapshot
from dscov.model.findings import Coverage, Diagnosis, Facts, Hit, Pair, Verdict
from dscov.model.nodes import is_taken_away
from dscov.model.policy import DEFAULTS, OPEN, Settings, Zone
from dscov.model.reconcile import computed, disagreements
from dscov.model.states import is_available, state_of, state_of_pods, troubles
from dscov.model.tally import WELL, summary
from dscov.model.unused import unused
from dscov.model.world import World
from dscov.remedies import SEVERITIES, Fold, findings

#: States in which nothing is wrong with a pair, whatever is expected: trouble is that of another pod than the one that
#: serves the node, or is about to.
_CALM = frozenset({*WELL, "starting", "unknown"})
_ELIGIBILITY, _NODE = 1, 6
_Spoken = tuple[tuple[Cause, Hit], ...]


def diagnose(
    snapshot: Snapshot,
    *,
    now: datetime,
    wants: Callable[[DaemonSet], bool] = lambda _: True,
    shows: Callable[[Node], bool] = lambda _: True,
    settings: Settings = DEFAULTS,
) -> Diagnosis:
    """Judge every DaemonSet that `wants` on every node that `shows`, by the clock `now` and the `settings`."""
    world = world_of(snapshot, now=now, settings=settings, wants=wants)
    found = diagnosed(world, wants=wants, shows=shows)
    return msgspec.structs.replace(found, unused=tuple(unused(world, settings.policy, found.coverage)))


def world_of(
    snapshot: Snapshot, *, now: datetime, settings: Settings, wants: Callable[[DaemonSet], bool] = lambda _: True
) -> World:
    """The snapshot with its joins and what is declared of the DaemonSets that `wants`."""
    declared = scopes(filter(wants, snapshot.daemonsets), settings, now)
    return World(snapshot, now, grace=settings.grace, scopes=declared)


def diagnosed(
    world: World, *, wants: Callable[[DaemonSet], bool] = lambda _: True, shows: Callable[[Node], bool] = lambda _: True
) -> Diagnosis:
    """The same as `diagnose`, of a world that is there already."""
    snapshot = world.snapshot
    nodes = [node for node in world.nodes_to_judge if shows(node)]
    coverage = tuple(_Judge(world, daemonset).judge(nodes) for daemonset in snapshot.daemonsets if wants(daemonset))
    return Diagnosis(
        source=snapshot.source,
        clock=world.now,
        not_seen=snapshot.not_seen,
        summary=summary(coverage, len(nodes)),
        coverage=coverage,
        node_labels={node.name: node.labels for node in nodes},
        skipped=snapshot.skipped,
    )


class _Class(msgspec.Struct, frozen=True):
    """What holds for one DaemonSet on all nodes of a class."""

    placement: Placement
    causes: tuple[Cause, ...]
    folds: tuple[Fold, ...]
    expected: bool
    breaks: bool
    transient: bool
    zone: Zone
    #: The verdict on its nodes without a pod, where none is wanted or expected: the greater part of all pairs.
    aside: Verdict | None = None

    @property
    def overrules(self) -> bool:
        """Whether a daemon is declared to belong here, and the controller does not want it."""
        return self.expected and self.zone.meant is True and not self.placement.should_run


class _Judge:
    """One DaemonSet on its way to a Coverage; findings gather while the pairs are gone through."""

    def __init__(self, world: World, daemonset: DaemonSet) -> None:
        self.world, self.daemonset = world, daemonset
        self.scope = world.scopes.get(daemonset.key)
        self.folds: dict[tuple[str, Facts, bool], Fold] = {}
        self.verdicts: dict[tuple[int, str, bool], Verdict] = {}
        self.alike: dict[Verdict, Verdict] = {}
        self.pods_seen = world.sees_pods_of(daemonset.namespace)
        self.all_seen = self.pods_seen and world.sees_nodes

    def judge(self, nodes: Sequence[Node]) -> Coverage:
        """The whole answer for the DaemonSet."""
        world, daemonset = self.world, self.daemonset
        pairs = tuple(self._pairs(nodes) if world.sees_nodes else self._pairs_of_pods(nodes))
        shown = {node.name for node in nodes}
        for cause in registry():
            for hit in cause.survey(world, daemonset) if cause.survey and self.all_seen else ():
                named = [name for name in hit.nodes if name in shown or name not in world.nodes]
                if named or not hit.nodes:
                    self._fold(cause, hit, _severity(cause, hit)).nodes.extend(named)
        counters = computed(world, daemonset)
        return Coverage(
            daemonset=daemonset,
            intent=self.scope.intent if self.scope else INFERRED,
            computed=counters if self.all_seen else None,
            disagreements=tuple(disagreements(world, daemonset, counters)) if self.all_seen else (),
            pairs=pairs,
            findings=tuple(findings(world, daemonset, self.scope, self.folds.values(), pairs)),
            accepted=tuple(accepted(world, daemonset, pairs)) if self.scope else (),
        )

    def _pairs(self, nodes: Sequence[Node]) -> Iterator[Pair]:
        world = self.world
        by_node = world.pods_by_node(self.daemonset)
        classes: dict[object, _Class] = {}
        for node in nodes:
            name = node.name
            zone = self.scope.zone(node) if self.scope else None
            key = (world.class_of[name], zone) if zone else world.class_of[name]
            kind = classes.get(key)
            if kind is None:
                kind = classes[key] = self._class(node, zone or OPEN)
            for fold in kind.folds:
                fold.nodes.append(name)
            pods = by_node.get(name)
            if pods is not None:
                yield Pair(name, self._verdict(node, kind, pods), tuple([pod.name for pod in pods]))
            elif kind.aside is not None and name not in world.leaving:
                yield Pair(name, kind.aside)
            else:
                yield Pair(name, self._verdict(node, kind, ()))

    def _pairs_of_pods(self, nodes: Sequence[Node]) -> Iterator[Pair]:
        """The pairs that pods tell of where the nodes could not be looked at: the controller put each of them there."""
        by_node = self.world.pods_by_node(self.daemonset)
        for node in nodes:
            if pods := by_node.get(node.name):
                state = state_of_pods(self.world, self.daemonset, node, pods)
                spoken = list(self._ask(node, *troubles(self.world, self.daemonset, node, state, pods), of_pod=True))
                for cause, hit in spoken:
                    self._fold(cause, hit, _severity(cause, hit, served=state in _CALM)).nodes.append(node.name)
                gap = state not in _CALM and not any(hit.transient for _, hit in spoken)
                made = Verdict(state, None, None, expected=True, gap=gap, causes=_decisive(c for c, _ in spoken))
                yield Pair(node.name, made, tuple(pod.name for pod in pods))

    def _class(self, node: Node, zone: Zone) -> _Class:
        """Ask the causes of eligibility, once for all nodes of the class and zone of `node`."""
        placement = self.world.placement(self.daemonset, node)
        spoken = list(self._ask_of_class(placement, node))
        hits = [hit for _, hit in spoken]
        causes = tuple(cause for cause, _ in spoken)
        expected = expects(self.world, self.daemonset, node, hits)
        breaks, transient = any(hit.breaks for hit in hits), any(hit.transient for hit in hits)
        kind = _Class(placement, causes, (), expected, breaks, transient, zone)
        earnest = expected and self._excuse(kind, _decisive(causes)) is None
        folds = tuple(self._fold(c, h, _severity(c, h, kind, earnest=earnest)) for c, h in spoken)
        aside = None
        if not expected and not placement.should_run:
            aside = self._made(kind, "excluded", (), wrong=False, passes=False)
        return msgspec.structs.replace(kind, folds=folds, aside=aside)

    def _verdict(self, node: Node, kind: _Class, pods: Sequence[Pod]) -> Verdict:
        """The verdict on one pair. Most pairs of a class are alike: one verdict is made for all of them."""
        state, available = self._state(node, kind, pods)
        leaving = node.name in self.world.leaving and is_taken_away(self.world, self.daemonset, node)
        wrong = kind.expected and not available and state not in _CALM
        # The causes of eligibility were asked for the whole class.
        asked: tuple[str, ...] = ("absent",) if wrong else ()
        if state != "excluded":
            asked = troubles(self.world, self.daemonset, node, state, pods)
        if not _asked_in(*asked):
            key = id(kind), state, leaving
            if key not in self.verdicts:
                self.verdicts[key] = self._made(kind, state, (), wrong=wrong, passes=leaving)
            return self.verdicts[key]
        spoken = tuple(self._ask(node, *asked))
        if wrong and not spoken and not kind.causes:
            spoken = tuple(self._ask(node, "unexplained"))
        made = self._made(kind, state, spoken, wrong=wrong, passes=leaving)
        for cause, hit in spoken:
            earnest = kind.expected and made.accepted is None
            severity = _severity(cause, hit, kind, earnest=earnest, served=state in _CALM)
            self._fold(cause, hit, severity).nodes.append(node.name)
        return self.alike.setdefault(made, made)

    def _made(self, kind: _Class, state: str, spoken: _Spoken, *, wrong: bool, passes: bool) -> Verdict:
        """The verdict, where beside the causes of the class those of `spoken` speak."""
        wants = kind.placement.should_run
        causes = _decisive((*kind.causes, *(cause for cause, _ in spoken)))
        nowhere = any(hit.wants_none for _, hit in spoken)
        expected = kind.expected and (kind.zone.meant is True or not nowhere)
        settles = any(hit.transient for _, hit in spoken)
        passes = passes or kind.transient or settles
        gap = expected and ((wrong and not passes) or (kind.breaks and not settles))
        excuse = self._excuse(kind, causes) if gap else None
        return Verdict(
            state=state,
            should_run=wants,
            should_continue_running=kind.placement.should_continue_running,
            expected=expected and excuse is None,
            gap=gap and excuse is None,
            unwanted=(wants or kind.expected or nowhere) and not expected,
            causes=causes,
            accepted=excuse,
        )

    def _excuse(self, kind: _Class, causes: Sequence[str]) -> int | None:
        """The accepted exclusion that makes a gap for these causes none, by its place."""
        return self.scope.accepts(kind.zone, causes, kind.placement) if self.scope else None

    def _state(self, node: Node, kind: _Class, pods: Sequence[Pod]) -> tuple[str, bool]:
        """The state, and whether a pod is available."""
        if not pods and not kind.placement.should_run:
            return "excluded", False
        if not self.pods_seen:
            return "unknown", False
        state = state_of(self.world, self.daemonset, node, kind.placement, pods)
        return state, state in WELL or any(
            is_available(self.world, self.daemonset, pod) for pod in pods if pod.deleted is None
        )

    def _ask_of_class(self, placement: Placement, node: Node) -> Iterator[tuple[Cause, Hit]]:
        """What holds for a class of nodes alike; what is declared is asked apart, since pods do not tell it."""
        yield from self._ask(node, "eligible" if placement.should_run else "excluded")
        if self.scope and placement.should_run:
            yield from self._ask(node, "declared")

    def _ask(self, node: Node, *states: str, of_pod: bool = False) -> Iterator[tuple[Cause, Hit]]:
        for cause in _asked_in(*states):
            for hit in cause.find(self.world, self.daemonset, node) if cause.find and cause.of_pod >= of_pod else ():
                yield cause, hit

    def _fold(self, cause: Cause, hit: Hit, severity: str) -> Fold:
        # Nodes that are meant to be left out stand apart from those that are not.
        key = cause.slug, hit.facts, severity == "info"
        fold = self.folds.get(key)
        if fold is None:
            fold = self.folds[key] = Fold(cause, hit, severity)
        elif SEVERITIES.index(severity) < SEVERITIES.index(fold.severity):
            fold.severity = severity
        return fold


@cache
def _asked_in(*states: str) -> tuple[Cause, ...]:
    return tuple(cause for cause in registry() if cause.find and not cause.looks_at.isdisjoint(states))


def _severity(cause: Cause, hit: Hit, kind: _Class | None = None, *, earnest: bool = True, served: bool = False) -> str:
    """The hit's own, where it has one; what passes, or leaves a pod that serves, is no error, what is declared no info."""
    if not earnest and not hit.wants_none:
        return "info"
    severity = hit.severity or cause.severity
    if kind and kind.overrules and cause.stage == _ELIGIBILITY and not hit.transient:
        return "error" if severity == "info" else severity
    return "warning" if (hit.transient or served) and severity == "error" else severity


def _decisive(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Their slugs, once each: a fault of the node explains all else, then the stages in their order."""
    ordered = sorted(causes, key=lambda cause: (cause.stage != _NODE, cause.code))
    return tuple(dict.fromkeys(cause.slug for cause in ordered))
