"""A volume of the pod cannot be had on the node: its claim is not bound, its volume is elsewhere, or the node is full.

Every pod of a DaemonSet names the same claim. A ReadWriteOnce volume serves one node only, a zonal one the nodes of its
zone; a daemon needs a volume per node (generic ephemeral, hostPath) or one that many nodes may use.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin
from dscov.kube.objects import listed, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import waiting
from dscov.model.world import World
from dscov.patterns import pattern

_ELSEWHERE = pattern(r"node affinity|volume zone|ReadWriteOnce|no available disk")
_FULL = pattern(r"max volume count|enough free storage")


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Refusals for volumes, with the claims that the template names."""
    waits = waiting(world, daemonset, node)
    if not waits:
        return
    claims = {
        text(volume, "persistentVolumeClaim", "claimName"): i
        for i, volume in enumerate(listed(daemonset.pod_spec, "volumes"))
    }
    claims.pop("", None)
    at = f"DaemonSet/{daemonset.key}"
    shown = tuple(
        Evidence(at, f"spec.template.spec.volumes[{i}].persistentVolumeClaim.claimName", name)
        for name, i in claims.items()
    )
    for reason in waits.by(Plugin.VOLUMES):
        yield Hit((("reason", reason), ("claims", ", ".join(claims) or "none")), (*waits.told, *shown))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """By what is wrong with the volume."""
    facts, namespace = dict(finding.facts), daemonset.namespace
    show = (f"kubectl -n {namespace} get persistentvolumeclaims",)
    if "CSI driver" in facts["reason"]:
        driver = facts["reason"].partition(" ")[0]
        return Remedy(
            "no-patch",
            f"bring the node plugin of {driver} to the node first",
            why="the scheduler waits for the driver to register on the node",
            actions=("kubectl get csinodes",),
        )
    if _FULL.search(facts["reason"]):
        return Remedy(
            "policy",
            "use a node type that takes more volumes, or fewer volumes on the node",
            why="the limit is the node's own",
            actions=("kubectl get csinodes -o yaml",),
        )
    if _ELSEWHERE.search(facts["reason"]):
        return Remedy(
            "policy",
            "give each pod a volume of its own (generic ephemeral, hostPath), or a claim that many nodes may use",
            why="all pods of a DaemonSet share the claim, and its volume can be had from some nodes only",
            actions=show,
        )
    return Remedy(
        "policy",
        f"bind or create the claim ({facts['claims']}) in namespace {namespace}",
        why="the scheduler places no pod before its claims are bound",
        actions=show,
    )


CAUSE = Cause(
    code="DSC304",
    slug="volume-attach",
    title="a volume cannot be had on the node",
    says="{reason} (claims: {claims})",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
