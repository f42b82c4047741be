"""Entries of a policy that do nothing: what they name is not there, or there is no gap for them to accept.

Where something was not looked at (DaemonSets of other namespaces, nodes or pods that could not be read) nothing is said
of the entries that may be about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from dscov.kube.taints import Taint
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Coverage, Pair, Unused
from dscov.model.policy import Exclusion, Policy, Rule, is_like, spelt
from dscov.model.tally import WELL
from dscov.model.world import World


def unused(world: World, policy: Policy, coverage: Sequence[Coverage]) -> Iterator[Unused]:
    """What of the policy does nothing in the world, of which the pairs in `coverage` were judged."""
    if world.sees_nodes and world.snapshot.nodes:
        for pool in policy.pools:
            if not any(pool.nodes.matches(node.labels) for node in world.snapshot.nodes):
                yield _no_label(world, pool.place, "pool", spelt(pool.nodes))
    judged = {one.daemonset.key: one for one in coverage}
    for rule in policy.rules:
        spoken = [ds for ds in world.snapshot.daemonsets if rule.speaks_of(ds)]
        if spoken:
            yield from _of_rule(world, rule, spoken, [judged[ds.key] for ds in spoken if ds.key in judged])
        elif _sees_daemonsets_of(world, rule):
            known = [ds.key if "/" in rule.name else ds.name for ds in world.snapshot.daemonsets]
            about = [rule.name] if rule.name else []
            about += [spelt(rule.selector)] if rule.selector else []
            yield Unused(rule.place, "daemonset", " with ".join(about), near(rule.name, known))


def near(word: str, known: Iterable[str]) -> str:
    """The one of the known words that was most likely meant; empty where none is like it."""
    return next(iter(get_close_matches(word, sorted(set(known) - {word}), 1, 0.75)), "")


def _sees_daemonsets_of(world: World, rule: Rule) -> bool:
    scope = world.snapshot.scope
    blind = any(resource.startswith("daemonsets") for resource in world.blind_to)
    return not blind and (not scope or rule.name.startswith(f"{scope}/"))


def _of_rule(world: World, rule: Rule, spoken: Sequence[DaemonSet], judged: Sequence[Coverage]) -> Iterator[Unused]:
    """Of a rule that speaks of some DaemonSets."""
    nodes = world.snapshot.nodes
    if not world.sees_nodes or not nodes:
        return
    if rule.expect is not None and not any(rule.expect.matches(node.labels) for node in nodes):
        yield _no_label(world, rule.place, "expect", spelt(rule.expect))
    for one in rule.accept:
        named = [node for node in nodes if one.names_node(node)]
        missing = list(_names_nothing(world, one, named))
        yield from missing
        if named and not missing and len(judged) == len(spoken):
            yield from _accepts_nothing(world, one, named, judged)


def _names_nothing(world: World, one: Exclusion, named: Sequence[Node]) -> Iterator[Unused]:
    """What an exclusion names and is not there: names and labels of nodes, a taint."""
    known = list(world.nodes)
    for name in one.names:
        if not any(fnmatchcase(node, name) for node in known):
            yield Unused(one.place, "name", name, near(name, known))
    if one.nodes is not None and not any(one.nodes.matches(node.labels) for node in world.snapshot.nodes):
        yield _no_label(world, one.place, "nodes", spelt(one.nodes))
    taint = one.taint
    if taint is not None and named and not any(is_like(taint, other) for node in named for other in node.taints):
        keys = {other.key for node in named for other in node.taints}
        yield Unused(one.place, "taint", _spelt(taint), near(taint.key, keys))


def _accepts_nothing(
    world: World, one: Exclusion, named: Sequence[Node], judged: Sequence[Coverage]
) -> Iterator[Unused]:
    """An exclusion that took no gap away, where every pair that it speaks of is decided and none of them passes."""
    if any(accepted.place == one.place for coverage in judged for accepted in coverage.accepted):
        return
    names = {node.name for node in named}
    pairs = [pair for coverage in judged for pair in coverage.pairs if pair.node in names]
    if len(pairs) < len(names) * len(judged) or any(map(_may_become_a_gap, pairs)):
        return
    others = sorted({cause for pair in pairs if pair.verdict.gap for cause in pair.verdict.causes})
    if one.until is not None and world.now >= one.until:
        yield Unused(one.place, "over", one.until_text)
    elif others and one.cause:
        yield Unused(one.place, "cause", one.cause, near(one.cause, others) or others[0])
    else:
        yield Unused(one.place, "gap", "")


def _may_become_a_gap(pair: Pair) -> bool:
    verdict = pair.verdict
    calm = verdict.state in WELL or (verdict.state == "excluded" and not verdict.expected)
    return not verdict.gap and verdict.accepted is None and not calm


def _no_label(world: World, place: str, kind: str, text: str) -> Unused:
    """A selector that no node meets; where it is the name of a node, that is what was meant."""
    return Unused(place, kind, text, f"names: [{text}]" if text in world.nodes and kind == "nodes" else "")


def _spelt(taint: Taint) -> str:
    return taint.key + (f"={taint.value}" if taint.value else "") + (f":{taint.effect}" if taint.effect else "")
