"""The scheduler refuses the node for a reason that has no page of its own: a taint, device claims, a plugin.

A taint counts here where the pod does not tolerate it though the template does: admission took the toleration away, or
the pod is older than the template. The words are the scheduler's. Of a pod whose resource claims do not exist it says
nothing at all: it does not try such a pod.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin, plugin_of
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import Waiting, added_selector, held_for_claims, pod_selector, unmet, untolerated, waiting
from dscov.model.world import World

_CLAIMS = "the pod is not tried before its resource claims exist: "


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Reasons that no other cause takes up."""
    waits = waiting(world, daemonset, node)
    for reason in waits.reasons if waits else ():
        if waits and _is_ours(reason, waits, daemonset, node):
            taints = untolerated(node, waits.obj) if plugin_of(reason) is Plugin.TAINTS else ()
            shown = (Evidence(f"Node/{node.name}", "spec.taints", str(taint)) for taint in taints)
            named = f"{reason}: {', '.join(map(str, taints))}" if taints else reason
            yield Hit((("reason", named),), (*waits.told, *shown))
    claims = held_for_claims(waits) if waits else ()
    if claims:
        named = f"{_CLAIMS}{', '.join(claim.value for claim in claims)}"
        yield Hit((("reason", named),), claims, confidence="inferred")


def _is_ours(reason: str, waits: Waiting, daemonset: DaemonSet, node: Node) -> bool:
    plugin = plugin_of(reason)
    if plugin is Plugin.TAINTS:
        return bool(untolerated(node, waits.obj))
    if plugin is Plugin.SELECTOR:
        left = unmet(node, pod_selector(waits.obj)).keys() - added_selector(daemonset, waits.obj).keys()
        return bool(left) or "scheduler-enforced" in reason
    return plugin is Plugin.ELSE


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """What the scheduler names."""
    reason = dict(finding.facts)["reason"]
    if reason.startswith(_CLAIMS):
        return Remedy(
            "policy",
            f"create the resource claims, or see why nobody makes them: {reason.removeprefix(_CLAIMS)}",
            why="the scheduler takes up no pod whose resource claims are not there",
            actions=(f"kubectl -n {daemonset.namespace} get resourceclaims,resourceclaimtemplates",),
        )
    return Remedy(
        "no-patch",
        "look at what the scheduler names",
        why=reason,
        actions=(f"kubectl -n {daemonset.namespace} get events --field-selector reason=FailedScheduling",),
    )


CAUSE = Cause(
    code="DSC312",
    slug="unschedulable",
    title="the scheduler refuses the node for another reason",
    says="the scheduler refuses the node: {reason}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
