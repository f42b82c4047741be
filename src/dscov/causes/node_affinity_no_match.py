"""The node does not meet the required node affinity: a label is absent, or has another value.

An affinity that is met nowhere, or that lists node names where the label holds something else (the label
kubernetes.io/hostname is often the short name), is a slip; else the exclusion counts as meant. Preferred affinity never
excludes a node.
"""

from collections.abc import Iterator, Sequence

from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import (
    excluding,
    expressions_on,
    is_no_integer,
    nearest_failures,
    peers_with,
    same_meaning,
    wanted,
)
from dscov.model.world import World

AFFINITY = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The entries that the nearest term fails on, unless it only excludes."""
    failures = nearest_failures(world, daemonset, node)
    if not failures or excluding(failures):
        return
    for failure in failures:
        if isinstance(failure, Requirement):
            if failure.admits(None) or is_no_integer(node, failure):
                continue
            if failure.key not in node.labels and peers_with(world, node, failure):
                continue
            yield _unmet(daemonset, node, failure)
        elif not isinstance(failure, str) or "integer" not in failure:
            yield Hit(
                (("entry", str(failure)), ("key", "")),
                (Evidence(f"DaemonSet/{daemonset.key}", AFFINITY, ""),),
                meant=True,
            )


def _unmet(daemonset: DaemonSet, node: Node, entry: Requirement) -> Hit:
    have = node.labels.get(entry.key)
    names_node = node.name in wanted(entry)
    slip = names_node or (have is not None and any(same_meaning(value, have) for value in wanted(entry)))
    evidence = Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have or "")
    return Hit(
        (("entry", str(entry)), ("key", entry.key)),
        (evidence,) if have is not None else (Evidence(f"DaemonSet/{daemonset.key}", AFFINITY, ""),),
        meant=not slip,
        confidence="inferred" if slip else "observed",
    )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Values as the labels have them, in place of node names or other spellings."""
    facts = dict(finding.facts)
    if finding.severity == "info":
        entry = facts["entry"]
        return Remedy(
            "no-patch", f"nothing: the affinity asks for {entry}", why="an affinity says where a daemon belongs"
        )
    return Remedy(
        "patch",
        f"list the values that the label {facts['key']} has on these nodes",
        why="affinity compares labels, not node names",
        target=daemonset.key,
        patch=tuple(
            {"op": "replace", "path": f"{path}/values", "value": values}
            for path, entry in expressions_on(daemonset, facts["key"])
            if entry.get("operator") == "In"
            and (values := _as_labelled(world, facts["key"], entry["values"])) != entry["values"]
        ),
    )


def _as_labelled(world: World, key: str, values: Sequence[str]) -> list[str]:
    """The values with each node name, and each other spelling of a label's value, replaced by what the label holds."""
    held = {node.labels[key] for node in world.snapshot.nodes if key in node.labels}

    def labelled(value: str) -> str:
        node = world.nodes.get(value)
        if value in held or (node and key not in node.labels):
            return value
        return node.labels[key] if node else next((have for have in sorted(held) if same_meaning(value, have)), value)

    return list(dict.fromkeys(map(labelled, values)))


CAUSE = Cause(
    code="DSC113",
    slug="node-affinity-no-match",
    title="the required node affinity does not match",
    says="the node affinity asks for {entry}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
