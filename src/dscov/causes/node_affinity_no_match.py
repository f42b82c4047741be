"""The node does not meet the required node affinity: a label is absent, or has another value.

An affinity that is met nowhere, or that lists node names where the label holds something else (the label
kubernetes.io/hostname is often the short name), is a slip; else the exclusion counts as meant. Preferred affinity never
excludes a node.
"""

from collections.abc import Iterator

from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import excluding, nearest_failures, peers_with, same_meaning, wanted
from dscov.model.world import World

AFFINITY = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The entries that the nearest term fails on, unless it only excludes."""
    failures = nearest_failures(world, daemonset, node)
    if not failures or excluding(failures):
        return
    for failure in failures:
        if isinstance(failure, Requirement):
            if failure.admits(None) or (failure.key not in node.labels and peers_with(world, node, failure)):
                continue
            yield _unmet(daemonset, node, failure)
        elif not isinstance(failure, str) or "integer" not in failure:
            yield Hit(
                (("entry", str(failure)), ("have", "")),
                (Evidence(f"DaemonSet/{daemonset.key}", AFFINITY, ""),),
                meant=True,
            )


def _unmet(daemonset: DaemonSet, node: Node, entry: Requirement) -> Hit:
    have = node.labels.get(entry.key)
    names_node = node.name in wanted(entry)
    slip = names_node or (have is not None and any(same_meaning(value, have) for value in wanted(entry)))
    evidence = Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have or "")
    return Hit(
        (("entry", str(entry)), ("have", f"{entry.key}={have}" if names_node else "")),
        (evidence,) if have is not None else (Evidence(f"DaemonSet/{daemonset.key}", AFFINITY, ""),),
        meant=not slip,
        confidence="inferred" if slip else "observed",
    )


def cure(_world: World, _daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Values as the labels have them."""
    facts = dict(finding.facts)
    if finding.severity == "info":
        return Remedy(
            "no-patch",
            f"nothing: the affinity asks for {facts['entry']}",
            why="an affinity says where a daemon belongs",
        )
    return Remedy("patch", "list label values as the nodes have them, not node names", why="affinity compares labels")


CAUSE = Cause(
    code="DSC113",
    slug="node-affinity-no-match",
    title="the required node affinity does not match",
    says="the node affinity asks for {entry}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
