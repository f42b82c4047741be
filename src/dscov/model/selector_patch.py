"""Node selectors that admission adds to pods, and how to say the same in the template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dscov.kube.objects import escaped, name_of, text, texts
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Finding, Remedy
from dscov.model.scheduling import added_selector, template_of, waiting
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
    if not texts(template_of(daemonset), "nodeSelector"):
        return ({"op": "add", "path": _PATH, "value": dict(added)},)
    return tuple({"op": "add", "path": f"{_PATH}/{escaped(key)}", "value": value} for key, value in added.items())
