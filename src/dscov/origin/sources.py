"""Flux: what its sources and Kustomizations say of repositories and folders, and who keeps an object that was read."""

from __future__ import annotations

from dscov.kube.objects import Object, listed, name_of, part, text, texts
from dscov.origin.asking import Asker, Seen
from dscov.origin.texts import address

KUSTOMIZATIONS = ("kustomize.toolkit.fluxcd.io", ("v1", "v1beta2"), "kustomizations")
_SOURCES = "source.toolkit.fluxcd.io"
_PLURALS = {
    "GitRepository": "gitrepositories",
    "OCIRepository": "ocirepositories",
    "Bucket": "buckets",
    "HelmRepository": "helmrepositories",
    "HelmChart": "helmcharts",
}
_FLUX, _HELM = "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"
_TRACKING = "argocd.argoproj.io/tracking-id"


def kustomization(asker: Asker, namespace: str, name: str) -> Seen:
    """A Flux Kustomization."""
    seen, _ = asker.first(*KUSTOMIZATIONS, of=(namespace, name))
    return seen


def folder_in_words(asker: Asker, obj: Object) -> str:
    """`the folder PATH of GitRepository ns/name (URL, branch main)` for a Kustomization that was read."""
    path = text(obj, "spec", "path").removeprefix("./").strip("/")
    where = f"the folder {path}" if path and path != "." else "the root"
    reference = part(obj, "spec", "sourceRef")
    return f"{where} of {source_in_words(asker, reference, text(obj, 'metadata', 'namespace'))}"


def source_in_words(asker: Asker, reference: Object, namespace: str) -> str:
    """A sourceRef as `GitRepository ns/name (URL, branch main)`, as far as it can be read."""
    kind, name = text(reference, "kind"), text(reference, "name")
    namespace = text(reference, "namespace") or namespace
    words = f"{kind} {namespace}/{name}"
    if kind not in _PLURALS:
        return words
    seen, _ = asker.first(_SOURCES, ("v1", "v1beta2"), _PLURALS[kind], of=(namespace, name))
    if seen.problem:
        return f"{words}, which {seen.problem}"
    known = [address(text(seen.obj, "spec", "url")) or text(seen.obj, "spec", "bucketName")]
    known += [f"{key} {value}" for key, value in texts(seen.obj, "spec", "ref").items()]
    return f"{words} ({', '.join(filter(None, known))})" if any(known) else words


def keeper(asker: Asker, obj: Object) -> str:
    """Who applies an object that was read, as the end of a sentence; empty where its marks tell of nobody."""
    labels, notes = texts(obj, "metadata", "labels"), texts(obj, "metadata", "annotations")
    for owner in listed(obj, "metadata", "ownerReferences"):
        if owner.get("controller") is True:
            return f"the {text(owner, 'kind')} {text(owner, 'name')}, which controls it"
    if name := labels.get(f"{_FLUX}/name"):
        return _kustomization_in_words(asker, labels.get(f"{_FLUX}/namespace", ""), name)
    if name := labels.get(f"{_HELM}/name"):
        return f"the Flux HelmRelease {labels.get(f'{_HELM}/namespace', '')}/{name}"
    if tracked := notes.get(_TRACKING) if _is_of(notes.get(_TRACKING, ""), obj) else "":
        return f"the Argo CD application {tracked.partition(':')[0]}"
    if name := labels.get("argocd.argoproj.io/instance"):
        return f"the Argo CD application {name}"
    if labels.get("app.kubernetes.io/managed-by") == "Helm" and (name := notes.get("meta.helm.sh/release-name")):
        return f"the Helm release {name}"
    return ""


def _kustomization_in_words(asker: Asker, namespace: str, name: str) -> str:
    seen = kustomization(asker, namespace, name)
    told = f"which {seen.problem}" if seen.problem else folder_in_words(asker, seen.obj)
    return f"the Flux Kustomization {namespace}/{name}: {told}"


def _is_of(tracked: str, obj: Object) -> bool:
    """Argo CD's id names the object that it stands for; copies of objects carry it on."""
    return f"/{text(obj, 'kind')}:" in tracked and tracked.endswith(f"/{name_of(obj)}")
