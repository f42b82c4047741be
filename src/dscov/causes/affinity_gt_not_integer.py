"""A `Gt` or `Lt` entry of the node affinity has a value, or meets a label, that is no integer; then it matches nothing.

The API server stores such an entry without a word. The whole term around it matches no node. Only plain decimal integers
count: no unit, no fraction, and no sign, since a sign is not allowed in a label value. A node that lacks the label, or
that the comparison as it was meant excludes, counts as excluded on purpose.
"""

from collections.abc import Iterator
from typing import Any

from dscov.kube.requirements import Requirement, parse_int64
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.selection import AFFINITY, nearest, values_of
from dscov.model.unreadable import Entry, as_integer, bounds_in, exceeds, label_is_no_integer
from dscov.model.world import World

_FIELD = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Bounds of the nearest term that cannot be read, and labels that a bound cannot read."""
    found = nearest(world, daemonset, node)
    bounds = list(bounds_in(daemonset, found.term))
    for entry in (one for one in bounds if one.problem):
        problem = f"operator {entry.operator} needs an integer, not {entry.values[0]!r} ({entry.key})"
        shown = Evidence(f"DaemonSet/{daemonset.key}", _FIELD, "")
        yield Hit(_facts(problem, entry), (shown,), meant=not found.is_slip)
    for failure in found.failures:
        if isinstance(failure, Requirement) and label_is_no_integer(failure, node.labels):
            have = node.labels[failure.key]
            problem = f"the label {failure.key}={have} is no integer ({failure})"
            entry = next(one for one in bounds if one.key == failure.key)
            shown = Evidence(f"Node/{node.name}", f"metadata.labels.{failure.key}", have)
            yield Hit(_facts(problem, entry), (shown,), meant=not found.is_slip)


def _facts(problem: str, entry: Entry) -> tuple[tuple[str, str], ...]:
    return ("problem", problem), ("pointer", entry.pointer), ("key", entry.key)


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """An integer that says the same, or the values themselves where the labels are no integers."""
    pointer = dict(finding.facts)["pointer"]
    entry = next(one for one in bounds_in(daemonset, int(pointer.split("/")[1])) if one.pointer == pointer)
    patch = () if finding.severity == "info" else _patch(world, entry)
    return Remedy(
        "patch",
        "write a plain integer, or use In with the values",
        why="Gt and Lt compare 64-bit integers only",
        target=daemonset.key,
        patch=patch,
    )


def _patch(world: World, entry: Entry) -> tuple[dict[str, Any], ...]:
    path = f"{AFFINITY}{entry.pointer}"
    beyond = sorted(value for value in values_of(world, entry.key) if exceeds(value, entry.values[0], entry.operator))
    if beyond and all(parse_int64(value) is not None for value in beyond):
        number = as_integer(entry)
        return ({"op": "replace", "path": f"{path}/values", "value": [number]},) if number else ()
    return ({"op": "replace", "path": path, "value": {"key": entry.key, "operator": "In", "values": beyond}},)


CAUSE = Cause(
    code="DSC115",
    slug="affinity-gt-not-integer",
    title="a Gt or Lt of the node affinity meets no integer",
    says="{problem}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
