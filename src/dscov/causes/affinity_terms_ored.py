"""Several terms of the node affinity are ORed; what was to hold at once holds by itself.

Exclusions in terms of their own exclude next to nothing: `not A` or `not B` holds nearly everywhere. They belong into
one term, whose entries are ANDed. Terms that ask for something may well be alternatives; that a node meets one only is
told, and no more, where a name or toleration of the DaemonSet shows that it was made for the nodes of another.
"""

from collections.abc import Iterator, Sequence

from dscov.kube.affinity import Term
from dscov.kube.objects import listed
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import excluded_by_one, wanted
from dscov.model.world import World

PATH = "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes that one term excludes and another lets in, where every term does nothing but exclude."""
    terms = daemonset.template.affinity.terms if daemonset.template.affinity else ()
    if len(terms) < 2 or not world.placement(daemonset, node).should_run:
        return
    entry = excluded_by_one(daemonset, node)
    if entry:
        have = node.labels.get(entry.key, "")
        yield Hit(
            (("entry", str(entry)), ("label", f"{entry.key}={have}"), ("asks", "")),
            (Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have),),
            wants_none=True,
            confidence="inferred",
        )
    elif all(_asks_for_one(term) for term in terms):
        yield from _by_name(daemonset, node, terms)


def _by_name(daemonset: DaemonSet, node: Node, terms: Sequence[Term]) -> Iterator[Hit]:
    """The term that lets the node in, where another one, not met, asks for what the DaemonSet tolerates and is called by."""
    entries = [term.expressions[0] for term in terms]
    if len({entry.key for entry in entries}) < len(entries):
        return
    tolerated = {toleration.value for toleration in daemonset.template.own_tolerations if toleration.value}
    for entry in entries:
        named = [value for value in wanted(entry) if value in tolerated and value in daemonset.name.split("-")]
        if named and not entry.matches(node.labels):
            by = next(one for one in entries if one.matches(node.labels))
            have = node.labels.get(by.key, "")
            yield Hit(
                (("entry", str(entry)), ("label", f"{by.key}={have}"), ("asks", "yes")),
                (Evidence(f"Node/{node.name}", f"metadata.labels.{by.key}", have),),
                severity="info",
                confidence="inferred",
            )


def _asks_for_one(term: Term) -> bool:
    return len(term.expressions) == 1 and not term.fields and not term.expressions[0].admits(None)


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """All exclusions in one term."""
    if dict(finding.facts)["asks"]:
        summary = "nothing, if the terms are alternatives; else put their entries into one term"
        return Remedy("no-patch", summary, why="terms are ORed, the entries of one term are ANDed")
    terms = listed(daemonset.pod_spec, *PATH.removeprefix("/spec/template/spec/").split("/"))
    merged = [{"matchExpressions": [entry for term in terms for entry in listed(term, "matchExpressions")]}]
    return Remedy(
        "patch",
        "put all exclusions into one term",
        why="terms are ORed, the entries of one term are ANDed",
        target=daemonset.key,
        patch=({"op": "replace", "path": PATH, "value": merged},),
    )


CAUSE = Cause(
    code="DSC116",
    slug="affinity-terms-ored",
    title="terms of the node affinity are ORed",
    says="{entry} does not keep the pod away from {label}: another term lets the node in",
    find=find,
    cure=cure,
    looks_at=frozenset({"eligible"}),
)
