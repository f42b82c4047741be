"""The required node affinity excludes the node (NotIn, DoesNotExist): the node has what the term will not have.

That counts as meant, unless the same term asks for the node's very hardware: then the exclusion takes away what the rest wants.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.requirements import Requirement
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.nodes import is_virtual
from dscov.model.selection import AFFINITY, excluding, expressions_on, nearest
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
    failures = nearest(world, daemonset, node).failures
    if not excluding(failures):
        return
    wanted_here = not is_virtual(node) and _asks_for_hardware(daemonset, node, failures)
    for failure in failures:
        key = failure.key if isinstance(failure, Requirement) else ""
        have = node.labels.get(key, "")
        label = f"{key}={have}" if key else node.name
        yield Hit(
            (("entry", str(failure)), ("label", key if wanted_here else label), ("key", key)),
            (Evidence(f"Node/{node.name}", f"metadata.labels.{key}", have),)
            if key
            else (Evidence(f"Node/{node.name}", "metadata.name", node.name),),
            meant=not wanted_here,
            confidence="inferred" if wanted_here else "observed",
        )


def _asks_for_hardware(daemonset: DaemonSet, node: Node, failures: tuple[object, ...]) -> bool:
    """Whether the template also asks for hardware by name, which the node has: in the same term, or the nodeSelector."""
    asked = [entry for entry in daemonset.template.node_selector if entry.matches(node.labels)]
    for term in daemonset.template.affinity.terms if daemonset.template.affinity else ():
        if term.failures(node.name, node.labels) == failures:
            asked += [entry for entry in term.expressions if not entry.admits(None)]
    return any(word in entry.key for entry in asked for word in _HARDWARE)


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Narrow the exclusion, where it is a slip."""
    facts = dict(finding.facts)
    if finding.severity == "info":
        label = facts["label"]
        return Remedy(
            "no-patch", f"nothing: the affinity excludes {label}", why="an exclusion says where a daemon must not be"
        )
    key = facts["key"]
    gone = {world.nodes[name].labels.get(key, "") for name in finding.nodes}
    return Remedy(
        "patch",
        f"take {', '.join(sorted(gone))} out of the exclusion {facts['entry']}",
        why="the template asks for this hardware",
        target=daemonset.key,
        patch=_narrowed(daemonset, key, gone),
    )


def _narrowed(daemonset: DaemonSet, key: str, gone: set[str]) -> tuple[Mapping[str, Any], ...]:
    """The entries without these values. A term that loses its last entry would select nothing instead of everything;
    since terms are ORed, a term without demands makes the whole affinity one without demands.
    """
    steps = list(_without(daemonset, key, gone))
    removed = Counter(step["path"].rsplit("/", 2)[0] for step in steps if step["op"] == "remove")
    terms = enumerate(daemonset.template.affinity.terms if daemonset.template.affinity else ())
    for number, term in terms:
        if not term.fields and removed[f"{AFFINITY}/{number}"] == len(term.expressions) > 0:
            return ({"op": "remove", "path": AFFINITY.rpartition("/")[0]},)
    return tuple(reversed(steps))


def _without(daemonset: DaemonSet, key: str, gone: set[str]) -> Iterator[Mapping[str, Any]]:
    for path, entry in expressions_on(daemonset, key):
        left = [value for value in entry.get("values") or () if value not in gone]
        if entry.get("operator") == "DoesNotExist" or (entry.get("operator") == "NotIn" and not left):
            yield {"op": "remove", "path": path}
        elif entry.get("operator") == "NotIn" and left != entry["values"]:
            yield {"op": "replace", "path": f"{path}/values", "value": left}


CAUSE = Cause(
    code="DSC114",
    slug="node-affinity-excludes",
    title="the required node affinity excludes the node",
    says="the node affinity excludes {label} ({entry})",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
