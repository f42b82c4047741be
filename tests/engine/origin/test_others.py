"""Helm releases, add-ons of platforms, and sources that lie outside of the cluster."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from engine.origin.played import ADD, GPU, SPOT, Json, Played, agent, data, looked, notes

from dscov.origin import origin_of
from dscov.origin.texts import address, command, dotted, folder, listing

FIX = "kubectl dscov fix daemonset/agent -n system"
MANIFEST = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "agent", "namespace": "system"},
    "spec": {"template": {"spec": {"tolerations": [SPOT, GPU]}}},
}


def label(key: str, value: str = "x") -> Json:
    return {"labels": {key: value}}


def annotation(key: str, value: str = "x") -> Json:
    return {"annotations": {key: value}}


def manager(name: str) -> Json:
    return {"managedFields": [{"manager": name}]}


def helm(release: str = "logs", namespace: str = "shop") -> Json:
    return {
        "labels": {"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "agent-1.2.3"},
        "annotations": {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace},
    }


# -- Helm ---------------------------------------------------------------------------------------------------------


def test_a_release() -> None:
    played = Played({})
    origin = origin_of(played, agent(helm(), tolerations=[SPOT]), ADD)  # type: ignore[arg-type]
    assert played.asked == []
    assert origin.place == "the values of the Helm release logs in namespace shop"
    assert origin.commands == (
        "helm get values logs -n shop -o yaml > values.yaml",
        f"{FIX} --values values.yaml --chart CHART",
        "helm upgrade logs CHART -n shop -f values.yaml",
    )
    assert "agent-1.2.3" in notes(origin)
    assert "the path of a value depends on the chart" in notes(origin)


def test_the_values_of_a_release() -> None:
    assert data(looked(helm())) == {"tolerations": [SPOT, GPU]}


@pytest.mark.parametrize("release", ["$(reboot)", "-x", "a b", "a\x1b[2J"])
def test_a_release_of_an_odd_name_gets_no_command(release: str) -> None:
    assert looked(helm(release)).commands == (f"{FIX} --values values.yaml --chart CHART",)
    assert looked(helm(namespace=release)).commands == (f"{FIX} --values values.yaml --chart CHART",)


def test_helm_by_its_manager_alone() -> None:
    origin = looked(manager("helm"))
    assert "whose name it does not tell" in origin.place
    assert origin.commands == (f"{FIX} --values values.yaml --chart CHART",)


# -- add-ons and the rest -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "place", "commands"),
    [
        (
            label("addonmanager.kubernetes.io/mode", "Reconcile"),
            "the add-on's manifest on the control plane",
            ("-f FILE",),
        ),
        (label("kubernetes.azure.com/managedby", "aks"), "the settings of the AKS add-on", ()),
        (annotation("components.gke.io/component-name"), "the settings of the cluster", ()),
        (
            annotation("objectset.rio.cattle.io/owner-name", "traefik"),
            "the manifest traefik on the servers",
            ("-f FILE",),
        ),
        (label("kapp.k14s.io/app", "17"), "the sources of the kapp app that is labelled 17", ("-f FILE",)),
        (manager("Terraform"), "the Terraform configuration", ()),
        (
            annotation("kubectl.kubernetes.io/last-applied-configuration", "{}"),
            "the manifest that kubectl",
            ("-f FILE",),
        ),
        ({}, "the manifest of the DaemonSet, wherever it is kept", ("-f FILE",)),
    ],
)
def test_the_manifest(metadata: Json, place: str, commands: tuple[str, ...]) -> None:
    origin = looked(metadata)
    assert origin.place.startswith(place)
    assert data(origin) == MANIFEST
    assert origin.commands == tuple(f"{FIX} {flag}" for flag in commands)


@pytest.mark.parametrize(
    "metadata",
    [
        label("addonmanager.kubernetes.io/mode", "EnsureExists"),
        label("addonmanager.kubernetes.io/mode", "EnsureExists") | {"annotations": {"x": "y"}},
    ],
)
def test_an_owner_that_keeps_edits(metadata: Json) -> None:
    origin = looked(metadata)
    assert origin.place == "the live object itself, whose owner keeps edits"
    assert origin.commands == (FIX,)


def test_flux_that_leaves_the_object_alone() -> None:
    marks = label("kustomize.toolkit.fluxcd.io/name") | annotation("kustomize.toolkit.fluxcd.io/ssa", "Ignore")
    origin = looked(marks)
    assert origin.place == "the live object itself, whose owner keeps edits"
    assert origin.commands == (FIX,)


def test_olm() -> None:
    origin = looked(label("olm.owner", "op.v1"))
    assert origin.place == "a resource of the operator op.v1"
    assert (origin.text, origin.commands) == ("", ())


def test_kustomize_tells_where_the_object_comes_from() -> None:
    told = "path: deploy/agent.yaml\nrepo: https://u:p@git.example.com/x\nref: v1\n"
    origin = looked(annotation("config.kubernetes.io/origin", told))
    assert origin.place.endswith("the object comes from deploy/agent.yaml of https://git.example.com/x at v1")
    assert data(origin)["patches"]
    assert origin.commands == (f"{FIX} -k FOLDER",)
    assert looked(annotation("config.kubernetes.io/origin", "x")).place == "the overlay that is applied here"


@pytest.mark.parametrize(
    ("name", "addon", "values"),
    [
        ("ebs-csi-node", "aws-ebs-csi-driver", {"node": {"tolerations": [SPOT, GPU]}}),
        ("aws-node", "vpc-cni", {"tolerations": [SPOT, GPU]}),
        ("other", "ADDON", {"tolerations": [SPOT, GPU]}),
    ],
)
def test_eks(name: str, addon: str, values: Json) -> None:
    origin = looked(manager("eks") | {"name": name})
    assert data(origin) == values
    show, update = map(shlex.split, origin.commands)
    assert show[show.index("--addon-name") + 1] == update[update.index("--addon-name") + 1] == addon
    assert json.loads(update[update.index("--configuration-values") + 1]) == values


def test_service_lb() -> None:
    marks = {"svcname": "web", "svcnamespace": "shop"}
    metadata = {"labels": {f"svccontroller.k3s.cattle.io/{key}": value for key, value in marks.items()}}
    patch = [*ADD, {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"a": "b"}}]
    origin = looked(metadata, patch=patch, hostNetwork=True)
    assert origin.place == "the annotations of the Service shop/web"
    found = data(origin)["metadata"]
    assert (found["name"], found["namespace"]) == ("web", "shop")
    assert json.loads(found["annotations"]["svccontroller.k3s.cattle.io/tolerations"]) == [GPU]
    assert "it has no annotation for nodeSelector" in notes(origin)


def test_a_field_that_goes() -> None:
    origin = looked({}, patch=[{"op": "remove", "path": "/spec/template/spec/tolerations"}])
    assert data(origin)["spec"]["template"]["spec"] == {"tolerations": []}


def test_a_field_of_the_daemonset_itself() -> None:
    origin = looked({}, patch=[{"op": "add", "path": "/spec/minReadySeconds", "value": 7}])
    assert data(origin)["spec"] == {"minReadySeconds": 7}


# -- text from a cluster ------------------------------------------------------------------------------------------

NASTY = "x\x1b[2J\u202e\n- evil: '1'\"\u2028 #: {{ y }}"


def test_nasty_values_stay_values() -> None:
    nasty = {"key": NASTY, "operator": "Exists"}
    patch: Any = [{"op": "add", "path": "/spec/template/spec/tolerations", "value": [nasty]}]
    for metadata in (helm(), {}, label("kapp.k14s.io/app", NASTY), label("kustomize.toolkit.fluxcd.io/name", NASTY)):
        origin = looked(metadata, patch=patch)
        assert origin.text.replace("\n", "").isprintable()
        assert all(words.isprintable() for words in origin.commands)
        found = data(origin)
        if "patches" not in found:
            found = found.get("spec", {}).get("template", {}).get("spec") or found
            assert found["tolerations"] == [nasty]


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("./a//b/", "a/b"),
        ("", "."),
        ("/", "."),
        ("a/../b", "FOLDER"),
        ("-x", "./-x"),
        ("a\nb", "FOLDER"),
        ("a b", "a b"),
    ],
)
def test_folder(path: str, word: str) -> None:
    assert folder(path) == word


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@host.example/x?y#z", "https://host.example/x?y#z"),
        ("https://me:p@w@host.example/x", "https://host.example/x"),
        ("ssh://git@host.example:22/x", "ssh://host.example:22/x"),
        ("git@host.example:x.git", "git@host.example:x.git"),
        ("https://me:pw@[bad/x", "https://[bad/x"),
        ("", ""),
    ],
)
def test_addresses_show_no_password(url: str, shown: str) -> None:
    assert address(url) == shown


def test_words() -> None:
    assert command("a", "b c", "$(d)") == ("a 'b c' '$(d)'",)
    assert command("a", "\x1b") == ()
    assert listing(list("abcdefg")) == "a, b, c, d, e and 2 more"
    assert dotted(("a", "b.c")) == "a.b\\.c"
