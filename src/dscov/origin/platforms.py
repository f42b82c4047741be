"""Add-ons of platforms, OLM, kapp, Terraform, kustomize and plain manifests: where they take the object from.

Nothing more is read: what these keep lies outside of the cluster, or in the platform's hands.
"""

from __future__ import annotations

import json

from dscov.origin.fields import Way, nested
from dscov.origin.nouns import Case, Origin
from dscov.origin.texts import address, command, document

_SERVICE_LB = "svccontroller.k3s.cattle.io"
#: The annotations of a Service that ServiceLB heeds: k3s pkg/cloudprovider/servicelb.go.
_SERVICE_LB_KEYS = {"tolerations": "tolerations", "priorityClassName": "priorityclassname"}
#: Add-ons of EKS by the DaemonSets that they bring, and where their settings for them lie.
_EKS: dict[str, tuple[str, Way]] = {
    "aws-node": ("vpc-cni", ()),
    "kube-proxy": ("kube-proxy", ()),
    "ebs-csi-node": ("aws-ebs-csi-driver", ("node",)),
    "efs-csi-node": ("aws-efs-csi-driver", ("node",)),
    "eks-pod-identity-agent": ("eks-pod-identity-agent", ()),
}
_K3S_MANIFESTS = "/var/lib/rancher/k3s/server/manifests (rke2: /var/lib/rancher/rke2/server/manifests)"


def addon(case: Case) -> Origin:
    """An add-on of a platform, by the mark that told of it."""
    evidence = case.owner.evidence
    if "objectset.rio.cattle.io" in evidence:
        return _k3s(case)
    if _SERVICE_LB in evidence:
        return _service_lb(case)
    if "manager=eks" in evidence:
        return _eks(case)
    if "components.gke.io" in evidence or "kubernetes.azure.com" in evidence:
        note = "the platform makes the object: a field that its settings do not show cannot be kept changed"
        return _manifest(case, notes=(note,), commands=())
    note = "on the control plane the manifests lie in /etc/kubernetes/addons, if nobody moved them"
    return _manifest(case, notes=(note,))


def elsewhere(case: Case) -> Origin:
    """Owners that keep their sources outside of the cluster, and objects that nobody owns."""
    labels = case.daemonset.labels
    match case.owner.kind:
        case "operator":
            note = "OLM installs no DaemonSets itself: the operator makes it of a resource of its own, by its settings"
            package = labels.get("olm.owner", "")
            return Origin("operator", f"a resource of the operator {package}", notes=(note,), fate=case.owner.fate)
        case "kapp":
            return _manifest(case, place=f"the sources of the kapp app that is labelled {case.owner.name}")
        case "terraform":
            note = "the YAML is what a kubernetes_manifest holds; in a typed resource the same lies under spec"
            return _manifest(case, notes=(note,), commands=())
        case "kustomize":
            return _kustomize(case)
    if case.owner.source:
        return _manifest(case, place="the manifest that kubectl apply was given")
    note = "no mark tells of an owner: a live edit stays until somebody applies a manifest over it"
    return _manifest(case, place="the manifest of the DaemonSet, wherever it is kept", notes=(note,))


def _manifest(
    case: Case, *, place: str = "", notes: tuple[str, ...] = (), commands: tuple[str, ...] | None = None
) -> Origin:
    """The change as a part of the manifest, lists whole."""
    fix = command("kubectl", "dscov", "fix", *case.named, "-f", "FILE")
    return Origin(
        case.owner.kind,
        place or case.owner.source,
        text=case.manifest(),
        commands=fix if commands is None else commands,
        notes=notes,
        fate=case.owner.fate,
    )


def kept_live(case: Case) -> Origin:
    """An object whose owner leaves edits alone."""
    return Origin(
        case.owner.kind,
        "the live object itself, whose owner keeps edits",
        commands=command("kubectl", "dscov", "fix", *case.named),
        fate=case.owner.fate,
    )


def _kustomize(case: Case) -> Origin:
    """The mark that kustomize leaves with buildMetadata: [originAnnotations]: path, repo and ref, a line each."""
    held = case.daemonset.annotations.get("config.kubernetes.io/origin", "")
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in held.splitlines())}
    path, repository, ref = (told.get(key, "") for key in ("path", "repo", "ref"))
    where = f"{path} of {address(repository)}{f' at {ref}' if ref else ''}" if repository else path
    place = "the overlay that is applied here" + (f"; the object comes from {where}" if where else "")
    return Origin(
        "kustomize",
        place,
        text=case.overlay(),
        commands=command("kubectl", "dscov", "fix", *case.named, "-k", "FOLDER"),
        fate=case.owner.fate,
    )


def _k3s(case: Case) -> Origin:
    held = case.daemonset.annotations
    name = held.get("objectset.rio.cattle.io/owner-name", "")
    notes = ("packaged manifests are written anew when the server starts: for a packaged chart use a HelmChartConfig",)
    if not held.get("objectset.rio.cattle.io/owner-gvk", "").endswith("Kind=Addon"):
        notes = (f"owner: {held.get('objectset.rio.cattle.io/owner-gvk', '') or 'of a kind that is not told'}",)
    place = f"the manifest {name} on the servers, in {_K3S_MANIFESTS}"
    return _manifest(case, place=place, notes=notes)


def _service_lb(case: Case) -> Origin:
    labels = case.daemonset.labels
    name, namespace = (labels.get(f"{_SERVICE_LB}/{key}", "") for key in ("svcname", "svcnamespace"))
    known = {
        f"{_SERVICE_LB}/{_SERVICE_LB_KEYS[field.name]}": field.new
        if isinstance(field.new, str)
        else json.dumps(field.new or [])
        for field in case.fields
        if field.name in _SERVICE_LB_KEYS
    }
    others = [field.name for field in case.fields if field.name not in _SERVICE_LB_KEYS]
    meta = {"name": name, **({"namespace": namespace} if namespace else {}), "annotations": known}
    return Origin(
        "addon",
        f"the annotations of the Service {namespace or 'in its namespace'}/{name}",
        text=document({"apiVersion": "v1", "kind": "Service", "metadata": meta}) if known else "",
        notes=(
            "ServiceLB of k3s heeds these annotations since 2024; before, nothing keeps a change",
            *(f"it has no annotation for {other}" for other in others),
        ),
        fate=case.owner.fate,
    )


def _eks(case: Case) -> Origin:
    addon_name, way = _EKS.get(case.daemonset.name, ("ADDON", ()))
    values = nested(way, {field.name: field.new for field in case.fields})
    body = json.dumps(values, separators=(",", ":"))
    known = addon_name if addon_name != "ADDON" else "that brings the DaemonSet"
    return Origin(
        "addon",
        f"the configuration values of the EKS add-on {known}",
        text=document(values) if case.fields else "",
        commands=(
            f"aws eks describe-addon-configuration --addon-name {addon_name} --addon-version VERSION",
            *command(
                *("aws", "eks", "update-addon", "--cluster-name", "CLUSTER", "--addon-name", addon_name),
                *("--configuration-values", body, "--resolve-conflicts", "PRESERVE"),
            ),
        ),
        notes=("the first command shows which values the add-on takes; the second replaces all that were set before",),
        fate=case.owner.fate,
    )
