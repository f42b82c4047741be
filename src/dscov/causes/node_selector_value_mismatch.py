"""The node has the label that the nodeSelector asks for, with a value that means the same but is written otherwise.

A nodeSelector compares texts: `"true"`, `"True"` and the empty value that kubeadm gives role labels are three.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import failing_entries, same_meaning, wanted
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries whose label the node has with an equivalent value."""
    for entry in failing_entries(world, daemonset, node):
        have = node.labels.get(entry.key)
        if have is None or not same_meaning(wanted(entry)[0], have):
            continue
        yield Hit(
            (("key", entry.key), ("wanted", wanted(entry)[0]), ("value", have)),
            (
                Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have),
                Evidence(
                    f"DaemonSet/{daemonset.key}", f"spec.template.spec.nodeSelector.{entry.key}", wanted(entry)[0]
                ),
            ),
        )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The value as the nodes have it, where no node has the other one."""
    facts = dict(finding.facts)
    if any(node.labels.get(facts["key"]) == facts["wanted"] for node in world.snapshot.nodes):
        return Remedy(
            "no-patch",
            f"give these nodes the label {facts['key']}={facts['wanted']}",
            why="other nodes have the value that the selector asks for",
            actions=tuple(
                f"kubectl label node {name} --overwrite {facts['key']}={facts['wanted']}" for name in finding.nodes[:3]
            ),
        )
    path = f"/spec/template/spec/nodeSelector/{facts['key'].replace('~', '~0').replace('/', '~1')}"
    return Remedy(
        "patch",
        f"ask for {facts['key']}={facts['value'] or '(empty)'}",
        why="no node has the value that the selector asks for",
        target=daemonset.key,
        patch=({"op": "replace", "path": path, "value": facts["value"]},),
    )


CAUSE = Cause(
    code="DSC111",
    slug="node-selector-value-mismatch",
    title="the nodeSelector asks for another value",
    says='the nodeSelector asks for {key}="{wanted}", the node has {key}="{value}"',
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
