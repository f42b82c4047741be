"""Who owns a DaemonSet, from labels, annotations and owner references."""

from __future__ import annotations

import msgspec

from dscov.model.cluster import DaemonSet


class Owner(msgspec.Struct, frozen=True):
    """The owner: `kind` is helm, argocd, flux, kustomize, addon, operator, kapp, terraform or none."""

    kind: str = "none"
    name: str = ""
    evidence: str = ""


_ANNOTATIONS = (
    ("argocd.argoproj.io/tracking-id", "argocd"),
    ("objectset.rio.cattle.io/owner-name", "addon"),
    ("components.gke.io/component-name", "addon"),
)
_LABELS = (
    ("kustomize.toolkit.fluxcd.io/name", "flux"),
    ("helm.toolkit.fluxcd.io/name", "flux"),
    ("addonmanager.kubernetes.io/mode", "addon"),
    ("kubernetes.azure.com/managedby", "addon"),
    ("olm.owner", "operator"),
    ("kapp.k14s.io/app", "kapp"),
)


def owner_of(daemonset: DaemonSet) -> Owner:
    """The strongest owner that the object's own marks tell: a controller, then GitOps, Helm, add-on managers."""
    meta = daemonset.obj.get("metadata")
    references = (meta.get("ownerReferences") if isinstance(meta, dict) else None) or []
    for reference in references:
        if reference.get("controller"):
            name = f"{reference.get('kind', '')}/{reference.get('name', '')}"
            return Owner("operator", name, f"metadata.ownerReferences: {name}")
    for marks, where, table in (
        (daemonset.annotations, "annotations", _ANNOTATIONS),
        (daemonset.labels, "labels", _LABELS),
    ):
        for key, kind in table:
            if key in marks:
                return Owner(kind, marks[key].partition(":")[0], f"metadata.{where}.{key}={marks[key]}")
    release = daemonset.annotations.get("meta.helm.sh/release-name")
    if release and daemonset.labels.get("app.kubernetes.io/managed-by") == "Helm":
        return Owner("helm", release, f"metadata.annotations.meta.helm.sh/release-name={release}")
    return Owner()
