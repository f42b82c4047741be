"""Argo CD: which application it is, what its settings mean for a live edit, and the patch in terms of its source."""

from __future__ import annotations

from typing import Any

import pytest
from engine.origin.played import ADD, FORBIDDEN, GPU, SPOT, Json, Played, agent, data, looked, notes

from dscov.errors import CouldNotLook
from dscov.origin import origin_of

ALL = "/apis/argoproj.io/v1alpha1/applications"
HOME = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop"
URL = "https://git.example.com/shop.git"
MINE = {"group": "apps", "kind": "DaemonSet", "namespace": "system", "name": "agent"}
FOLDER = {"repoURL": URL, "path": "apps/agent", "targetRevision": "main"}
CHART = {"repoURL": "https://charts.example.com", "chart": "agent", "targetRevision": "1.2.3"}
FIX = "kubectl dscov fix daemonset/agent -n system"


def tracked(app: str = "shop", of: str = "system/agent") -> Json:
    return {"annotations": {"argocd.argoproj.io/tracking-id": f"{app}:apps/DaemonSet:{of}"}}


def labelled(app: str = "shop") -> Json:
    return {"labels": {"argocd.argoproj.io/instance": app}}


def application(*sources: Json, name: str = "shop", namespace: str = "argocd", told: Any = "", **spec: Any) -> Json:
    given = {"source": sources[0]} if len(sources) == 1 else {"sources": list(sources)}
    status = {"sourceType": told} if isinstance(told, str) else {"sourceTypes": told}
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**given, **spec},
        "status": {**status, "resources": [MINE]},
    }


def kept(*sources: Json, metadata: Json | None = None, patch: Any = None, **more: Any) -> Any:
    answers = {ALL: {"items": [application(*sources, **more)]}}
    return looked(metadata or tracked(), answers, **({"patch": patch} if patch else {}))


# -- which application --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metadata", [tracked(), labelled()])
def test_by_name_in_all_namespaces(metadata: Json) -> None:
    played = Played({ALL: {"items": [application(FOLDER)]}})
    origin = origin_of(played, agent(metadata, tolerations=[SPOT]), ADD)  # type: ignore[arg-type]
    assert played.asked == [ALL]
    assert played.queries == [{"fieldSelector": "metadata.name=shop"}]
    assert origin.place == f"the path apps/agent of {URL} at main of the Argo CD application argocd/shop"


def test_in_argocd_where_it_may_not_list() -> None:
    origin = looked(tracked(), {ALL: FORBIDDEN, HOME: application(FOLDER)})
    assert "argocd/shop" in origin.place


def test_in_a_namespace_of_its_own() -> None:
    path = HOME.replace("argocd", "team")
    origin = looked(tracked("team_shop"), {path: application(FOLDER, namespace="team")})
    assert "team/shop" in origin.place


def test_the_application_that_lists_the_object() -> None:
    other = application({"repoURL": "x", "path": "y"}, namespace="other")
    other["status"]["resources"] = [{**MINE, "name": "agent2"}]
    origin = looked(labelled(), {ALL: {"items": [other, application(FOLDER)]}})
    assert "argocd/shop" in origin.place
    assert "other applications" not in notes(origin)


def test_two_that_it_may_be() -> None:
    origin = looked(labelled(), {ALL: {"items": [application(FOLDER), application(FOLDER, namespace="b")]}})
    assert origin.notes[0] == "other applications that it may be: b/shop"


def test_without_a_name_by_what_they_list() -> None:
    other = application(CHART, name="other")
    other["status"]["resources"] = []
    metadata: Json = {"managedFields": [{"manager": "argocd-controller"}]}
    assert "argocd/shop" in looked(metadata, {ALL: {"items": [other, application(FOLDER)]}}).place
    origin = looked(metadata, {ALL: {"items": [other]}})
    assert "the application none of the applications lists this object" in notes(origin)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, "the application is not in this cluster; Argo CD may run in another one"),
        ({ALL: {"items": []}}, "the application is not in this cluster; Argo CD may run in another one"),
        ({ALL: FORBIDDEN, HOME: FORBIDDEN}, 'the application may not be read (User "x" cannot get it)'),
        ({ALL: CouldNotLook("silence"), HOME: CouldNotLook("silence")}, "could not be read (silence)"),
    ],
)
def test_what_cannot_be_read_is_said(answers: Json, said: str) -> None:
    origin = looked(tracked(), answers)
    assert said in notes(origin)
    assert origin.place == "the repository of the Argo CD application shop"
    assert data(origin)["spec"]["template"]["spec"] == {"tolerations": [SPOT, GPU]}
    assert origin.commands == (f"{FIX} -f FILE",)
    assert origin.fate == "reverted at once with self-heal, else at the next sync"


@pytest.mark.parametrize("name", ["../x", "$(reboot)", "a b", "_x"])
def test_names_that_no_server_stores_are_not_asked_for(name: str) -> None:
    played = Played({})
    origin_of(played, agent(tracked(name), tolerations=[SPOT]), ADD)  # type: ignore[arg-type]
    assert played.asked == []


# -- what becomes of a live edit ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "fate"),
    [
        (None, "reverted when somebody syncs"),
        ({}, "reverted when somebody syncs"),
        ({"automated": {}}, "reverted at the next commit or sync (self-heal is off)"),
        ({"automated": {"selfHeal": True}}, "reverted within seconds (self-heal is on)"),
        ({"automated": {"selfHeal": True, "enabled": False}}, "reverted when somebody syncs"),
        ({"automated": None}, "reverted when somebody syncs"),
    ],
)
def test_fate(policy: Any, fate: str) -> None:
    assert fate in kept(FOLDER, syncPolicy=policy).fate


@pytest.mark.parametrize(
    ("options", "said"), [([], "yet a sync still writes it"), (["RespectIgnoreDifferences=true"], "a live edit stays")]
)
def test_ignored_differences(options: list[str], said: str) -> None:
    ignored = [{"kind": "DaemonSet", "jsonPointers": ["/spec/template/spec/tolerations"]}]
    assert said in notes(kept(FOLDER, ignoreDifferences=ignored, syncPolicy={"syncOptions": options}))
    other = [{"kind": "Deployment", "jsonPointers": ["/spec/template/spec/tolerations"]}]
    assert "ignoreDifferences" not in notes(kept(FOLDER, ignoreDifferences=other))


def test_who_makes_the_application() -> None:
    one = application(FOLDER)
    one["metadata"]["ownerReferences"] = [{"kind": "ApplicationSet", "name": "all", "controller": True}]
    assert "made by the ApplicationSet all" in notes(looked(tracked(), {ALL: {"items": [one]}}))
    one = application(FOLDER)
    one["metadata"]["annotations"] = {
        "argocd.argoproj.io/tracking-id": "root:argoproj.io/Application:argocd/shop",
    }
    assert "kept by the Argo CD application root" in notes(looked(tracked(), {ALL: {"items": [one]}}))


# -- the source ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "told", "flag"),
    [
        ({**FOLDER, "kustomize": {"namePrefix": "x"}}, "", "-k apps/agent"),
        (FOLDER, "Kustomize", "-k apps/agent"),
        (FOLDER, "Directory", "-f apps/agent"),
        ({**FOLDER, "directory": {"recurse": True}}, "", "-f apps/agent"),
        (FOLDER, "", "-f apps/agent"),
        ({**FOLDER, "path": "."}, "Directory", "-f ."),
        ({**FOLDER, "helm": {"valueFiles": ["prod.yaml"]}}, "", "--values FILE --chart apps/agent"),
        (FOLDER, "Helm", "--chart apps/agent"),
        ({**CHART, "helm": {"valueFiles": ["prod.yaml"]}}, "", "--values FILE --chart CHART"),
    ],
)
def test_the_command(source: Json, told: str, flag: str) -> None:
    assert kept(source, told=told).commands == (f"{FIX} {flag}",)


def test_a_source_of_unknown_kind_is_said_to_be() -> None:
    assert "what kind of source it is was not seen" in notes(kept(FOLDER))
    assert "what kind" not in notes(kept(FOLDER, told="Directory"))


def test_a_kustomization() -> None:
    origin = kept({**FOLDER, "kustomize": {"patches": [{"patch": "x"}]}})
    assert "key: gpu" in data(origin)["patches"][0]["patch"]
    assert "kustomize.patches of the application comes last" in notes(origin)


def test_a_folder_gets_the_manifest() -> None:
    assert data(kept(FOLDER, told="Directory")) == {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent", "namespace": "system"},
        "spec": {"template": {"spec": {"tolerations": [SPOT, GPU]}}},
    }


def test_a_plugin() -> None:
    origin = kept(FOLDER, told="Plugin")
    assert "a plugin makes the manifests" in notes(origin)
    assert origin.commands == ()


def test_values_as_an_object() -> None:
    origin = kept({**CHART, "helm": {"valuesObject": {"daemon": {"tolerations": [SPOT]}}}})
    assert origin.place == (
        "spec.source.helm.valuesObject for the chart agent of https://charts.example.com at 1.2.3 "
        "of the Argo CD application argocd/shop"
    )
    assert data(origin) == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {"source": {"helm": {"valuesObject": {"daemon": {"tolerations": [SPOT, GPU]}}}}},
    }
    assert origin.commands == ()


def test_values_as_text() -> None:
    values = "spot: &spot\n- {key: spot, operator: Exists, effect: NoSchedule}\ndaemon: {tolerations: *spot}\n"
    origin = kept({**CHART, "helm": {"values": values}})
    assert origin.place.startswith("spec.source.helm.values for the chart agent")
    assert data(origin) == {"daemon": {"tolerations": [SPOT, GPU]}}


@pytest.mark.parametrize(
    "values",
    ["a: [", "- 1", "a: !!binary x", "x" * 600_000, "[" * 500, "null"],
)
def test_values_that_nobody_can_read(values: str) -> None:
    origin = kept({**CHART, "helm": {"values": values, "valueFiles": ["prod.yaml"]}})
    assert data(origin) == {"tolerations": [SPOT, GPU]}
    assert origin.place.startswith("the value files prod.yaml for the chart")


def test_values_that_swell() -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    origin = kept({**CHART, "helm": {"values": "\n".join(rows)}})
    assert "tolerations" in origin.text


def test_value_files() -> None:
    values = {"repoURL": "https://me:pw@git.example.com/values.git", "targetRevision": "main", "ref": "values"}
    chart = {**CHART, "helm": {"valueFiles": ["$values/prod/agent.yaml", "own.yaml"]}}
    origin = kept(values, chart)
    assert origin.place.startswith(
        "the value files prod/agent.yaml of https://git.example.com/values.git, own.yaml for the chart agent"
    )
    assert data(origin) == {"tolerations": [SPOT, GPU]}
    assert "value files were not read" in notes(origin)
    assert "pw" not in str(origin)


def test_parameters_win() -> None:
    parameters = [{"name": "agent.tolerations[0].key", "value": "hidden"}, {"name": "image.tag", "value": "2"}]
    origin = kept({**CHART, "helm": {"parameters": parameters}})
    assert "helm.parameters sets agent.tolerations[0].key: it wins over all values" in notes(origin)
    assert "hidden" not in str(origin)


def test_several_sources() -> None:
    chart = {**CHART, "helm": {"valuesObject": {"agent": {"tolerations": [SPOT]}}}}
    origin = kept(FOLDER, chart, told=["Directory", "Helm"])
    assert origin.place.startswith("spec.sources[1].helm.valuesObject for the chart agent")
    assert data(origin) == {"helm": {"valuesObject": {"agent": {"tolerations": [SPOT, GPU]}}}}
    assert "2 sources (its values are those of the DaemonSet)" in notes(origin)
    origin = kept(FOLDER, {**FOLDER, "path": "more"}, told=["Directory", "Kustomize"])
    assert "which one makes the DaemonSet was not seen); the others: the path more of" in notes(origin)


def test_a_hydrated_source() -> None:
    origin = kept({}, sourceHydrator={"drySource": {**FOLDER, "helm": {"valuesObject": {"tolerations": [SPOT]}}}})
    assert origin.place.startswith("spec.sourceHydrator.drySource.helm.valuesObject for the path apps/agent")
    assert "change the dry source" in notes(origin)


@pytest.mark.parametrize("spec", [None, [], {"source": 1}, {"sources": [{}]}, {"source": {"helm": []}, "sources": 1}])
def test_a_shape_of_nobody(spec: Any) -> None:
    one = {"metadata": {"name": "shop"}, "spec": spec, "status": 3}
    assert looked(tracked(), {ALL: {"items": [one]}}).place.endswith("the Argo CD application default/shop")
