"""Each owner by its own marks, which of several is the strongest, and what becomes of a patch."""

from __future__ import annotations

import json
from typing import Any

import pytest
from engine.build import daemonset, snapshot

from dscov.model.findings import Remedy
from dscov.model.owners import Owner, at_its_source, owner_of, owners_of

PATCH = Remedy("patch", "tolerate it", why="it is tainted", patch=({"op": "remove", "path": "/x"},))
HELM = {
    "labels": {"app.kubernetes.io/managed-by": "Helm"},
    "annotations": {"meta.helm.sh/release-name": "logs", "meta.helm.sh/release-namespace": "system"},
}
TRACKED = "shop:apps/DaemonSet:system/agent"


def label(key: str, value: str = "x") -> dict[str, Any]:
    return {"labels": {key: value}}


def annotation(key: str, value: str = "x") -> dict[str, Any]:
    return {"annotations": {key: value}}


def manager(name: str) -> dict[str, Any]:
    return {"managedFields": [{"manager": "kube-controller-manager"}, {"manager": name}]}


def reference(*, controller: bool) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": "ClusterPolicy", "name": "p", "uid": "u", "controller": controller}]}


def owned(metadata: dict[str, Any]) -> Owner:
    found = snapshot(daemonset(metadata=metadata)).daemonsets[0]
    return owner_of(found)


@pytest.mark.parametrize(
    ("metadata", "kind", "name", "kept"),
    [
        (reference(controller=True), "operator", "ClusterPolicy/p", False),
        (label("kustomize.toolkit.fluxcd.io/name", "infra"), "flux", "infra", False),
        (label("helm.toolkit.fluxcd.io/name", "infra"), "flux", "infra", False),
        (annotation("argocd.argoproj.io/tracking-id", TRACKED), "argocd", "shop", False),
        (label("argocd.argoproj.io/instance", "shop"), "argocd", "shop", False),
        (HELM, "helm", "logs", True),
        (label("addonmanager.kubernetes.io/mode", "Reconcile"), "addon", "Reconcile", False),
        (label("addonmanager.kubernetes.io/mode", "EnsureExists"), "addon", "EnsureExists", True),
        (label("kubernetes.io/cluster-service", "true"), "addon", "true", False),
        (label("kubernetes.azure.com/managedby", "aks"), "addon", "aks", False),
        (annotation("components.gke.io/component-name", "fluentbit"), "addon", "fluentbit", False),
        (annotation("objectset.rio.cattle.io/owner-name", "traefik"), "addon", "traefik", False),
        (label("svccontroller.k3s.cattle.io/svcname", "web"), "addon", "web", False),
        (label("olm.owner", "op.v1"), "operator", "op.v1", False),
        (label("kapp.k14s.io/app", "17"), "kapp", "17", True),
        (annotation("config.kubernetes.io/origin", "path: x"), "kustomize", "path", True),
        (manager("eks"), "addon", "eks", False),
        (manager("argocd-controller"), "argocd", "argocd-controller", False),
        (manager("Terraform"), "terraform", "Terraform", True),
        (annotation("kubectl.kubernetes.io/last-applied-configuration", "{}"), "none", "kubectl apply", True),
    ],
)
def test_owner(metadata: dict[str, Any], kind: str, name: str, kept: bool) -> None:
    owner = owned(metadata)
    assert (owner.kind, owner.name, not owner.reverts) == (kind, name, kept)
    assert owner.evidence
    assert owner.fate
    assert owner.source


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        reference(controller=False),
        label("app.kubernetes.io/managed-by", "Helm"),
        {**HELM, "labels": {}},
        annotation("argocd.argoproj.io/tracking-id", "shop:apps/DaemonSet:system/other"),
        annotation("argocd.argoproj.io/tracking-id", "shop:apps/Deployment:system/agent"),
        label("kubernetes.io/cluster-service", "false"),
        label("app.kubernetes.io/instance", "shop"),
        manager("kubectl-edit"),
        {"ownerReferences": None, "managedFields": None},
    ],
)
def test_nobody_owns_it(metadata: dict[str, Any]) -> None:
    assert owned(metadata) == Owner()


def test_flux_that_is_told_to_leave_it_keeps_edits() -> None:
    marks = label("kustomize.toolkit.fluxcd.io/name") | annotation("kustomize.toolkit.fluxcd.io/ssa", "Ignore")
    assert owned(marks).reverts is False


def test_the_strongest_comes_first_and_all_are_told() -> None:
    marks = json.loads(json.dumps(HELM))
    marks["labels"]["helm.toolkit.fluxcd.io/name"] = "logs"
    marks["labels"]["addonmanager.kubernetes.io/mode"] = "Reconcile"
    found = snapshot(daemonset(metadata=marks | reference(controller=True) | manager("helm"))).daemonsets[0]
    assert [owner.kind for owner in owners_of(found)] == ["operator", "flux", "helm", "addon", "helm"]


def test_a_patch_that_would_be_undone_is_one_for_the_source() -> None:
    owner = owned(label("addonmanager.kubernetes.io/mode", "Reconcile"))
    turned = at_its_source(owner, PATCH)
    assert (turned.kind, turned.patch) == ("policy", PATCH.patch)
    assert owner.source in turned.summary
    assert owner.fate in turned.why


@pytest.mark.parametrize("metadata", [{}, HELM, label("kapp.k14s.io/app")])
def test_a_patch_that_stays_stays_a_patch(metadata: dict[str, Any]) -> None:
    assert at_its_source(owned(metadata), PATCH) == PATCH


@pytest.mark.parametrize("kind", ["no-patch", "policy"])
def test_other_remedies_are_left_alone(kind: str) -> None:
    remedy = Remedy(kind, "do it elsewhere")
    assert at_its_source(owned(reference(controller=True)), remedy) == remedy
