"""A patch of a live DaemonSet in the forms that people and tools take, beside the guarded one that is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dscov.kube.objects import name_of, part, text
from dscov.model.cluster import DaemonSet
from dscov.model.edits import Plan, Target, TextEdit
from dscov.patches.change import Change, on_object
from dscov.patches.derive import edits_between
from dscov.patches.diff import unified
from dscov.patches.forms import json_text, kustomize_of, strategic, target_of, yaml_lines
from dscov.patches.guard import guarded
from dscov.simulation import patched

#: What a server writes into every object and no manifest holds.
_SERVERS_OWN = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink")
#: What kubectl and the controller note for themselves.
_NOTES = ("kubectl.kubernetes.io/last-applied-configuration", "deprecated.daemonset.template.generation")


def live_form(daemonset: DaemonSet, patch: Sequence[Mapping[str, Any]], form: str) -> bytes:
    """The bytes of `form`: diff, json-patch, strategic, kustomize, or yaml (the object as it would be)."""
    before, after = dict(daemonset.obj), dict(patched(daemonset, patch).obj)
    match form:
        case "diff":
            return unified(live_edit(daemonset, patch))
        case "json-patch":
            return json_text(_portable(daemonset, patch)).encode()
        case "kustomize":
            return kustomize_of(target_of(before), _portable(daemonset, patch)).encode()
        case "strategic":
            return _yaml(strategic(before, after))
        case _:
            return _yaml(_manifest(after))


def live_change(daemonset: DaemonSet, patch: Sequence[Mapping[str, Any]]) -> tuple[Change, Plan]:
    """The patch as a change that touches no file, and the plan of edits that it comes to."""
    before = dict(daemonset.obj)
    edits = edits_between(before, patched(daemonset, patch).obj)
    operations, after = on_object(before, edits)
    plan = Plan(Target(daemonset.name, daemonset.namespace), edits)
    return Change(daemonset.name, (), before, operations, after), plan


def live_edit(daemonset: DaemonSet, patch: Sequence[Mapping[str, Any]]) -> TextEdit:
    """The object before and after as a person would keep it in a file, to show the difference."""
    return edit_of_objects(daemonset.obj, patched(daemonset, patch).obj)


def edit_of_objects(before: Mapping[str, Any], after: Mapping[str, Any]) -> TextEdit:
    """The same of two states of one object."""
    name = f"live/{text(before, 'metadata', 'namespace')}/daemonset-{name_of(before)}.yaml"
    return TextEdit(name, _yaml(_manifest(before)), _yaml(_manifest(after)))


def _portable(daemonset: DaemonSet, patch: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Guarded by the lists that it rests on alone: other clusters have other uids."""
    steps = guarded(daemonset.obj, patch)
    return [step for step in steps if not str(step["path"]).startswith("/metadata/")]


def _manifest(obj: Mapping[str, Any]) -> dict[str, Any]:
    meta = {key: value for key, value in part(obj, "metadata").items() if key not in _SERVERS_OWN}
    notes = {key: value for key, value in part(meta, "annotations").items() if key not in _NOTES}
    meta = {key: value for key, value in {**meta, "annotations": notes}.items() if value}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": meta, "spec": part(obj, "spec")}


def _yaml(data: Mapping[str, Any]) -> bytes:
    return ("\n".join(yaml_lines(dict(data))) + "\n").encode()
