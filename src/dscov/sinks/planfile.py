"""A plan as a file: what was proposed for which state of which objects, to be read by people and applied later."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dscov.errors import BadInput, CouldNotLook, Refused
from dscov.kube.objects import part, text
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Effect
from dscov.model.proposals import Option
from dscov.patterns import pattern

VERSION, KIND = "dscov.dev/v1", "FixPlan"

#: What a plan may write: the fields by which pods are placed and rolled out, never what they run.
_FIELDS = pattern(
    r"/spec/(template/spec/(tolerations|nodeSelector|affinity|topologySpreadConstraints|priorityClassName|schedulerName"
    r"|nodeName|schedulingGates|volumes/[0-9]+/hostPath/path)|updateStrategy|minReadySeconds)(/|\Z)"
)
_VALUED = {"add", "replace", "test"}


class Item(msgspec.Struct, frozen=True, rename="camel"):
    """The patch of one DaemonSet, and the object that it was made for: identity, marks and spec."""

    namespace: str
    name: str
    uid: str
    resource_version: str
    summary: str
    targets: tuple[str, ...]
    effect: Effect
    patch: tuple[Mapping[str, Any], ...]
    object: Mapping[str, Any]
    notes: tuple[str, ...] = ()


class PlanFile(msgspec.Struct, frozen=True, rename="camel"):
    """The whole plan; `context` is the name of the cluster's entry in the kubeconfig, for people."""

    api_version: str
    kind: str
    generated_at: datetime
    context: str
    items: tuple[Item, ...]


def item_of(daemonset: DaemonSet, targets: Sequence[str], option: Option) -> Item:
    """An option chosen for a DaemonSet, as it stands in a plan; Refused where nothing tells the object from another."""
    obj = daemonset.obj
    if not daemonset.uid:
        raise Refused(
            f"daemonset/{daemonset.key} has no uid, so no plan can be held against it",
            remedy="Save the cluster with `kubectl get -o json`, or use another form, such as -o json-patch.",
        )
    kept = {key: value for key, value in part(obj, "metadata").items() if key != "managedFields"}
    return Item(
        namespace=daemonset.namespace,
        name=daemonset.name,
        uid=daemonset.uid,
        resource_version=text(obj, "metadata", "resourceVersion"),
        summary=option.summary,
        targets=tuple(targets),
        effect=option.effect,
        patch=option.patch,
        object={"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": kept, "spec": part(obj, "spec")},
        notes=option.notes,
    )


def plan_text(items: Sequence[Item], *, context: str, now: datetime) -> bytes:
    """The bytes of a plan file, JSON."""
    plan = PlanFile(VERSION, KIND, now, context, tuple(items))
    return msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n"


def _flaw(step: Mapping[str, Any]) -> str:
    """What is wrong with a step, or empty."""
    op, where = step.get("op"), step.get("path")
    if op not in {*_VALUED, "remove"} or not isinstance(where, str):
        return "every step has an op (add, replace, remove, test) and a path"
    if op in _VALUED and "value" not in step:
        return f"{op} {where} has no value"
    return "" if _FIELDS.match(where) else f"{where} is no field that `fix` writes"


def read_plan(path: str) -> PlanFile:
    """The plan in a file. BadInput where it is none, or where a patch writes what no plan may."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise BadInput("is no regular file", path=path)
        raw = Path(path).read_bytes()
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error
    try:
        plan = msgspec.json.decode(raw, type=PlanFile)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise BadInput(f"is no plan that `fix --save-plan` wrote: {problem}", path=path) from problem
    if (plan.api_version, plan.kind) != (VERSION, KIND):
        raise BadInput(f"is {plan.api_version} {plan.kind}, not {VERSION} {KIND}", path=path)
    for item in plan.items:
        for step in item.patch:
            if flaw := _flaw(step):
                raise BadInput(f"the patch of {item.namespace}/{item.name}: {flaw}", path=path)
        if text(item.object, "metadata", "uid") != item.uid or not item.uid:
            raise BadInput(f"the uid of {item.namespace}/{item.name} is missing or not that of its object", path=path)
    return plan
