"""Flux: what is read of its resources, and what is said where they cannot be read."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from engine.origin.played import ADD, FORBIDDEN, GPU, SPOT, Json, Played, agent, data, looked, notes

from dscov.errors import BadAccess, CouldNotLook
from dscov.origin import origin_of

HELM, KUSTOMIZE = "helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io"
RELEASE = "/apis/helm.toolkit.fluxcd.io/v2/namespaces/flux-system/helmreleases/logs"
OLD_RELEASE = RELEASE.replace("/v2/", "/v2beta2/")
KUSTOMIZATION = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations/infra"
OLD_KUSTOMIZATION = KUSTOMIZATION.replace("/v1/", "/v1beta2/")
REPOSITORY = "/apis/source.toolkit.fluxcd.io/v1/namespaces/flux-system/gitrepositories/fleet"
GIT = {"spec": {"url": "https://me:secret@git.example.com/fleet.git", "ref": {"branch": "main"}}}


def marks(group: str, name: str) -> Json:
    return {"labels": {f"{group}/name": name, f"{group}/namespace": "flux-system"}}


def release(values: Any = None, *, metadata: Json | None = None, **spec: Any) -> Json:
    meta = {"name": "logs", "namespace": "flux-system", **(metadata or {})}
    return {"metadata": meta, "spec": {"values": values, **spec}}


def kustomization(**spec: Any) -> Json:
    meta = {"name": "infra", "namespace": "flux-system"}
    return {
        "metadata": meta,
        "spec": {"path": "./clusters/prod", "sourceRef": {"kind": "GitRepository", "name": "fleet"}, **spec},
    }


def released(answers: Json, **more: Any) -> Any:
    return looked(marks(HELM, "logs"), answers, **more)


# -- HelmRelease --------------------------------------------------------------------------------------------------


def test_the_value_that_the_daemonset_has() -> None:
    values = {"image": {"tag": "2"}, "agent": {"daemon": {"tolerations": [SPOT]}}, "tolerations": []}
    origin = released({RELEASE: release(values)})
    assert origin.place == "spec.values of the Flux HelmRelease flux-system/logs"
    assert data(origin) == {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "logs", "namespace": "flux-system"},
        "spec": {"values": {"agent": {"daemon": {"tolerations": [SPOT, GPU]}}}},
    }
    assert "named alike" not in notes(origin)
    (command,) = origin.commands
    *words, patch = shlex.split(command)
    assert words == [
        *("kubectl", "patch", "helmreleases.v2.helm.toolkit.fluxcd.io", "logs"),
        *("-n", "flux-system", "--type=merge", "-p"),
    ]
    assert json.loads(patch) == {"spec": data(origin)["spec"]}


def test_an_older_version() -> None:
    origin = released({OLD_RELEASE: release({"tolerations": [SPOT]})})
    assert data(origin)["apiVersion"] == "helm.toolkit.fluxcd.io/v2beta2"
    assert "helmreleases.v2beta2." in origin.commands[0]


def test_a_value_that_is_named_alike_keeps_what_it_has() -> None:
    origin = released({RELEASE: release({"gateway": {"tolerations": []}, "agent": {"tolerations": [{"key": "own"}]}})})
    assert data(origin)["spec"]["values"] == {"agent": {"tolerations": [{"key": "own"}, GPU]}}
    assert "spec.values: agent.tolerations is named alike, but is not what the DaemonSet has now" in notes(origin)
    assert "it may be gateway.tolerations instead" in notes(origin)


def test_a_value_for_another_workload_is_not_taken() -> None:
    origin = released({RELEASE: release({"controller": {"tolerations": []}})})
    assert data(origin)["spec"]["values"] == {"tolerations": [SPOT, GPU]}
    assert origin.commands == ()


def test_two_values_that_are_the_same() -> None:
    origin = released({RELEASE: release({"blue": {"tolerations": [SPOT]}, "grey": {"tolerations": [SPOT]}})})
    assert data(origin)["spec"]["values"] == {"blue": {"tolerations": [SPOT, GPU]}}
    assert "it may be grey.tolerations instead" in notes(origin)


def test_no_such_value() -> None:
    origin = released({RELEASE: release({"image": {"tag": "2"}})})
    assert data(origin)["spec"]["values"] == {"tolerations": [SPOT, GPU]}
    assert "spec.values sets no tolerations: the path depends on the chart" in notes(origin)
    assert origin.commands == ()


def test_a_list_of_its_own_where_there_was_none() -> None:
    origin = released({RELEASE: release({"tolerations": []})}, patch=ADD, hostNetwork=True)
    assert data(origin)["spec"]["values"] == {"tolerations": [GPU]}


def test_a_label_that_goes() -> None:
    patch = [{"op": "replace", "path": "/spec/template/spec/nodeSelector", "value": {"disk": "nvme"}}]
    old = {"disk": "ssd", "zone": "a"}
    origin = released({RELEASE: release({"nodeSelector": old})}, patch=patch, nodeSelector=old)
    assert data(origin)["spec"]["values"] == {"nodeSelector": {"disk": "nvme", "zone": None}}


def test_who_applies_the_release() -> None:
    one = release({"tolerations": [SPOT]}, metadata=marks(KUSTOMIZE, "infra"))
    origin = released({RELEASE: one, KUSTOMIZATION: kustomization(), REPOSITORY: GIT})
    assert origin.place == (
        "spec.values of the Flux HelmRelease flux-system/logs, applied by the Flux Kustomization flux-system/infra: "
        "the folder clusters/prod of GitRepository flux-system/fleet (https://git.example.com/fleet.git, branch main)"
    )
    assert origin.commands == ()


@pytest.mark.parametrize(
    ("spec", "fate"),
    [
        ({}, "undone at the next upgrade of the release (drift detection is off)"),
        (
            {"driftDetection": {"mode": "warn"}},
            "undone at the next upgrade of the release (drift detection is warn only)",
        ),
        (
            {"driftDetection": {"mode": "enabled"}},
            "undone at the next reconciliation, since drift detection is enabled",
        ),
        ({"suspend": True}, "kept as long as the HelmRelease is suspended"),
    ],
)
def test_the_fate_is_that_of_its_settings(spec: Json, fate: str) -> None:
    assert released({RELEASE: release({"tolerations": [SPOT]}, **spec)}).fate == fate


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"suspend": True}, "it is suspended"),
        ({"valuesFrom": [{"kind": "Secret", "name": "own"}]}, "values from Secret own too: not read; spec.values over"),
        ({"postRenderers": [{"kustomize": {}}]}, "spec.postRenderers change what the chart makes"),
    ],
)
def test_what_else_may_set_it(spec: Json, said: str) -> None:
    assert said in notes(released({RELEASE: release({"tolerations": [SPOT]}, **spec)}))


def test_values_from_elsewhere_may_hold_the_list() -> None:
    origin = released({RELEASE: release({}, valuesFrom=[{"kind": "ConfigMap", "name": "own"}])})
    assert "ConfigMap own too: not read and may hold the list that is written out here" in notes(origin)


def test_the_chart_is_named() -> None:
    chart = {"spec": {"chart": "fluent-bit", "version": "0.4", "sourceRef": {"kind": "HelmRepository", "name": "f"}}}
    held = "/apis/source.toolkit.fluxcd.io/v1/namespaces/flux-system/helmrepositories/f"
    origin = released({RELEASE: release({}, chart=chart), held: {"spec": {"url": "https://charts.example.com"}}})
    assert "(chart fluent-bit 0.4 of HelmRepository flux-system/f (https://charts.example.com))" in origin.place
    origin = released({RELEASE: release({}, chartRef={"kind": "OCIRepository", "name": "f", "namespace": "o"})})
    assert "(chart of OCIRepository o/f, which is not in this cluster)" in origin.place


# -- Kustomization ------------------------------------------------------------------------------------------------


def kustomized(answers: Json, **more: Any) -> Any:
    return looked(marks(KUSTOMIZE, "infra"), answers, **more)


def test_the_folder_of_a_kustomization() -> None:
    origin = kustomized({KUSTOMIZATION: kustomization(), REPOSITORY: GIT})
    assert origin.place == (
        "the Flux Kustomization flux-system/infra: the folder clusters/prod of GitRepository flux-system/fleet "
        "(https://git.example.com/fleet.git, branch main)"
    )
    assert origin.commands == ("kubectl dscov fix daemonset/agent -n system -k clusters/prod",)
    (entry,) = data(origin)["patches"]
    assert entry["target"] == {"kind": "DaemonSet", "name": "agent", "namespace": "system"}
    assert "key: gpu" in entry["patch"]
    assert "secret" not in str(origin)


def test_an_older_kustomization() -> None:
    origin = kustomized({OLD_KUSTOMIZATION: kustomization(path="", sourceRef={"kind": "Bucket", "name": "b"})})
    assert origin.place.endswith("the root of Bucket flux-system/b, which is not in this cluster")
    assert origin.commands[0].endswith("-k .")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"suspend": True}, "it is suspended"),
        ({"patches": [{"patch": "x"}]}, "spec.patches of the Kustomization comes last"),
        ({"namePrefix": "a-", "targetNamespace": "b"}, "sets namePrefix and targetNamespace"),
        ({"postBuild": {"substitute": {"a": "b"}}}, "substitutes variables"),
    ],
)
def test_what_else_the_kustomization_does(spec: Json, said: str) -> None:
    assert said in notes(kustomized({KUSTOMIZATION: kustomization(**spec), REPOSITORY: GIT}))


def test_a_suspended_kustomization_keeps_an_edit() -> None:
    origin = kustomized({KUSTOMIZATION: kustomization(suspend=True), REPOSITORY: GIT})
    assert origin.fate == "kept as long as the Flux Kustomization flux-system/infra is suspended"


@pytest.mark.parametrize("path", ["../../etc", "a/../../b", "x\x1b[2J", "a\u202eb"])
def test_a_path_that_leads_astray_is_not_in_a_command(path: str) -> None:
    origin = kustomized({KUSTOMIZATION: kustomization(path=path), REPOSITORY: GIT})
    assert origin.commands == ("kubectl dscov fix daemonset/agent -n system -k FOLDER",)


@pytest.mark.parametrize(("path", "word"), [("a b; rm -rf $HOME", "'a b; rm -rf $HOME'"), ("-x", "./-x")])
def test_a_path_is_quoted(path: str, word: str) -> None:
    origin = kustomized({KUSTOMIZATION: kustomization(path=path), REPOSITORY: GIT})
    assert origin.commands[0].endswith(f"-k {word}")


# -- what cannot be read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", [HELM, KUSTOMIZE])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "is not in this cluster; Flux may run in another cluster"),
        (FORBIDDEN, 'may not be read (User "x" cannot get it)'),
        (CouldNotLook("the connection broke"), "could not be read (the connection broke)"),
        ([], "could not be read (the answer is no object)"),
    ],
)
def test_what_cannot_be_read_is_said(group: str, answer: Any, said: str) -> None:
    path = RELEASE if group == HELM else KUSTOMIZATION
    origin = looked(marks(group, "logs" if group == HELM else "infra"), {path: answer} if answer is not None else {})
    assert said in notes(origin)
    assert "gpu" in origin.text
    assert origin.fate


def test_bad_access_ends_it() -> None:
    with pytest.raises(BadAccess):
        released({RELEASE: BadAccess("you must be logged in")})


@pytest.mark.parametrize("name", ["../../../../api/v1/secrets", "a/b", "A", "a\x00"])
def test_names_that_no_server_stores_are_not_asked_for(name: str) -> None:
    played = Played({})
    origin = origin_of(played, agent(marks(HELM, name), tolerations=[SPOT]), ADD)  # type: ignore[arg-type]
    assert played.asked == []
    assert "has a name that no server stores" in notes(origin)


@pytest.mark.parametrize(
    "spec", [None, [], "x", {"values": [1]}, {"values": {"tolerations": {"a": 1}}, "valuesFrom": 7}]
)
def test_a_shape_of_nobody(spec: Any) -> None:
    origin = released({RELEASE: {"metadata": None, "spec": spec}})
    assert data(origin)["spec"]["values"] == {"tolerations": [SPOT, GPU]}
    assert kustomized({KUSTOMIZATION: {"spec": spec}}).text


def test_a_manager_without_a_label() -> None:
    origin = looked({"managedFields": [{"manager": "kustomize-controller"}]})
    assert "no label of it tells which Kustomization" in notes(origin)
    assert data(origin)["patches"]


def test_helm_beside_flux_is_no_news_but_argo_is() -> None:
    metadata = marks(HELM, "logs")
    metadata["labels"] |= {"app.kubernetes.io/managed-by": "Helm", "argocd.argoproj.io/instance": "shop"}
    metadata["annotations"] = {"meta.helm.sh/release-name": "logs", "meta.helm.sh/release-namespace": "x"}
    origin = looked(metadata, {RELEASE: release({"tolerations": [SPOT]})})
    assert "marked as owned by argocd shop too" in notes(origin)
    assert "owned by helm" not in notes(origin)


def test_a_patch_that_does_not_apply() -> None:
    origin = released({RELEASE: release({"tolerations": [SPOT]})}, patch=[{"op": "remove", "path": "/spec/nothing"}])
    assert origin.text == ""
    assert origin.commands == ()
    assert "the patch does not apply to the object as it was read" in notes(origin)


def test_a_patch_of_nothing() -> None:
    assert "the patch changes no field" in notes(kustomized({KUSTOMIZATION: kustomization()}, patch=[]))
