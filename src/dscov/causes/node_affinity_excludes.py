"""The required node affinity excludes the node (NotIn, DoesNotExist): the node has what the term will not have.

That counts as meant, unless the same term asks for the node's very hardware: then the exclusion takes away what the rest wants.
"""

from collections.abc import Iterator

from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_virtual
from dscov.model.selection import excluding, expressions_on, nearest_failures
from dscov.model.world import World

_HARDWARE = (
    "instance-type",
    "gpu",
    "accelerator",
    "rdma",
    "infiniband",
    "sriov",
    "fpga",
    "tpu",
    "neuron",
    "machine-type",
)


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The exclusions of the nearest term."""
    failures = nearest_failures(world, daemonset, node)
    if not excluding(failures):
        return
    wanted_here = not is_virtual(node) and _asks_for_hardware(daemonset, node, failures)
    for failure in failures:
        key = failure.key if isinstance(failure, Requirement) else ""
        have = node.labels.get(key, "")
        yield Hit(
            (("entry", str(failure)), ("label", f"{key}={have}" if key else node.name), ("key", key), ("value", have)),
            (Evidence(f"Node/{node.name}", f"metadata.labels.{key}", have),)
            if key
            else (Evidence(f"Node/{node.name}", "metadata.name", node.name),),
            meant=not wanted_here,
            confidence="inferred" if wanted_here else "observed",
        )


def _asks_for_hardware(daemonset: DaemonSet, node: Node, failures: tuple[object, ...]) -> bool:
    """Whether the term that only its exclusions fail also asks for hardware by name, which the node has."""
    for term in daemonset.template.affinity.terms if daemonset.template.affinity else ():
        if term.failures(node.name, node.labels) == failures:
            return any(
                not entry.admits(None) and any(word in entry.key for word in _HARDWARE) for entry in term.expressions
            )
    return False


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Narrow the exclusion, where it is a slip."""
    facts = dict(finding.facts)
    if finding.severity == "info":
        label = facts["label"]
        return Remedy(
            "no-patch", f"nothing: the affinity excludes {label}", why="an exclusion says where a daemon must not be"
        )
    return Remedy(
        "patch",
        f"take {facts['value']} out of the exclusion {facts['entry']}",
        why="the same term asks for this hardware",
        target=daemonset.key,
        patch=tuple(
            {"op": "replace", "path": f"{path}/values", "value": [v for v in entry["values"] if v != facts["value"]]}
            if len(entry.get("values") or ()) > 1
            else {"op": "remove", "path": path}
            for path, entry in expressions_on(daemonset, facts["key"])
            if entry.get("operator") == "DoesNotExist" or facts["value"] in (entry.get("values") or ())
        ),
    )


CAUSE = Cause(
    code="DSC114",
    slug="node-affinity-excludes",
    title="the required node affinity excludes the node",
    says="the node affinity excludes {label} ({entry})",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
