"""How to make a template ask for a label: what admission adds to pods said in the template, or one expression more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dscov.kube.objects import escaped, listed, name_of, part, text, texts
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Finding, Remedy
from dscov.model.scheduling import added_selector, waiting
from dscov.model.world import World

_PATH = "/spec/template/spec/nodeSelector"


def runtime_class_of(pod: object) -> str:
    """The RuntimeClass that a pod (plain API object) names, or empty."""
    return text(pod, "spec", "runtimeClassName")


def runtime_selector(world: World, name: str) -> dict[str, str] | None:
    """The node selector of a RuntimeClass; None where the class was not seen."""
    for obj in world.snapshot.others.get("RuntimeClass", ()):
        if name_of(obj) == name:
            return texts(obj, "scheduling", "nodeSelector")
    return None


def repeat_in_template(world: World, daemonset: DaemonSet, finding: Finding, *, action: str) -> Remedy:
    """The selector that the pods got, added to the template, so that the controller makes no pod elsewhere."""
    added: dict[str, str] = {}
    for name in finding.nodes:
        waits = waiting(world, daemonset, world.nodes[name])
        added |= added_selector(daemonset, waits.obj) if waits else {}
    shown = ",".join(f"{key}={value}" for key, value in added.items())
    return Remedy(
        "patch",
        f"repeat the node selector {shown} in the template",
        why="the controller decides on the template: then it makes no pod for the other nodes and DESIRED is right",
        actions=(action,),
        target=daemonset.key,
        patch=_operations(daemonset, added),
    )


def _operations(daemonset: DaemonSet, added: Mapping[str, str]) -> tuple[Mapping[str, Any], ...]:
    if not texts(daemonset.pod_spec, "nodeSelector"):
        return ({"op": "add", "path": _PATH, "value": dict(added)},)
    return tuple({"op": "add", "path": f"{_PATH}/{escaped(key)}", "value": value} for key, value in added.items())


def demand(daemonset: DaemonSet, expression: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The expression added to every live term of the required node affinity, or a new affinity of this one."""
    base, name = "/spec/template/spec/affinity", "requiredDuringSchedulingIgnoredDuringExecution"
    required = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = part(daemonset.pod_spec, "affinity")
    if not affinity:
        return ({"op": "add", "path": base, "value": {"nodeAffinity": {name: required}}},)
    if not part(affinity, "nodeAffinity"):
        return ({"op": "add", "path": f"{base}/nodeAffinity", "value": {name: required}},)
    terms = list(listed(affinity, "nodeAffinity", name, "nodeSelectorTerms"))
    if not terms:
        return ({"op": "add", "path": f"{base}/nodeAffinity/{name}", "value": required},)
    # An empty term selects nothing; filled, it would let nodes in.
    live = [
        (f"{base}/nodeAffinity/{name}/nodeSelectorTerms/{i}", term)
        for i, term in enumerate(terms)
        if any(term.values())
    ]
    return tuple(
        {"op": "add", "path": f"{path}/matchExpressions/-", "value": expression}
        if term.get("matchExpressions")
        else {"op": "add", "path": f"{path}/matchExpressions", "value": [expression]}
        for path, term in live
    )
