"""Snapshot -> Diagnosis: the main loop, and the truth of the tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache

import msgspec

from dscov.causes import registry
from dscov.intent import INFERRED, expects
from dscov.kube.placement import Placement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Pod, Snapshot
from dscov.model.findings import Coverage, Diagnosis, Facts, Finding, Hit, Pair, Summary, Verdict
from dscov.model.nodes import is_leaving
from dscov.model.reconcile import computed, disagreements
from dscov.model.states import is_available, state_of
from dscov.model.world import World

_WELL = frozenset({"covered", "outdated"})
#: States in which nothing is wrong with a pair, whatever is expected.
_CALM = frozenset({*_WELL, "starting", "unknown"})
_SEVERITIES = ("error", "warning", "info")
_ELIGIBILITY, _NODE = 1, 6


def diagnose(
    snapshot: Snapshot,
    *,
    now: datetime,
    wants: Callable[[DaemonSet], bool] = lambda _: True,
    shows: Callable[[Node], bool] = lambda _: True,
) -> Diagnosis:
    """Judge every DaemonSet that `wants` on every node that `shows`, by the clock `now`."""
    world = World(snapshot, now)
    nodes = [node for node in snapshot.nodes if shows(node)]
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
        self.folds: dict[tuple[str, Facts], _Fold] = {}
        self.verdicts: dict[Verdict, Verdict] = {}
        self.pods_seen = not world.blind_to & {"pods", f"pods in {daemonset.namespace}"}

    def judge(self, nodes: Sequence[Node]) -> Coverage:
        """The whole answer for the DaemonSet."""
        world, daemonset = self.world, self.daemonset
        pairs = tuple(self._pairs(nodes))
        for cause in registry():
            for hit in cause.survey(world, daemonset) if cause.survey and self.pods_seen else ():
                self._fold(cause, hit, cause.severity)
        counters = computed(world, daemonset)
        return Coverage(
            daemonset=daemonset,
            intent=INFERRED,
            computed=counters if self.pods_seen else None,
            disagreements=tuple(disagreements(world, daemonset, counters)) if self.pods_seen else (),
            pairs=pairs,
            findings=tuple(sorted(self._findings(), key=_weight)),
        )

    def _pairs(self, nodes: Sequence[Node]) -> Iterator[Pair]:
        by_node = self.world.pods_by_node(self.daemonset)
        classes: dict[int, _Class] = {}
        for node in nodes:
            number = self.world.class_of[node.name]
            kind = classes.get(number)
            if kind is None:
                kind = classes[number] = self._class(node)
            for fold in kind.folds:
                fold.nodes.append(node.name)
            pods = by_node.get(node.name, ())
            verdict = self._verdict(node, kind, pods)
            yield Pair(node.name, self.verdicts.setdefault(verdict, verdict), tuple(pod.name for pod in pods))

    def _class(self, node: Node) -> _Class:
        """Ask the causes of eligibility, once for all nodes of the class of `node`."""
        placement = self.world.placement(self.daemonset, node)
        spoken = list(self._ask("eligible" if placement.should_run else "excluded", node, eligibility=True))
        hits = [hit for _, hit in spoken]
        expected = expects(self.daemonset, placement, node, hits)
        return _Class(
            placement,
            tuple(cause for cause, _ in spoken),
            tuple(self._fold(c, h, c.severity if expected or h.wants_none else "info") for c, h in spoken),
            expected,
            any(hit.breaks for hit in hits),
            any(hit.transient for hit in hits),
        )

    def _verdict(self, node: Node, kind: _Class, pods: Sequence[Pod]) -> Verdict:
        world, daemonset, placement = self.world, self.daemonset, kind.placement
        if self.pods_seen:
            state = state_of(world, daemonset, node, placement, pods)
        else:
            state = "unknown" if placement.should_run else "excluded"
        available = state in _WELL or any(is_available(world, daemonset, pod) for pod in pods if pod.deleted is None)
        wrong = kind.expected and not available and state not in _CALM
        unwanted = not kind.expected and placement.should_run
        spoken = [] if available or (state in {"excluded", *_CALM} and not wrong) else list(self._ask(state, node))
        for cause, hit in spoken:
            self._fold(cause, hit, "warning" if hit.transient else cause.severity).nodes.append(node.name)
        passes = kind.transient or is_leaving(node) or any(hit.transient for _, hit in spoken)
        return Verdict(
            state=state,
            should_run=placement.should_run,
            should_continue_running=placement.should_continue_running,
            expected=kind.expected,
            gap=kind.expected and ((wrong and not passes) or kind.breaks),
            unwanted=unwanted or any(hit.wants_none for _, hit in spoken),
            causes=_decisive((*kind.causes, *(cause for cause, _ in spoken))),
        )

    def _ask(self, state: str, node: Node, *, eligibility: bool = False) -> Iterator[tuple[Cause, Hit]]:
        """The hits of the causes of eligibility, which are the same for a class of nodes, or of all others."""
        for cause in _asked_in(state, eligibility=eligibility):
            for hit in cause.find(self.world, self.daemonset, node) if cause.find else ():
                yield cause, hit

    def _fold(self, cause: Cause, hit: Hit, severity: str) -> _Fold:
        key = cause.slug, hit.facts
        fold = self.folds.get(key)
        if fold is None:
            fold = self.folds[key] = _Fold(cause, hit, severity)
        elif _SEVERITIES.index(severity) < _SEVERITIES.index(fold.severity):
            fold.severity = severity
        return fold

    def _findings(self) -> Iterator[Finding]:
        for fold in self.folds.values():
            finding = Finding(
                cause=fold.cause.slug,
                severity=fold.severity,
                nodes=tuple(fold.nodes),
                facts=fold.hit.facts,
                evidence=fold.hit.evidence,
                confidence=fold.hit.confidence,
            )
            yield msgspec.structs.replace(finding, remedy=fold.cause.cure(self.world, self.daemonset, finding))


@cache
def _asked_in(state: str, *, eligibility: bool) -> tuple[Cause, ...]:
    asked = (cause for cause in registry() if cause.find and state in cause.looks_at)
    return tuple(cause for cause in asked if (cause.stage == _ELIGIBILITY) is eligibility)


def _decisive(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Their slugs, once each: a fault of the node explains all else, then the stages in their order."""
    ordered = sorted(causes, key=lambda cause: (cause.stage != _NODE, cause.code))
    return tuple(dict.fromkeys(cause.slug for cause in ordered))


def _weight(finding: Finding) -> tuple[int, int]:
    return _SEVERITIES.index(finding.severity), -len(finding.nodes)


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
