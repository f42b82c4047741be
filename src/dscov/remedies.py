"""Findings in the making -> findings: told in order, each with its remedy and what that would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from dscov.causes import cause_of
from dscov.intent import in_earnest
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet
from dscov.model.commands import safe
from dscov.model.findings import Finding, Hit, Pair, Remedy
from dscov.model.owners import at_its_source, keeper_of
from dscov.model.policy import Scope
from dscov.model.timeline import since
from dscov.model.together import together
from dscov.model.world import World
from dscov.simulation import effect_of

#: The gravest first.
SEVERITIES = ("error", "warning", "info")
_ELIGIBILITY = 1
_MEANT = "as far as the objects tell, it is meant so"


class Fold(msgspec.Struct):
    """A finding in the making: the hits of one cause with equal facts."""

    cause: Cause
    hit: Hit
    severity: str
    nodes: list[str] = []


def findings(
    world: World, daemonset: DaemonSet, scope: Scope | None, folds: Iterable[Fold], pairs: Iterable[Pair]
) -> Iterator[Finding]:
    """The findings on one DaemonSet, the gravest first; their patches apply alone and one after another."""
    states = {pair.node: pair.verdict.state for pair in pairs if pair.verdict.gap or pair.verdict.unwanted}
    found = sorted(map(_finding, folds), key=_weight)
    remedies = [_remedy(world, daemonset, scope, finding) for finding in found]
    patches = together([remedy.patch for remedy in remedies])
    owner = keeper_of(daemonset)
    for finding, remedy, patch in zip(found, remedies, patches, strict=True):
        if patch != remedy.patch:
            remedy = _with_effect(world, daemonset, msgspec.structs.replace(remedy, patch=patch))
        opened = since(world, daemonset, finding, states) if finding.severity != "info" else None
        yield msgspec.structs.replace(finding, remedy=at_its_source(owner, remedy), since=opened)


def _finding(fold: Fold) -> Finding:
    return Finding(
        cause=fold.cause.slug,
        severity=fold.severity,
        nodes=tuple(dict.fromkeys(fold.nodes)),
        facts=fold.hit.facts,
        evidence=fold.hit.evidence,
        confidence=fold.hit.confidence,
    )


def _remedy(world: World, daemonset: DaemonSet, scope: Scope | None, finding: Finding) -> Remedy:
    """What the cause advises; no patch where what it says is meant, or where the patch would not apply."""
    cause = cause_of(finding.cause)
    remedy = cause.cure(world, daemonset, finding)
    if finding.severity == "error" and scope and cause.stage == _ELIGIBILITY:
        remedy = in_earnest(finding, remedy, scope.intent)
    remedy = safe(world, daemonset, remedy, finding)
    if finding.severity == "info" and remedy.kind == "patch":
        return Remedy("no-patch", f"nothing, unless these nodes are wanted too; then: {remedy.summary}", why=_MEANT)
    return _with_effect(world, daemonset, remedy)


def _with_effect(world: World, daemonset: DaemonSet, remedy: Remedy) -> Remedy:
    """A patch that would not apply is no patch to offer."""
    if not remedy.patch:
        return remedy
    try:
        effect = effect_of(world, daemonset, remedy.patch)
    except ValueError:
        return msgspec.structs.replace(remedy, patch=())
    return msgspec.structs.replace(remedy, effect=effect)


def _weight(finding: Finding) -> tuple[int, int]:
    return SEVERITIES.index(finding.severity), -len(finding.nodes)
