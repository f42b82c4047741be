"""The node has the label that the nodeSelector asks for, with a value that means the same but is written otherwise.

A nodeSelector compares texts: `"true"`, `"True"` and the empty value that kubeadm gives role labels are three. The label
kubernetes.io/hostname often holds the short name where the node's own name is the long one.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.kube.objects import escaped
from dscov.model.selection import failing_entries, meant_value, values_of
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries whose label the node has with an equivalent value."""
    for entry in failing_entries(world, daemonset, node):
        wanted = meant_value(world, node, entry)
        if wanted is None:
            continue
        have = node.labels[entry.key]
        asked = f"spec.template.spec.nodeSelector.{entry.key}"
        yield Hit(
            (("key", entry.key), ("wanted", wanted), ("value", have)),
            (
                Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", have),
                Evidence(f"DaemonSet/{daemonset.key}", asked, wanted),
            ),
        )


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The value as the nodes have it, where no node has the other one."""
    facts = dict(finding.facts)
    key, wanted = facts["key"], facts["wanted"]
    if wanted in values_of(world, key):
        return Remedy(
            "no-patch",
            f"give these nodes the label {key}={wanted}",
            why="other nodes have the value that the selector asks for",
            actions=tuple(f"kubectl label node {name} --overwrite {key}={wanted}" for name in finding.nodes[:3]),
        )
    return Remedy(
        "patch",
        f"ask for {key}={facts['value'] or '(empty)'}",
        why="no node has the value that the selector asks for",
        target=daemonset.key,
        patch=({"op": "replace", "path": f"/spec/template/spec/nodeSelector/{escaped(key)}", "value": facts["value"]},),
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
