"""The template names one node (`nodeName`), so the DaemonSet can run on that node only."""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Nodes of another name."""
    name = daemonset.template.node_name
    if any(reason.kind == "nodeName" for reason in world.placement(daemonset, node).reasons):
        evidence = Evidence(f"DaemonSet/{daemonset.key}", "spec.template.spec.nodeName", name)
        yield Hit((("name", name),), (evidence,))


def cure(_: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Take the name out."""
    return Remedy(
        "patch",
        "take nodeName out of the template",
        why="a nodeSelector says the same without bypassing the scheduler",
        target=daemonset.key,
        patch=({"op": "remove", "path": "/spec/template/spec/nodeName"},),
    )


CAUSE = Cause(
    code="DSC118",
    slug="template-node-name",
    title="the template names one node",
    says="the template's nodeName is {name}",
    find=find,
    cure=cure,
    looks_at=frozenset({"excluded"}),
)
