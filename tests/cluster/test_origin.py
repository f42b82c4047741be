"""Origins on a real API server: kinds of GitOps tools and of an operator, defined here in their makers' shape.

The commands that are offered are run, and what they did is looked at.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from engine.build import snapshot

from cluster.api import ApiRefused, Object, wait_until
from cluster.handle import Cluster
from cluster.objects import daemonset
from dscov import Origin, Overrides, origin_of, resolve
from dscov.sources.access.transport import Transport

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TEXT = {"type": "string"}
TOLERATION = {"type": "object", "properties": dict.fromkeys(("key", "operator", "value", "effect"), TEXT)}
TOLERATIONS = {"type": "array", "items": TOLERATION}
SPOT = {"key": "spot", "operator": "Exists", "effect": "NoSchedule"}
GPU = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
PATCH = [{"op": "add", "path": "/spec/template/spec/tolerations/-", "value": GPU}]
FLEET = {
    "type": "object",
    "properties": {
        "gateway": {"type": "object", "properties": {"tolerations": TOLERATIONS}},
        "agent": {
            "type": "object",
            "properties": {
                "tolerations": TOLERATIONS,
                "nodeSelector": {"type": "object", "additionalProperties": TEXT},
            },
        },
        "pools": {"type": "array", "items": {"type": "object", "properties": {"tolerations": TOLERATIONS}}},
    },
}
KINDS: dict[str, tuple[str, str, str, Any]] = {
    "HelmRelease": ("helm.toolkit.fluxcd.io", "v2", "helmreleases", ANYTHING),
    "Kustomization": ("kustomize.toolkit.fluxcd.io", "v1", "kustomizations", ANYTHING),
    "GitRepository": ("source.toolkit.fluxcd.io", "v1", "gitrepositories", ANYTHING),
    "Application": ("argoproj.io", "v1alpha1", "applications", ANYTHING),
    "Fleet": ("agents.example.com", "v1", "fleets", FLEET),
}


def definition(kind: str) -> Object:
    group, version, plural, spec = KINDS[kind]
    schema = {"type": "object", "properties": {"spec": spec, "status": ANYTHING}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


@pytest.fixture(scope="module")
def kinds(cluster: Cluster) -> Iterator[None]:
    """The kinds, served and with their schemas published."""
    for kind in KINDS:
        cluster.api.request("POST", CRDS, definition(kind))
    for kind, (group, version, plural, _) in KINDS.items():
        wait_until(lambda g=group, v=version, k=kind: published(cluster, g, v, k), 60, f"the schema of {plural}")
    yield
    for group, _, plural, _ in KINDS.values():
        cluster.api.raw("DELETE", f"{CRDS}/{plural}.{group}")


def published(cluster: Cluster, group: str, version: str, kind: str) -> bool:
    try:
        return f'"{kind}"'.encode() in cluster.api.raw("GET", f"/openapi/v3/apis/{group}/{version}")
    except ApiRefused:
        return False


def made(cluster: Cluster, kind: str, namespace: str, name: str, **more: Any) -> Object:
    group, version, plural, _ = KINDS[kind]
    metadata = {"name": name, "namespace": namespace, **more.pop("metadata", {})}
    body = {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": metadata, **more}
    return cluster.api.request("POST", f"/apis/{group}/{version}/namespaces/{namespace}/{plural}", body)


def stored(cluster: Cluster, kind: str, namespace: str, name: str) -> Any:
    group, version, plural, _ = KINDS[kind]
    return cluster.api.request("GET", f"/apis/{group}/{version}/namespaces/{namespace}/{plural}/{name}")["spec"]


def origin(cluster: Cluster, namespace: str, metadata: Object, *, kubeconfig: Any = None) -> Origin:
    """The origin of the DaemonSet fleet-agent with these marks, that tolerates spot and is to tolerate gpu nodes."""
    wanted = daemonset("fleet-agent", namespace, pod={"tolerations": [SPOT]})
    wanted["metadata"] |= metadata
    obj = cluster.api.create(wanted)
    found = snapshot({"apiVersion": "apps/v1", "kind": "DaemonSet", **obj}).daemonsets[0]
    with Transport(resolve(Overrides(kubeconfig=str(kubeconfig or cluster.kubeconfig)), {})) as transport:
        return origin_of(transport, found, PATCH)


def run(cluster: Cluster, origin: Origin) -> None:
    for command in origin.commands:
        program, *words = shlex.split(command)
        assert program == "kubectl"
        cluster.kubectl(*words)


@pytest.mark.usefixtures("kinds")
def test_an_operator(cluster: Cluster, namespace: str) -> None:
    fleet = made(cluster, "Fleet", namespace, "main", spec={"agent": {"tolerations": [{"key": "own"}]}, "pools": []})
    reference = {
        "apiVersion": "agents.example.com/v1",
        "kind": "Fleet",
        "name": "main",
        "uid": fleet["metadata"]["uid"],
        "controller": True,
    }
    found = origin(cluster, namespace, {"ownerReferences": [reference]})
    assert found.place == f"spec.agent.tolerations of the Fleet {namespace}/main"
    assert "it may be spec.gateway.tolerations instead" in "\n".join(found.notes)
    assert "spec.pools.[].tolerations" in "\n".join(found.notes)
    run(cluster, found)
    spec = stored(cluster, "Fleet", namespace, "main")
    assert spec == {"agent": {"tolerations": [{"key": "own"}, GPU]}, "pools": []}
    assert yaml.safe_load(found.text)["spec"] == {"agent": spec["agent"]}


@pytest.mark.usefixtures("kinds")
def test_a_helm_release_of_flux(cluster: Cluster, namespace: str) -> None:
    values = {"image": {"tag": "2"}, "daemon": {"tolerations": [SPOT]}}
    made(cluster, "HelmRelease", namespace, "logs", spec={"values": values, "driftDetection": {"mode": "enabled"}})
    group = "helm.toolkit.fluxcd.io"
    found = origin(cluster, namespace, {"labels": {f"{group}/name": "logs", f"{group}/namespace": namespace}})
    assert "drift detection is enabled" in found.fate
    run(cluster, found)
    after = {"image": {"tag": "2"}, "daemon": {"tolerations": [SPOT, GPU]}}
    assert stored(cluster, "HelmRelease", namespace, "logs")["values"] == after


@pytest.mark.usefixtures("kinds")
def test_a_kustomization_of_flux(cluster: Cluster, namespace: str) -> None:
    made(cluster, "GitRepository", namespace, "fleet", spec={"url": "https://git.example.com/f", "ref": {"tag": "v1"}})
    spec = {"path": "./prod", "sourceRef": {"kind": "GitRepository", "name": "fleet"}}
    made(cluster, "Kustomization", namespace, "infra", spec=spec)
    group = "kustomize.toolkit.fluxcd.io"
    found = origin(cluster, namespace, {"labels": {f"{group}/name": "infra", f"{group}/namespace": namespace}})
    assert found.place.endswith(
        f"the folder prod of GitRepository {namespace}/fleet (https://git.example.com/f, tag v1)"
    )
    assert found.commands == (f"kubectl dscov fix daemonset/fleet-agent -n {namespace} -k prod",)


@pytest.mark.usefixtures("kinds")
def test_an_application_of_argo(cluster: Cluster, namespace: str) -> None:
    source = {
        "repoURL": "https://charts.example.com",
        "chart": "agent",
        "helm": {"valuesObject": {"tolerations": [SPOT]}},
    }
    policy = {"automated": {"selfHeal": True}}
    made(cluster, "Application", namespace, f"shop-{namespace}", spec={"source": source, "syncPolicy": policy})
    tracking = f"shop-{namespace}:apps/DaemonSet:{namespace}/fleet-agent"
    found = origin(cluster, namespace, {"annotations": {"argocd.argoproj.io/tracking-id": tracking}})
    assert found.fate == "reverted within seconds (self-heal is on)"
    values = yaml.safe_load(found.text)["spec"]["source"]["helm"]["valuesObject"]
    assert values == {"tolerations": [SPOT, GPU]}


@pytest.mark.usefixtures("kinds")
def test_a_user_who_may_read_nothing(cluster: Cluster, namespace: str) -> None:
    nobody = cluster.user([])
    tracking = f"shop:apps/DaemonSet:{namespace}/fleet-agent"
    found = origin(cluster, namespace, {"annotations": {"argocd.argoproj.io/tracking-id": tracking}}, kubeconfig=nobody)
    assert "the application may not be read" in found.notes[0]
    assert "forbidden" in found.notes[0]
    assert yaml.safe_load(found.text)["spec"]["template"]["spec"] == {"tolerations": [SPOT, GPU]}


def test_an_application_that_is_nowhere(cluster: Cluster, namespace: str) -> None:
    found = origin(cluster, namespace, {"labels": {"argocd.argoproj.io/instance": "nowhere"}})
    assert "is not in this cluster; Argo CD may run in another one" in found.notes[0]
