"""The node lacks a label that the nodeSelector asks for, or has another value. That is what a nodeSelector is for,
so it counts as meant, unless the node has it under another key: the newer name of a label that Kubernetes retired
(`node-role.kubernetes.io/master`, the `beta` labels), or a key that differs by a slip of the pen and that no node has.

See node-label-missing and node-selector-value-mismatch for other slips.
"""

from collections.abc import Iterator

from dscov.kube.objects import escaped
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import failing_entries, meant_value, other_key, peers_with, wanted
from dscov.model.world import World

_PATH = "/spec/template/spec/nodeSelector"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries that no more special cause explains."""
    for entry in failing_entries(world, daemonset, node):
        if meant_value(world, node, entry) is not None:
            continue
        if entry.key not in node.labels and peers_with(world, node, entry):
            continue
        other = other_key(world, node, entry)
        value = wanted(entry)[0]
        asked = Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.nodeSelector.{entry.key}", value)
        have = Evidence(f"Node/{node.name}", f"metadata.labels.{other}", node.labels.get(other, ""))
        yield Hit(
            (
                ("entry", str(entry)),
                ("key", entry.key),
                ("value", value),
                ("other", other),
                ("but", f"; the node has {other}={value}" if other else ""),
            ),
            (asked, have) if other else (asked,),
            meant=not other,
            severity="error" if other else "",
            confidence="inferred" if other else "observed",
        )


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The key as the nodes have it; else nothing, unless the owner wants more nodes."""
    facts = dict(finding.facts)
    if not facts["other"]:
        summary = f"nothing: the nodeSelector asks for {facts['entry']}"
        return Remedy("no-patch", summary, why="a selector says where a daemon belongs")
    old = {"op": "remove", "path": f"{_PATH}/{escaped(facts['key'])}"}
    new = {"op": "add", "path": f"{_PATH}/{escaped(facts['other'])}", "value": facts["value"]}
    asked = {entry.key for entry in daemonset.template.node_selector}
    return Remedy(
        "patch",
        f"ask for {facts['other']} in place of {facts['key']}",
        why="every node that has the old label has this one too",
        target=daemonset.key,
        patch=(old,) if facts["other"] in asked else (new, old),
    )


CAUSE = Cause(
    code="DSC110",
    slug="node-selector-no-match",
    title="the nodeSelector does not match",
    says="the nodeSelector asks for {entry}{but}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
    severity="info",
)
