"""Who owns a DaemonSet, by its own marks, and what becomes of an edit of the live object.

Marks, from the strongest: a controlling owner, GitOps (Flux, Argo CD), Helm, the marks of add-on managers, OLM, kapp
and the like, field managers (which `kubectl get` leaves out unless asked), and the note of `kubectl apply`. Several may
hold at once: Flux and Helm both mark what Flux installs with Helm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.findings import Remedy


class Owner(msgspec.Struct, frozen=True):
    """The owner: `kind` is helm, argocd, flux, kustomize, addon, operator, kapp, terraform or none.

    `fate` is what happens to a live edit, `source` where a change lasts; `reverts` says that the owner undoes the edit
    by itself, without anyone running anything.
    """

    kind: str = "none"
    name: str = ""
    evidence: str = ""
    fate: str = ""
    source: str = ""
    reverts: bool = False


_CONTROLLER = Owner("operator", fate="reverted by its controller", reverts=True)
_FLUX = Owner(
    "flux", fate="reverted at Flux's next reconciliation", source="the repository of the Kustomization", reverts=True
)
_FLUX_HELM = Owner(
    "flux",
    fate="undone at the next upgrade, at once with drift detection",
    source="the values of the HelmRelease",
    reverts=True,
)
_HANDS_OFF = Owner("flux", fate="kept: Flux is told to leave the object alone", source="the object")
_ARGO = Owner(
    "argocd",
    fate="reverted at once with self-heal, else at the next sync",
    source="the repository of the application",
    reverts=True,
)
_HELM = Owner(
    "helm",
    fate="kept until the next upgrade, which takes it back or fails with a conflict",
    source="the values of the release",
)
_ADDON = Owner(
    "addon",
    fate="reverted within a minute or two by the add-on manager",
    source="the add-on's manifest on the control plane (or give it the mode EnsureExists)",
    reverts=True,
)
_ADDON_ONCE = Owner("addon", fate="kept: the add-on manager only makes sure it exists", source="the object")
_AKS = Owner("addon", fate="replaced by AKS after some minutes", source="the settings of the AKS add-on", reverts=True)
_GKE = Owner("addon", fate="thrown out by GKE from time to time", source="the settings of the cluster", reverts=True)
_EKS = Owner(
    "addon",
    fate="overwritten at the next update of the EKS add-on where EKS owns the field",
    source="the configuration values of the EKS add-on",
    reverts=True,
)
_K3S = Owner(
    "addon",
    fate="kept until the server restarts or its manifest changes",
    source="a HelmChartConfig, or the manifest on the k3s or RKE2 server",
    reverts=True,
)
_SERVICE_LB = Owner("addon", fate="removed at once by k3s", source="the annotations of the Service", reverts=True)
_OLM = Owner("operator", fate="reverted by OLM", source="the Subscription or the operator's resource", reverts=True)
_KAPP = Owner(
    "kapp", fate="reverted at the next deploy, unless a rebase rule keeps it", source="the sources of the app"
)
_KUSTOMIZE = Owner("kustomize", fate="taken back at the next apply", source="the overlay")
_TERRAFORM = Owner(
    "terraform", fate="taken back at the next apply, or a conflict there", source="the Terraform configuration"
)
_APPLY = Owner("none", "kubectl apply", fate="taken back at the next apply of the manifest", source="the manifest")


def _tracks_this(daemonset: DaemonSet, value: str) -> bool:
    """Argo CD's id names the object it stands for; a copy of another object's id means nothing."""
    return value.endswith(f"/DaemonSet:{daemonset.namespace}/{daemonset.name}")


def _is_helm(daemonset: DaemonSet, _value: str) -> bool:
    """Helm itself asks for all three marks."""
    return (
        daemonset.labels.get("app.kubernetes.io/managed-by") == "Helm"
        and "meta.helm.sh/release-namespace" in daemonset.annotations
    )


def _is_left_alone(daemonset: DaemonSet, _value: str) -> bool:
    held = daemonset.annotations
    return held.get("kustomize.toolkit.fluxcd.io/reconcile") == "disabled" or held.get(
        "kustomize.toolkit.fluxcd.io/ssa"
    ) in {"Ignore", "IfNotPresent"}


def _is_reconciled(daemonset: DaemonSet, value: str) -> bool:
    return value == "Reconcile" or (value == "true" and "addonmanager.kubernetes.io/mode" not in daemonset.labels)


def _always(_daemonset: DaemonSet, _value: str) -> bool:
    return True


#: Labels and annotations that tell an owner: the place, the key, the test of the value, the owner.
_MARKS: tuple[tuple[str, str, Callable[[DaemonSet, str], bool], Owner], ...] = (
    ("labels", "kustomize.toolkit.fluxcd.io/name", _is_left_alone, _HANDS_OFF),
    ("labels", "kustomize.toolkit.fluxcd.io/name", _always, _FLUX),
    ("labels", "helm.toolkit.fluxcd.io/name", _always, _FLUX_HELM),
    ("annotations", "argocd.argoproj.io/tracking-id", _tracks_this, _ARGO),
    ("labels", "argocd.argoproj.io/instance", _always, _ARGO),
    ("annotations", "meta.helm.sh/release-name", _is_helm, _HELM),
    ("labels", "addonmanager.kubernetes.io/mode", _is_reconciled, _ADDON),
    ("labels", "addonmanager.kubernetes.io/mode", lambda _, value: value == "EnsureExists", _ADDON_ONCE),
    ("labels", "kubernetes.io/cluster-service", _is_reconciled, _ADDON),
    ("labels", "kubernetes.azure.com/managedby", _always, _AKS),
    ("annotations", "components.gke.io/component-name", _always, _GKE),
    ("annotations", "objectset.rio.cattle.io/owner-name", _always, _K3S),
    ("labels", "svccontroller.k3s.cattle.io/svcname", _always, _SERVICE_LB),
    ("labels", "olm.owner", _always, _OLM),
    ("labels", "kapp.k14s.io/app", _always, _KAPP),
    ("annotations", "config.kubernetes.io/origin", _always, _KUSTOMIZE),
)

_MANAGERS = {
    "eks": _EKS,
    "kustomize-controller": _FLUX,
    "argocd-controller": _ARGO,
    "argocd-application-controller": _ARGO,
    "helm-controller": _FLUX_HELM,
    "helm": _HELM,
    "Terraform": _TERRAFORM,
    "HashiCorp": _TERRAFORM,
}
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def owner_of(daemonset: DaemonSet) -> Owner:
    """The strongest owner; of kind none where no mark tells of any."""
    return next(owners_of(daemonset), Owner())


def keeper_of(daemonset: DaemonSet) -> Owner:
    """The owner who decides about a live edit: the strongest of those that undo it by themselves, else the strongest."""
    found = list(owners_of(daemonset))
    return next((owner for owner in found if owner.reverts), found[0] if found else Owner())


def owners_of(daemonset: DaemonSet) -> Iterator[Owner]:
    """Every owner that the object's marks tell of, the strongest first."""
    meta = daemonset.obj.get("metadata")
    meta = meta if isinstance(meta, Mapping) else {}
    for reference in _objects(meta.get("ownerReferences")):
        if reference.get("controller"):
            name = f"{reference.get('kind', '')}/{reference.get('name', '')}"
            found = _named(_CONTROLLER, name, f"metadata.ownerReferences: {name}")
            yield msgspec.structs.replace(found, source=f"the resource {name}")
    yield from _marked(daemonset)
    for place, entry in enumerate(_objects(meta.get("managedFields"))):
        manager = str(entry.get("manager") or "")
        if manager in _MANAGERS:
            yield _named(_MANAGERS[manager], manager, f"metadata.managedFields[{place}].manager={manager}")
    if _APPLIED in daemonset.annotations:
        yield _named(_APPLY, "kubectl apply", f"metadata.annotations.{_APPLIED}")


def _marked(daemonset: DaemonSet) -> Iterator[Owner]:
    told: set[str] = set()
    for place, key, holds, owner in _MARKS:
        value = (daemonset.labels if place == "labels" else daemonset.annotations).get(key)
        if value is not None and key not in told and holds(daemonset, value):
            told.add(key)
            yield _named(owner, value.partition(":")[0], f"metadata.{place}.{key}={value}")


def _named(owner: Owner, name: str, evidence: str) -> Owner:
    return msgspec.structs.replace(owner, name=name, evidence=evidence)


def at_its_source(owner: Owner, remedy: Remedy) -> Remedy:
    """The remedy as it holds for that owner: a patch that would be undone is one for the source, and kept as such."""
    if remedy.kind != "patch" or not owner.reverts:
        return remedy
    named = f"{owner.kind} {owner.name}".rstrip()
    return msgspec.structs.replace(
        remedy,
        kind="policy",
        summary=f"{remedy.summary}: not in the live object but in {owner.source}",
        why="; ".join(filter(None, (remedy.why, f"owned by {named}: a live edit is {owner.fate}"))),
    )


def _objects(found: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in found if isinstance(one, Mapping)) if isinstance(found, list) else iter(())
