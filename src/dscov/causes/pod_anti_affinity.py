"""A rule among pods keeps the pod off its node: anti-affinity (its own or another pod's), affinity, topology spread.

The controller does not look at such rules, so it makes a pod for every node; the scheduler does, and the pod cannot go
elsewhere. A daemon that must not share a node with another, or must, needs node labels instead.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dscov.kube.messages import Plugin
from dscov.kube.objects import listed, part
from dscov.model.capacity import owner_name
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.interpod import REQUIRED, barred_by, bars, lonely, spread
from dscov.model.scheduling import Waiting, waiting
from dscov.model.world import World

#: A rule in words: what it is, with whom it collides, where in the pod's spec it stands (empty: in another pod's).
_Told = tuple[str, str, str]


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The rules behind a refusal for other pods, as far as they can be told; else the refusal alone."""
    waits = waiting(world, daemonset, node)
    for reason in waits.by(Plugin.OTHER_PODS) if waits else ():
        if not waits:
            return
        told = list(_rules_behind(world, node, waits, reason)) or [(reason, "pods that were not seen", "")]
        for rule, holder, field in dict.fromkeys(told):
            shown = (
                (Evidence(f"Pod/{waits.pod.key}", f"spec.{field}.topologyKey", _at(waits.obj, field)),) if field else ()
            )
            facts = (("rule", rule), ("holder", holder), ("field", field))
            yield Hit(facts, (*waits.told, *shown))


def _rules_behind(world: World, node: Node, waits: Waiting, reason: str) -> Iterator[_Told]:
    pod = waits.obj
    if "topology spread" in reason:
        for place, key in spread(pod):
            yield (
                f"topology spread over {key}",
                "the even spread of its own pods",
                f"topologySpreadConstraints[{place}]",
            )
        return
    if "anti-affinity" in reason and "existing pods" not in reason:
        for rule, other in barred_by(world, node, pod):
            yield f"anti-affinity to {rule}", owner_name(other), f"affinity.podAntiAffinity.{REQUIRED}[{rule.place}]"
    if "existing pods" in reason or "affinity/anti-affinity" in reason:
        for rule, other in bars(world, node, pod):
            yield f"the anti-affinity of another pod to {rule}", owner_name(other), ""
    if "pod affinity" in reason:
        for rule in lonely(world, node, pod):
            yield f"affinity to {rule}", "no pod there that meets it", f"affinity.podAffinity.{REQUIRED}[{rule.place}]"


def _at(pod: Object, field: str) -> str:
    """The topology key at a field such as `topologySpreadConstraints[0]`."""
    path, _, place = field.removesuffix("]").rpartition("[")
    found = list(listed(pod, "spec", *path.split(".")))
    return str(found[int(place)].get("topologyKey", ""))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The rule goes, where the template has it; else it is another's."""
    facts = dict(finding.facts)
    field = facts["field"]
    if not field:
        return Remedy(
            "policy",
            f"change the rule ({facts['rule']}) where it stands, or move {facts['holder']} off the node",
            why="the rule is not in the template of the DaemonSet",
            actions=("kubectl get pods -A -o yaml",),
        )
    path, place = field.removesuffix("]").rsplit("[", 1)
    if not any(listed(daemonset.pod_spec, *path.split("."))):
        return Remedy(
            "policy",
            f"find what adds the rule ({facts['rule']}) to the pods: a webhook, or the scheduler's defaults",
            why="the template has no such rule",
            actions=("kubectl get mutatingwebhookconfigurations",),
        )
    return Remedy(
        "patch",
        f"take the {facts['rule']} out of the template",
        why="a daemon pod cannot go to another node; keep it from nodes by their labels instead",
        target=daemonset.key,
        patch=(_removal(daemonset, path, place),),
    )


def _removal(daemonset: DaemonSet, path: str, place: str) -> Mapping[str, Any]:
    """The entry; where it is the last one, the list; where the list is all there is of its rules, these."""
    steps = path.split(".")
    whole = list(listed(daemonset.pod_spec, *steps))
    if len(whole) > 1:
        steps.append(place)
    elif steps[0] == "affinity" and len(part(daemonset.pod_spec, *steps[:-1])) == 1:
        steps.pop()
    return {"op": "remove", "path": "/spec/template/spec/" + "/".join(steps)}


CAUSE = Cause(
    code="DSC305",
    slug="pod-anti-affinity",
    title="a rule among pods keeps the pod off its node",
    says="{rule} keeps the pod off the node: {holder}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
