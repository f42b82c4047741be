"""Exclusions are spread over several terms of the node affinity, and terms are ORed: `not A` or `not B` holds nearly everywhere.

Entries inside one term are ANDed. The exclusions belong into one term.
"""

from collections.abc import Iterator

from dscov.kube.affinity import Term
from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World

PATH = "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes that one term excludes and another lets in, where every term does nothing but exclude by another label."""
    terms = daemonset.template.affinity.terms if daemonset.template.affinity else ()
    keys = [{entry.key for entry in term.expressions} for term in terms]
    if len(terms) < 2 or not all(_only_excludes(term) for term in terms) or len(set().union(*keys)) < 2:
        return
    failed = [
        entry for term in terms for entry in term.failures(node.name, node.labels) if isinstance(entry, Requirement)
    ]
    if failed and world.placement(daemonset, node).should_run:
        entry = failed[0]
        have = node.labels.get(entry.key, "")
        yield Hit(
            (("entry", str(entry)), ("label", f"{entry.key}={have}")),
            (Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have),),
            wants_none=True,
            confidence="inferred",
        )


def _only_excludes(term: Term) -> bool:
    return bool(term.expressions) and not term.fields and all(entry.admits(None) for entry in term.expressions)


def cure(_: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """All exclusions in one term."""
    affinity = (((daemonset.obj.get("spec") or {}).get("template") or {}).get("spec") or {}).get("affinity") or {}
    required = affinity.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = required.get("nodeSelectorTerms") or []
    merged = [{"matchExpressions": [entry for term in terms for entry in term.get("matchExpressions") or []]}]
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
    title="exclusions in separate terms exclude nothing",
    says="{entry} does not keep the pod away from {label}: another term lets the node in",
    find=find,
    cure=cure,
    looks_at=frozenset({"eligible"}),
)
