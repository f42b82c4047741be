"""Snapshot -> Diagnosis: the main loop, and the truth of the tool."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache

import msgspec

from dscov.causes import cause_of, registry
from dscov.intent import INFERRED, expects
from dscov.kube.placement import Placement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod, Snapshot
from dscov.model.findings import Coverage, Diagnosis, Facts, Finding, Hit, Pair, Remedy, Summary, Verdict
from dscov.model.owners import at_its_source, owner_of
from dscov.model.reconcile import computed, disagreements
from dscov.model.states import is_available, state_of, state_of_pods
from dscov.model.together import together
from dscov.model.world import World
from dscov.simulation import effect_of

_WELL = frozenset({"covered", "outdated"})
#: States in which nothing is wrong with a pair, whatever is expected.
_CALM = frozenset({*_WELL, "starting", "unknown"})
_SEVERITIES = ("error", "warning", "info")
_NODE = 6
_HARMLESS = re.compile(r"[\w./:=,@+-]*", re.ASCII)
_MEANT = "as far as the objects tell, it is meant so"


def diagnose(
    snapshot: Snapshot,
    *,
    now: datetime,
    wants: Callable[[DaemonSet], bool] = lambda _: True,
    shows: Callable[[Node], bool] = lambda _: True,
) -> Diagnosis:
    """Judge every DaemonSet that `wants` on every node that `shows`, by the clock `now`."""
    world = World(snapshot, now)
    nodes = [node for node in world.nodes_to_judge if shows(node)]
    coverage = tuple(_Judge(world, daemonset).judge(nodes) for daemonset in snapshot.daemonsets if wants(daemonset))
    return Diagnosis(
        source=snapshot.source,
        clock=now,
        not_seen=snapshot.not_seen,
        summary=_summary(coverage, len(nodes)),
        coverage=coverage,
        node_labels={node.name: node.labels for node in nodes},
        skipped=snapshot.skipped,
    )


class _Class(msgspec.Struct, frozen=True):
    """What holds for one DaemonSet on all nodes of a class."""

    placement: Placement
    causes: tuple[Cause, ...]
    folds: tuple[_Fold, ...]
    expected: bool
    breaks: bool
    transient: bool


class _Fold(msgspec.Struct):
    """A finding in the making: the hits of one cause with equal facts."""

    cause: Cause
    hit: Hit
    severity: str
    nodes: list[str] = []


class _Judge:
    """One DaemonSet on its way to a Coverage; findings gather while the pairs are gone through."""

    def __init__(self, world: World, daemonset: DaemonSet) -> None:
        self.world, self.daemonset = world, daemonset
        self.folds: dict[tuple[str, Facts, bool], _Fold] = {}
        self.verdicts: dict[tuple[int, str, bool], Verdict] = {}
        self.alike: dict[Verdict, Verdict] = {}
        self.pods_seen = world.sees_pods_of(daemonset.namespace)
        self.all_seen = self.pods_seen and world.sees_nodes

    def judge(self, nodes: Sequence[Node]) -> Coverage:
        """The whole answer for the DaemonSet."""
        world, daemonset = self.world, self.daemonset
        pairs = tuple(self._pairs(nodes) if world.sees_nodes else self._pairs_of_pods(nodes))
        for cause in registry():
            for hit in cause.survey(world, daemonset) if cause.survey and self.all_seen else ():
                self._fold(cause, hit, _severity(cause, hit)).nodes.extend(hit.nodes)
        counters = computed(world, daemonset)
        return Coverage(
            daemonset=daemonset,
            intent=INFERRED,
            computed=counters if self.all_seen else None,
            disagreements=tuple(disagreements(world, daemonset, counters)) if self.all_seen else (),
            pairs=pairs,
            findings=tuple(self._findings()),
        )

    def _pairs(self, nodes: Sequence[Node]) -> Iterator[Pair]:
        world = self.world
        by_node = world.pods_by_node(self.daemonset)
        classes: dict[int, _Class] = {}
        for node in nodes:
            name = node.name
            number = world.class_of[name]
            kind = classes.get(number)
            if kind is None:
                kind = classes[number] = self._class(node)
            for fold in kind.folds:
                fold.nodes.append(name)
            pods = by_node.get(name)
            if pods is None:
                yield Pair(name, self._verdict(node, kind, ()))
            else:
                yield Pair(name, self._verdict(node, kind, pods), tuple([pod.name for pod in pods]))

    def _pairs_of_pods(self, nodes: Sequence[Node]) -> Iterator[Pair]:
        """The pairs that pods tell of where the nodes could not be looked at: the controller put each of them there."""
        by_node = self.world.pods_by_node(self.daemonset)
        for node in nodes:
            if pods := by_node.get(node.name):
                state = state_of_pods(self.world, self.daemonset, node, pods)
                spoken = list(self._ask(state, node, of_pod=True))
                for cause, hit in spoken:
                    self._fold(cause, hit, _severity(cause, hit)).nodes.append(node.name)
                gap = state not in _CALM and not any(hit.transient for _, hit in spoken)
                made = Verdict(state, None, None, expected=True, gap=gap, causes=_decisive(c for c, _ in spoken))
                yield Pair(node.name, made, tuple(pod.name for pod in pods))

    def _class(self, node: Node) -> _Class:
        """Ask the causes of eligibility, once for all nodes of the class of `node`."""
        placement = self.world.placement(self.daemonset, node)
        spoken = list(self._ask("eligible" if placement.should_run else "excluded", node))
        hits = [hit for _, hit in spoken]
        expected = expects(self.daemonset, placement, node, hits)
        return _Class(
            placement,
            tuple(cause for cause, _ in spoken),
            tuple(self._fold(c, h, _severity(c, h) if expected or h.wants_none else "info") for c, h in spoken),
            expected,
            any(hit.breaks for hit in hits),
            any(hit.transient for hit in hits),
        )

    def _verdict(self, node: Node, kind: _Class, pods: Sequence[Pod]) -> Verdict:
        """The verdict on one pair. Most pairs of a class are alike: one verdict is made for all of them."""
        state, available = self._state(node, kind, pods)
        leaving = node.name in self.world.leaving
        wrong = kind.expected and not available and state not in _CALM
        # The causes of eligibility were asked for the whole class.
        asked = state if state != "excluded" else "absent" if wrong else ""
        if not _asked_in(asked):
            key = id(kind), state, leaving
            if key not in self.verdicts:
                gap = kind.expected and ((wrong and not kind.transient and not leaving) or kind.breaks)
                self.verdicts[key] = _made(kind, state, expected=kind.expected, gap=gap, causes=kind.causes)
            return self.verdicts[key]
        spoken = list(self._ask(asked, node))
        if wrong and not spoken and not kind.causes:
            spoken = list(self._ask("unexplained", node))
        for cause, hit in spoken:
            severity = _severity(cause, hit) if kind.expected or hit.wants_none else "info"
            self._fold(cause, hit, severity).nodes.append(node.name)
        passes = kind.transient or leaving or any(hit.transient for _, hit in spoken)
        expected = kind.expected and not any(hit.wants_none for _, hit in spoken)
        gap = expected and not passes and (wrong or kind.breaks)
        causes = (*kind.causes, *(cause for cause, _ in spoken))
        made = _made(kind, state, expected=expected, gap=gap, causes=causes)
        return self.alike.setdefault(made, made)

    def _state(self, node: Node, kind: _Class, pods: Sequence[Pod]) -> tuple[str, bool]:
        """The state, and whether a pod is available."""
        if not pods and not kind.placement.should_run:
            return "excluded", False
        if not self.pods_seen:
            return "unknown", False
        state = state_of(self.world, self.daemonset, node, kind.placement, pods)
        return state, state in _WELL or any(
            is_available(self.world, self.daemonset, pod) for pod in pods if pod.deleted is None
        )

    def _ask(self, state: str, node: Node, *, of_pod: bool = False) -> Iterator[tuple[Cause, Hit]]:
        for cause in _asked_in(state):
            for hit in cause.find(self.world, self.daemonset, node) if cause.find and cause.of_pod >= of_pod else ():
                yield cause, hit

    def _fold(self, cause: Cause, hit: Hit, severity: str) -> _Fold:
        # Nodes that are meant to be left out stand apart from those that are not.
        key = cause.slug, hit.facts, severity == "info"
        fold = self.folds.get(key)
        if fold is None:
            fold = self.folds[key] = _Fold(cause, hit, severity)
        elif _SEVERITIES.index(severity) < _SEVERITIES.index(fold.severity):
            fold.severity = severity
        return fold

    def _findings(self) -> Iterator[Finding]:
        found = sorted(map(self._finding, self.folds.values()), key=lambda found: (_SEVERITIES.index(found.severity), -len(found.nodes)))
        remedies = [self._remedy(finding) for finding in found]
        patches = together([remedy.patch for remedy in remedies])
        owner = owner_of(self.daemonset)
        for finding, remedy, patch in zip(found, remedies, patches, strict=True):
            if patch != remedy.patch:
                remedy = self._with_effect(msgspec.structs.replace(remedy, patch=patch))
            yield msgspec.structs.replace(finding, remedy=at_its_source(owner, remedy))

    def _finding(self, fold: _Fold) -> Finding:
        return Finding(
            cause=fold.cause.slug,
            severity=fold.severity,
            nodes=tuple(fold.nodes),
            facts=fold.hit.facts,
            evidence=fold.hit.evidence,
            confidence=fold.hit.confidence,
        )

    def _remedy(self, finding: Finding) -> Remedy:
        """What the cause advises; no patch where what it says is meant, or where the patch would not apply."""
        remedy = _safe(cause_of(finding.cause).cure(self.world, self.daemonset, finding), finding)
        if finding.severity == "info" and remedy.kind == "patch":
            return Remedy("no-patch", f"nothing, unless these nodes are wanted too; then: {remedy.summary}", why=_MEANT)
        return self._with_effect(remedy)

    def _with_effect(self, remedy: Remedy) -> Remedy:
        """A patch that would not apply is no patch to offer."""
        if not remedy.patch:
            return remedy
        try:
            effect = effect_of(self.world, self.daemonset, remedy.patch)
        except ValueError:
            return msgspec.structs.replace(remedy, patch=())
        return msgspec.structs.replace(remedy, effect=effect)


def _made(kind: _Class, state: str, *, expected: bool, gap: bool, causes: Iterable[Cause]) -> Verdict:
    wants = kind.placement.should_run
    return Verdict(
        state=state,
        should_run=wants,
        should_continue_running=kind.placement.should_continue_running,
        expected=expected,
        gap=gap,
        unwanted=(wants or kind.expected) and not expected,
        causes=_decisive(causes),
    )


def _safe(remedy: Remedy, finding: Finding) -> Remedy:
    """Without commands in which a name or value stands that a shell would act on; no API server stores such a name."""
    words = [word for word in (*finding.nodes, *(value for _, value in finding.facts)) if not _HARMLESS.fullmatch(word)]
    odd = [action for action in remedy.actions if any(word in action for word in words)]
    if not odd:
        return remedy
    return msgspec.structs.replace(remedy, actions=tuple(action for action in remedy.actions if action not in odd))


@cache
def _asked_in(state: str) -> tuple[Cause, ...]:
    return tuple(cause for cause in registry() if cause.find and state in cause.looks_at)


def _severity(cause: Cause, hit: Hit) -> str:
    """The hit's own, where it has one; what passes by itself is no error."""
    severity = hit.severity or cause.severity
    return "warning" if hit.transient and severity == "error" else severity


def _decisive(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Their slugs, once each: a fault of the node explains all else, then the stages in their order."""
    ordered = sorted(causes, key=lambda cause: (cause.stage != _NODE, cause.code))
    return tuple(dict.fromkeys(cause.slug for cause in ordered))


def _summary(coverage: Sequence[Coverage], nodes: int) -> Summary:
    counts: Counter[str] = Counter()
    for one in coverage:
        tally = Counter(id(pair.verdict) for pair in one.pairs)
        for verdict in {id(pair.verdict): pair.verdict for pair in one.pairs}.values():
            for name in _counted(verdict):
                counts[name] += tally[id(verdict)]
    return Summary(len(coverage), nodes, *(counts[name] for name in Summary.__struct_fields__[2:]))


def _counted(verdict: Verdict) -> Iterator[str]:
    if verdict.expected:
        yield "expected"
        if not verdict.gap and verdict.state in _WELL:
            yield "covered"
    if verdict.gap:
        yield "gaps"
    if verdict.unwanted:
        yield "unwanted"
    if verdict.state == "unknown":
        yield "unknown"
