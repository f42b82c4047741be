"""The node is no place for daemon pods (Fargate, virtual kubelet), yet the template lets the controller want one there.

A toleration of everything does that. The pod never starts, and the rollout never ends.
"""

from collections.abc import Iterator
from typing import Any

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.marks import virtual_label, virtual_mark
from dscov.model.selector_patch import demand
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Virtual nodes that the controller wants to serve."""
    mark = virtual_mark(node)
    if mark is None or not world.placement(daemonset, node).should_run:
        return
    key, value = virtual_label(node) or ("", "")
    yield Hit((("key", key), ("value", value), ("node_kind", value or "a virtual node")), (mark,), wants_none=True)


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """An exclusion by label."""
    facts = dict(finding.facts)
    expression: dict[str, Any] = {"key": facts["key"], "operator": "NotIn", "values": [facts["value"]]}
    if not facts["value"]:
        expression = {"key": facts["key"], "operator": "DoesNotExist"}
    if not facts["key"]:
        return Remedy("no-patch", "label such nodes, then exclude the label", why="no label tells them from others")
    return Remedy(
        "patch",
        f"exclude {facts['key']}={facts['value']} in the node affinity",
        why="tolerations cannot say 'every taint but one'",
        target=daemonset.key,
        patch=demand(daemonset, expression),
    )


CAUSE = Cause(
    code="DSC121",
    slug="unwanted-target",
    title="the node is no place for daemon pods",
    says="{node_kind} cannot run daemon pods, but the template is let in",
    find=find,
    cure=cure,
    looks_at=frozenset({"eligible"}),
)
