"""Which nodes a DaemonSet is meant to cover, and how we know.

Declared, in this order: the flag `--expect`, the annotation `dscov.dev/expect`, the first rule of the policy file that
speaks of the DaemonSet and has `expect`. A declared node that is kept out is a gap whatever keeps it out, and a
placement outside is unwanted. Yet no declaration reaches virtual nodes, the policy's virtual pools, or (unless it
names the operating system itself) nodes of another operating system; and what passes by itself (a young node, a node
that is being taken away) is still no gap. Accepted exclusions hold against every declaration.

Inferred, where nobody declared it: the template's selectors say what is meant, except where a cause holds an exclusion
for a slip (a misspelt value, a label that the pool's peers have). Taints that set nodes apart count as gaps; those of
control-plane nodes only for a DaemonSet that mentions the control plane. Virtual nodes, nodes of another operating
system and nodes that are going away are never expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from dscov.kube.selectors import Selector, parse_selector
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Accepted, Finding, Hit, Intent, Pair, Remedy
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.platforms import OS_KEYS, other_os
from dscov.model.policy import ALL, ANNOTATION, Rule, Scope, Settings, spelt
from dscov.model.selection import excluded_by_one
from dscov.model.world import World

INFERRED = Intent(
    "inferred",
    "the nodes that its selectors name, whatever their taints; no virtual nodes, none of another operating system",
)


def read_expectation(text: str) -> Selector:
    """The selector that `all` or a label selector means; ValueError with what is wrong with it."""
    if text.strip() == ALL:
        return Selector()
    selector = parse_selector(text)
    if not selector.requirements:
        raise ValueError(f"it is empty; write {ALL} for every node")
    return selector


def scopes(daemonsets: Iterable[DaemonSet], settings: Settings, now: datetime) -> Mapping[str, Scope]:
    """What is declared for each DaemonSet, by its key; those of which nothing is declared are not there."""
    found = {daemonset.key: _scope(daemonset, settings, now) for daemonset in daemonsets}
    return {key: scope for key, scope in found.items() if scope != _NOTHING}


_NOTHING = Scope(INFERRED)


def _scope(daemonset: DaemonSet, settings: Settings, now: datetime) -> Scope:
    rules = [rule for rule in settings.policy.rules if rule.speaks_of(daemonset)]
    intent, expect = _declared(daemonset, settings, rules)
    accepted = [exclusion for rule in rules for exclusion in rule.accept]
    return Scope(
        intent,
        expect,
        settings.policy.pools,
        tuple(one for one in accepted if one.until is None or now < one.until),
        tuple(one for one in accepted if one.until is not None and now >= one.until),
    )


def _declared(daemonset: DaemonSet, settings: Settings, rules: Sequence[Rule]) -> tuple[Intent, Selector | None]:
    """The declaration that counts, in words and as a selector; None where it is inferred."""
    if settings.expect is not None:
        return Intent("flag", _words(settings.expect)), settings.expect
    annotated, flaw = daemonset.annotations.get(ANNOTATION), ""
    if annotated is not None:
        try:
            selector = read_expectation(annotated)
            return Intent("annotation", _words(selector)), selector
        except ValueError as problem:
            flaw = f" (its annotation {ANNOTATION} is of no use: {problem})"
    rule = next((rule for rule in rules if rule.expect is not None), None)
    if rule is not None and rule.expect is not None:
        return Intent("policy", f"{_words(rule.expect)} ({rule.place}){flaw}"), rule.expect
    return (msgspec.structs.replace(INFERRED, text=INFERRED.text + flaw) if flaw else INFERRED), None


def _words(selector: Selector) -> str:
    return f"the nodes with {spelt(selector)}" if selector.requirements else "all nodes"


def expects(world: World, daemonset: DaemonSet, node: Node, hits: Sequence[Hit]) -> bool:
    """Whether a daemon is meant to be on the node: as declared, else inferred from what the causes of eligibility say."""
    zone = world.zone(daemonset, node)
    if is_virtual(node) or zone.virtual:
        return False
    if zone.meant is not None:
        return zone.meant and (_names_os(world, daemonset) or other_os(world, daemonset, node) is None)
    if any(hit.wants_none for hit in hits) or excluded_by_one(daemonset, node):
        return False
    if world.placement(daemonset, node).should_run:
        return True
    return bool(hits) and not any(hit.meant for hit in hits) and not is_foreign(daemonset, node)


def _names_os(world: World, daemonset: DaemonSet) -> bool:
    scope = world.scopes.get(daemonset.key)
    expect = scope.expect if scope else None
    return expect is not None and any(entry.key in OS_KEYS for entry in expect.requirements)


def in_earnest(finding: Finding, remedy: Remedy, intent: Intent) -> Remedy:
    """The remedy of a finding about declared nodes: that a selector is meant so is no answer there."""
    entry = dict(finding.facts).get("entry", "")
    selects = intent.source != "inferred" and remedy.kind == "no-patch" and remedy.summary.startswith("nothing")
    if not selects or not finding.nodes:
        return remedy
    key, equals, value = entry.partition("=")
    labels = [f"kubectl label node {name} {key}={value}" for name in finding.nodes[:3] if equals and " " not in entry]
    return Remedy(
        "no-patch",
        "change what the template selects, or give these nodes what it asks for; one of the two is wrong",
        why=f"it is declared ({intent.source}) that the daemon belongs on {intent.text}",
        actions=tuple(labels),
    )


def accepted(world: World, daemonset: DaemonSet, pairs: Iterable[Pair]) -> Iterator[Accepted]:
    """The exclusions that took a gap away, and those that would if their time were not over, each with its nodes."""
    scope = world.scopes[daemonset.key]
    excused: dict[tuple[bool, int], list[str]] = {}
    for pair in pairs:
        if pair.verdict.accepted is not None:
            excused.setdefault((False, pair.verdict.accepted), []).append(pair.node)
        elif pair.verdict.gap and scope.lapsed and pair.node in world.nodes:
            node = world.nodes[pair.node]
            placement = world.placement(daemonset, node)
            for place, one in enumerate(scope.lapsed):
                if one.names_node(node) and one.holds(pair.verdict.causes, placement):
                    excused.setdefault((True, place), []).append(pair.node)
                    break
    for (over, place), nodes in sorted(excused.items()):
        one = (scope.lapsed if over else scope.exclusions)[place]
        yield Accepted(tuple(nodes), one.reason, one.until_text, over, one.place)
