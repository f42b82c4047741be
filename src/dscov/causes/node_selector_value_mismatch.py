"""The node has the label that the nodeSelector asks for, with a value that means the same but is written otherwise.

A nodeSelector compares texts: `"true"`, `"True"` and the empty value that kubeadm gives role labels are three. The label
kubernetes.io/hostname often holds the short name where the node's own name is the long one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.objects import escaped
from dscov.kube.requirements import Requirement, equals
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import failing_entries, meant_value, values_of
from dscov.model.selector_patch import demand
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failing entries whose label the node has with an equivalent value; one finding an entry."""
    for entry in failing_entries(world, daemonset, node):
        wanted = meant_value(world, node, entry)
        if wanted is None:
            continue
        asked = f"spec.template.spec.nodeSelector.{entry.key}"
        written = ", ".join(f'{entry.key}="{value}"' for value in _meant(world, entry))
        yield Hit(
            (("key", entry.key), ("wanted", wanted), ("written", written)),
            (
                Evidence(f"Node/{node.name}", f"metadata.labels.{entry.key}", node.labels[entry.key]),
                Evidence(f"DaemonSet/{daemonset.key}", asked, wanted),
            ),
        )


def _meant(world: World, entry: Requirement) -> list[str]:
    """The values of the label, on any node, that the entry was meant for."""
    key = entry.key
    meant = (node for node in world.snapshot.nodes if not entry.matches(node.labels))
    return sorted({node.labels[key] for node in meant if meant_value(world, node, entry) is not None})


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The value as the nodes have it, where no node has the other one; an affinity where they have several."""
    facts = dict(finding.facts)
    key, wanted = facts["key"], facts["wanted"]
    if wanted in values_of(world, key):
        return Remedy(
            "no-patch",
            f"give these nodes the label {key}={wanted}",
            why="other nodes have the value that the selector asks for",
            actions=tuple(f"kubectl label node {name} --overwrite {key}={wanted}" for name in finding.nodes[:3]),
        )
    path = f"/spec/template/spec/nodeSelector/{escaped(key)}"
    values = _meant(world, equals(key, wanted))
    patch: tuple[Mapping[str, Any], ...]
    if len(values) == 1:
        summary, patch = (
            f"ask for {key}={values[0] or '(empty)'}",
            ({"op": "replace", "path": path, "value": values[0]},),
        )
    else:
        expression = {"key": key, "operator": "In", "values": values}
        summary = f"ask for {key} in the node affinity, which takes several values"
        patch = ({"op": "remove", "path": path}, *demand(daemonset, expression))
    why = "no node has the value that the selector asks for"
    return Remedy("patch", summary, why=why, target=daemonset.key, patch=patch)


CAUSE = Cause(
    code="DSC111",
    slug="node-selector-value-mismatch",
    title="the nodeSelector asks for another value",
    says='the nodeSelector asks for {key}="{wanted}", nodes have {written}',
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
