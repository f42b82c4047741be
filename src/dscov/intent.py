"""Which nodes a DaemonSet is meant to cover, and how we know.

Inferred, where nobody declared it: the template's selectors say what is meant, except where a cause holds an exclusion
for a slip (a misspelt value, a label that the pool's peers have). Taints that set nodes apart count as gaps; those of
control-plane nodes only for a DaemonSet that mentions the control plane. Virtual nodes, nodes of another operating
system and nodes that are going away are never expected.
"""

from __future__ import annotations

from collections.abc import Sequence

from dscov.kube.placement import Placement
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Hit, Intent
from dscov.model.nodes import is_foreign, is_virtual
from dscov.model.selection import excluded_by_one

INFERRED = Intent(
    "inferred",
    "the nodes that its selectors name, whatever their taints; no virtual nodes, none of another operating system",
)


def expects(daemonset: DaemonSet, placement: Placement, node: Node, hits: Sequence[Hit]) -> bool:
    """Whether a daemon is meant to be on the node, inferred from what the causes of eligibility say."""
    if is_virtual(node) or any(hit.wants_none for hit in hits) or excluded_by_one(daemonset, node):
        return False
    if placement.should_run:
        return True
    return bool(hits) and not any(hit.meant for hit in hits) and not is_foreign(daemonset, node)
