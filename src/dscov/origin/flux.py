"""Flux: the values of a HelmRelease, or a patch in the folder of a Kustomization.

Fields: helm-controller docs/spec/v2/helmreleases.md, kustomize-controller docs/spec/v1/kustomizations.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from dscov.kube.objects import Object, listed, part, text
from dscov.origin.asking import Seen
from dscov.origin.nouns import Case, Origin
from dscov.origin.sources import folder_in_words, keeper, kustomization, source_in_words
from dscov.origin.texts import command, document, folder, head, listing, patching
from dscov.origin.values import Fragment, fragment

_HELM, _KUSTOMIZE = "helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io"
_SUSPENDED = "it is suspended: nothing is reconciled until somebody resumes it"


def flux(case: Case) -> Origin:
    """The Kustomization or the HelmRelease, by the labels that Flux writes."""
    labels = case.daemonset.labels
    if name := labels.get(f"{_KUSTOMIZE}/name"):
        return _kustomized(case, labels.get(f"{_KUSTOMIZE}/namespace", ""), name)
    if name := labels.get(f"{_HELM}/name"):
        return _released(case, labels.get(f"{_HELM}/namespace", ""), name)
    note = "no label of it tells which Kustomization; `flux trace` finds it where Flux runs"
    return _patch_of_folder(case, "the repository of a Flux Kustomization", (note,), "FOLDER", "")


# -- Kustomization ------------------------------------------------------------------------------------------------


def _kustomized(case: Case, namespace: str, name: str) -> Origin:
    seen = kustomization(case.asker, namespace, name)
    named = f"the Flux Kustomization {namespace}/{name}"
    if seen.problem:
        return _patch_of_folder(case, f"the repository of {named}", (_unseen(named, seen),), "FOLDER", "")
    place = f"{named}: {folder_in_words(case.asker, seen.obj)}"
    suspended = part(seen.obj, "spec").get("suspend") is True
    fate = f"kept as long as {named} is suspended" if suspended else ""
    notes = _kustomization_notes(seen.obj)
    return _patch_of_folder(case, place, tuple(notes), folder(text(seen.obj, "spec", "path")), fate)


def _kustomization_notes(obj: Object) -> Iterator[str]:
    yield "the entry goes into the kustomization.yaml of that folder, or into spec.patches of the Kustomization"
    yield "a folder without kustomization.yaml: Flux makes one of all its manifests; use -f instead of -k"
    spec = part(obj, "spec")
    if spec.get("suspend") is True:
        yield _SUSPENDED
    if any(listed(spec, "patches")):
        yield "spec.patches of the Kustomization comes last of all and may set the field: look there first"
    names = [name for name in ("namePrefix", "nameSuffix", "targetNamespace") if text(spec, name)]
    if names:
        yield f"the Kustomization sets {' and '.join(names)}: target the name and namespace as they are in the folder"
    if spec.get("postBuild"):
        yield "the Kustomization substitutes variables after the build (spec.postBuild)"


def _patch_of_folder(case: Case, place: str, notes: tuple[str, ...], path: str, fate: str) -> Origin:
    return Origin(
        "flux",
        place,
        text=case.overlay(),
        commands=command("kubectl", "dscov", "fix", *case.named, "-k", path),
        notes=notes,
        fate=fate or case.owner.fate,
    )


# -- HelmRelease --------------------------------------------------------------------------------------------------


def _released(case: Case, namespace: str, name: str) -> Origin:
    seen, resource = case.asker.first(_HELM, ("v2", "v2beta2"), "helmreleases", of=(namespace, name))
    named = f"the Flux HelmRelease {namespace}/{name}"
    spec = part(seen.obj, "spec")
    where = "spec.values" if not seen.problem else "what was read"
    found = fragment(part(spec, "values"), case.fields, case.daemonset.name, where=where)
    applied_by = "" if seen.problem else keeper(case.asker, seen.obj)
    obj = seen.obj or {"metadata": {"name": name, "namespace": namespace}}
    manifest = {**head(f"{_HELM}/{resource.version}", "HelmRelease", obj), "spec": {"values": found.values}}
    notes = [_unseen(named, seen)] if seen.problem else list(_release_notes(spec, found))
    is_free = found.seen and not seen.problem and not applied_by
    return Origin(
        "flux",
        _release_place(case, named, spec, namespace) + (f", applied by {applied_by}" if applied_by else ""),
        text=document(manifest) if found.values else "",
        commands=patching(resource, namespace, name, {"spec": {"values": found.values}}) if is_free else (),
        notes=tuple(notes + list(found.notes)),
        fate=case.owner.fate if seen.problem else _release_fate(spec),
    )


def _release_place(case: Case, named: str, spec: Object, namespace: str) -> str:
    chart = part(spec, "chart", "spec")
    if name := text(chart, "chart"):
        version = f" {text(chart, 'version')}" if text(chart, "version") else ""
        held = source_in_words(case.asker, part(chart, "sourceRef"), namespace)
        return f"spec.values of {named} (chart {name}{version} of {held})"
    if reference := part(spec, "chartRef"):
        return f"spec.values of {named} (chart of {source_in_words(case.asker, reference, namespace)})"
    return f"spec.values of {named}"


def _release_fate(spec: Object) -> str:
    if spec.get("suspend") is True:
        return "kept as long as the HelmRelease is suspended"
    mode = text(spec, "driftDetection", "mode")
    if mode == "enabled":
        return "undone at the next reconciliation, since drift detection is enabled"
    return "undone at the next upgrade of the release (drift detection is " + (
        "warn only)" if mode == "warn" else "off)"
    )


def _release_notes(spec: Object, found: Fragment) -> Iterator[str]:
    if spec.get("suspend") is True:
        yield _SUSPENDED
    others = [f"{text(one, 'kind')} {text(one, 'name')}" for one in listed(spec, "valuesFrom")]
    if others:
        lost = "" if found.exact else " and may hold the list that is written out here"
        yield f"spec.valuesFrom takes values from {listing(others)} too: not read{lost}; spec.values overrides them"
    if any(listed(spec, "postRenderers")):
        yield "spec.postRenderers change what the chart makes, and may set the field"


def _unseen(named: str, seen: Seen) -> str:
    other = "; Flux may run in another cluster" if seen.absent else ""
    return f"{named} {seen.problem}{other}"
