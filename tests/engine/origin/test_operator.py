"""An operator's resource: how it is found, which of its fields is taken, and the command that sets it."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from engine.origin.played import ADD, FORBIDDEN, GPU, SPOT, Json, Played, agent, data, looked, notes

from dscov.errors import CouldNotLook
from dscov.origin import origin_of
from dscov.origin.fields import Field
from dscov.origin.schema import schema_of, slots

GROUP = "/apis/agents.example.com/v1"
SCHEMA = "/openapi/v3/apis/agents.example.com/v1"
ONE = f"{GROUP}/namespaces/system/fleets/main"
TEXT = {"type": "string"}
TOLERATIONS = {
    "type": "array",
    "items": {"type": "object", "properties": dict.fromkeys(("key", "operator", "value", "effect"), TEXT)},
}
TAINTS = {"type": "array", "items": {"type": "object", "properties": dict.fromkeys(("key", "effect"), TEXT)}}
SELECTOR = {"type": "object", "additionalProperties": TEXT}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
AFFINITY = {"type": "object", "properties": {"nodeAffinity": {"type": "object", "properties": {REQUIRED: {}}}}}
KIND = {"group": "agents.example.com", "version": "v1", "kind": "Fleet"}


def owned(kind: str = "Fleet", name: str = "main", version: str = "agents.example.com/v1", **more: Any) -> Json:
    return {"ownerReferences": [{"apiVersion": version, "kind": kind, "name": name, "controller": True}], **more}


def nodes(**properties: Any) -> Json:
    """A schema of an object."""
    return {"type": "object", "properties": properties}


def openapi(*, more: Json | None = None, **properties: Any) -> Json:
    fleet = {**nodes(spec=nodes(**properties)), "x-kubernetes-group-version-kind": [KIND]}
    return {"components": {"schemas": {"com.example.agents.v1.Fleet": fleet, **(more or {})}}}


def server(schema: Any, spec: Any = (), *, namespaced: bool = True, metadata: Json | None = None) -> Json:
    meta = {"name": "main", **({"namespace": "system"} if namespaced else {}), **(metadata or {})}
    resources = [
        {"name": "fleets/status", "kind": "Fleet", "namespaced": namespaced},
        {"name": "fleets", "kind": "Fleet", "namespaced": namespaced},
    ]
    # A subresource answers to the same kind.
    resources = resources[1:] + resources[:1]
    return {
        GROUP: {"resources": resources},
        ONE if namespaced else f"{GROUP}/fleets/main": {"kind": "Fleet", "metadata": meta, "spec": spec},
        SCHEMA: schema,
    }


def fleet(schema: Json, spec: Any = (), **more: Any) -> Any:
    return looked(owned(), server(schema, spec), **more)


def patch_in(origin: Any) -> tuple[list[str], Any]:
    (command,) = origin.commands
    *words, patch = shlex.split(command)
    return words, json.loads(patch)


def test_the_only_field_of_that_shape() -> None:
    origin = fleet(openapi(daemon=nodes(tolerations=TOLERATIONS, taints=TAINTS)))
    assert origin.place == "spec.daemon.tolerations of the Fleet system/main"
    assert data(origin) == {
        "apiVersion": "agents.example.com/v1",
        "kind": "Fleet",
        "metadata": {"name": "main", "namespace": "system"},
        "spec": {"daemon": {"tolerations": [SPOT, GPU]}},
    }
    words, patch = patch_in(origin)
    assert words == shlex.split("kubectl patch fleets.v1.agents.example.com main -n system --type=merge -p")
    assert patch == {"spec": data(origin)["spec"]}
    assert "is the only field of this shape; that it feeds this DaemonSet was not seen" in notes(origin)
    assert origin.fate == "reverted by its controller"


def test_the_value_that_the_daemonset_has_leaves_no_doubt() -> None:
    schema = openapi(daemon=nodes(tolerations=TOLERATIONS), other=nodes(placement=TOLERATIONS))
    origin = fleet(schema, {"other": {"placement": [SPOT]}})
    assert data(origin)["spec"] == {"other": {"placement": [SPOT, GPU]}}
    assert origin.notes == ()


def test_what_the_resource_has_is_kept() -> None:
    origin = fleet(openapi(tolerations=TOLERATIONS), {"tolerations": [{"key": "own"}], "image": "x"})
    assert patch_in(origin)[1] == {"spec": {"tolerations": [{"key": "own"}, GPU]}}


def test_words_in_common_with_the_name() -> None:
    parts = {name: nodes(tolerations=TOLERATIONS) for name in ("controllerManager", "csiNode", "node", "webhook")}
    origin = looked(owned(name="main") | {"name": "csi-node"}, server(openapi(**parts)))
    assert data(origin)["spec"] == {"csiNode": {"tolerations": [SPOT, GPU]}}
    assert "spec.csiNode.tolerations is the likeliest by its name; it may be spec.node.tolerations" in notes(origin)


def test_a_field_for_another_workload_is_not_taken() -> None:
    origin = fleet(openapi(webhook=nodes(tolerations=TOLERATIONS)))
    assert "spec.webhook.tolerations is of the right shape, but by its name for another workload" in origin.notes
    assert origin.text == ""
    assert fleet(openapi(webhook=nodes(tolerations=TOLERATIONS)), {"webhook": {"tolerations": [SPOT]}}).text


def test_a_deprecated_field_comes_last() -> None:
    schema = openapi(
        tolerations={**TOLERATIONS, "description": "Deprecated: use daemon."}, daemon=nodes(tolerations=TOLERATIONS)
    )
    assert data(fleet(schema))["spec"] == {"daemon": {"tolerations": [SPOT, GPU]}}


def test_the_scope_of_the_cluster() -> None:
    origin = looked(owned(), server(openapi(tolerations=TOLERATIONS), namespaced=False))
    assert origin.place == "spec.tolerations of the Fleet main"
    assert "-n" not in patch_in(origin)[0]
    assert data(origin)["metadata"] == {"name": "main"}


def test_several_fields() -> None:
    patch = [
        *ADD,
        {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"disk": "nvme"}},
        {"op": "add", "path": "/spec/template/spec/priorityClassName", "value": "system-node-critical"},
    ]
    schema = openapi(placement=nodes(tolerations=TOLERATIONS, nodeSelector=SELECTOR), priorityClassName=TEXT)
    origin = fleet(schema, {"placement": {"nodeSelector": {"zone": "a"}}}, patch=patch, nodeSelector={"zone": "a"})
    assert data(origin)["spec"] == {
        "placement": {"tolerations": [GPU], "nodeSelector": {"disk": "nvme"}},
        "priorityClassName": "system-node-critical",
    }
    assert patch_in(origin)[1]["spec"]["placement"]["nodeSelector"] == {"disk": "nvme", "zone": None}


def test_a_part_of_affinity() -> None:
    wanted = {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}}
    schema = openapi(nodeAffinity=AFFINITY["properties"]["nodeAffinity"])
    patch = [{"op": "add", "path": "/spec/template/spec/affinity", "value": {"nodeAffinity": wanted}}]
    assert data(fleet(schema, patch=patch, hostNetwork=True))["spec"] == {"nodeAffinity": wanted}
    patch[0]["value"] = {"nodeAffinity": wanted, "podAffinity": {}}
    origin = fleet(schema, patch=patch, hostNetwork=True)
    assert "spec.nodeAffinity takes nodeAffinity alone, and more than that changes" in notes(origin)


# -- no field -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [openapi(), openapi(taints=TAINTS, tolerations=SELECTOR, image=TEXT)])
def test_no_field_is_said(schema: Json) -> None:
    origin = fleet(schema)
    assert "its schema shows no field for tolerations" in notes(origin)
    assert origin.text == ""
    assert origin.place == "the Fleet system/main, whose controller made the DaemonSet"
    assert origin.commands == ("kubectl explain fleets.spec --api-version=agents.example.com/v1 --recursive",)


@pytest.mark.parametrize(
    ("schema", "spec", "way"),
    [
        (openapi(pools={"type": "array", "items": nodes(tolerations=TOLERATIONS)}), {}, "spec.pools.[].tolerations"),
        (
            openapi(override={"type": "object", "additionalProperties": nodes(tolerations=TOLERATIONS)}),
            {},
            "spec.override.<name>.tolerations",
        ),
    ],
)
def test_a_path_that_a_person_has_to_choose(schema: Json, spec: Json, way: str) -> None:
    origin = fleet(schema, spec)
    assert f"tolerations may go, part by part, into {way}" in notes(origin)
    assert origin.text == ""


def test_keys_of_a_map_that_are_there() -> None:
    schema = openapi(override={"type": "object", "additionalProperties": nodes(tolerations=TOLERATIONS)})
    assert data(fleet(schema, {"override": {"agent": {}, "x": {}}}))["spec"] == {
        "override": {"agent": {"tolerations": [SPOT, GPU]}}
    }


# -- the schema ---------------------------------------------------------------------------------------------------


def slots_of(field: str, **properties: Any) -> list[str]:
    document = openapi(**properties)
    schema = schema_of(document, "agents.example.com", "v1", "Fleet")
    new: Any = {"tolerations": [GPU], "priorityClassName": "x"}.get(field, {"a": "b"})
    return [".".join(slot.way) for slot in slots(document, schema, {}, Field(field, None, new))]


@pytest.mark.parametrize(
    ("field", "properties", "found"),
    [
        ("tolerations", {"x": TOLERATIONS}, ["spec.x"]),
        ("tolerations", {"tolerations": {"type": "array", "items": {}}}, ["spec.tolerations"]),
        ("tolerations", {"x": {"type": "array", "items": {}}}, []),
        ("nodeSelector", {"nodeSelector": SELECTOR, "labels": SELECTOR}, ["spec.nodeSelector"]),
        ("nodeSelector", {"nodeSelector": nodes(matchLabels=SELECTOR)}, []),
        ("affinity", {"where": AFFINITY}, ["spec.where"]),
        ("affinity", {"affinity": {"type": "object"}}, ["spec.affinity"]),
        ("affinity", {"podAntiAffinity": nodes(**{REQUIRED: {}})}, []),
        ("priorityClassName", {"priorityClass": TEXT, "priority": TEXT}, ["spec.priorityClass"]),
        ("priorityClassName", {"priorityClassName": {"type": "integer"}}, []),
        ("updateStrategy", {"updateStrategy": nodes(type=TEXT, rollingUpdate=nodes())}, ["spec.updateStrategy"]),
        ("updateStrategy", {"updateStrategy": TEXT}, []),
        ("hostNetwork", {"hostNetwork": {"type": "object"}}, ["spec.hostNetwork"]),
    ],
)
def test_shapes(field: str, properties: Json, found: list[str]) -> None:
    assert slots_of(field, **properties) == found


def test_references_are_followed_and_circles_left() -> None:
    reference = "#/components/schemas/"
    more = {
        "Part": nodes(
            tolerations={"allOf": [{"$ref": f"{reference}List"}], "default": []}, inner={"$ref": f"{reference}Part"}
        ),
        "List": {"type": "array", "items": {"$ref": f"{reference}Toleration"}},
        "Toleration": TOLERATIONS["items"],
        "Loop": {"$ref": f"{reference}Loop"},
        "A": {"allOf": [{"$ref": f"{reference}B"}]},
        "B": {"allOf": [{"$ref": f"{reference}A"}]},
    }
    refs = {
        name: {"$ref": f"{reference}{to}"} for name, to in {"a": "Part", "b": "Loop", "c": "A", "d": "None"}.items()
    }
    origin = fleet(openapi(more=more, **refs, e={"$ref": 7}, f={"$ref": "http://x"}, g=None))
    assert origin.place == "spec.a.tolerations of the Fleet system/main"
    assert "only field" in notes(origin)


def test_a_schema_without_end_is_left() -> None:
    deep: Any = TOLERATIONS
    for _ in range(60):
        deep = nodes(a=deep)
    assert slots_of("tolerations", deep=deep) == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (FORBIDDEN, "its schema may not be read"),
        (
            {"components": {"schemas": {"x": 1, "y": {"x-kubernetes-group-version-kind": [KIND | {"kind": "Other"}]}}}},
            "is not",
        ),
        ({}, "its schema could not be read (the answer is no object)"),
    ],
)
def test_without_a_schema_what_is_set_is_looked_at(answer: Any, said: str) -> None:
    origin = fleet(answer, {"a": {"tolerations": [SPOT]}})
    assert said in notes(origin)
    assert data(origin)["spec"] == {"a": {"tolerations": [SPOT, GPU]}}


# -- the resource -------------------------------------------------------------------------------------------------


def test_the_top_of_a_chain_of_controllers() -> None:
    answers = server(openapi(tolerations=TOLERATIONS))
    answers[GROUP]["resources"].append({"name": "shards", "kind": "Shard", "namespaced": True})
    answers[f"{GROUP}/namespaces/system/shards/s"] = {"metadata": {"name": "s", "namespace": "system", **owned()}}
    assert looked(owned("Shard", "s"), answers).place == "spec.tolerations of the Fleet system/main"


def test_a_chain_that_ends_in_the_dark() -> None:
    answers = server(openapi(tolerations=TOLERATIONS), metadata=owned("Secret", "s", "v1"))
    origin = looked(owned(), answers)
    assert origin.place == "spec.tolerations of the Fleet system/main"
    assert "the resource Secret/s belongs to the core of Kubernetes" in notes(origin)
    assert "the Fleet system/main itself is kept by the Secret s, which controls it" in notes(origin)


def test_a_circle_of_controllers() -> None:
    origin = looked(owned(), server(openapi(tolerations=TOLERATIONS), metadata=owned()))
    assert "there are more controllers above it" in notes(origin)


def test_a_resource_that_others_apply_is_patched_there() -> None:
    marks = {"labels": {"argocd.argoproj.io/instance": "platform"}}
    origin = looked(owned(), server(openapi(tolerations=TOLERATIONS), metadata=marks))
    assert origin.notes[0] == ("the Fleet system/main itself is kept by the Argo CD application platform: put it there")
    assert origin.commands == ()
    assert data(origin)["spec"] == {"tolerations": [SPOT, GPU]}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, "the resource Fleet/main is not in this cluster"),
        ({GROUP: {"resources": []}}, "the resource Fleet/main is not served in this version"),
        ({**server({}), ONE: FORBIDDEN}, "the resource Fleet/main may not be read"),
        ({GROUP: CouldNotLook("silence")}, "the resource Fleet/main could not be read (silence)"),
    ],
)
def test_what_cannot_be_read_is_said(answers: Json, said: str) -> None:
    origin = looked(owned(), answers)
    assert said in notes(origin)
    assert origin.place == "the resource Fleet/main, whose controller made the DaemonSet"
    assert (origin.text, origin.commands) == ("", ())


@pytest.mark.parametrize("version", ["v1", "", "../../api/v1", "a/b/c", "apps/../v1", "A.com/v1", "a.com/v1?x", "/v1"])
def test_groups_that_no_server_serves_are_not_asked_for(version: str) -> None:
    played = Played({})
    origin_of(played, agent(owned("Secret", "s", version), tolerations=[SPOT]), ADD)  # type: ignore[arg-type]
    assert played.asked == []


@pytest.mark.parametrize("spec", [None, [], "x", {"tolerations": 3}, {"tolerations": "x"}])
def test_a_shape_of_nobody(spec: Any) -> None:
    assert data(fleet(openapi(tolerations=TOLERATIONS), spec))["spec"]["tolerations"] == [SPOT, GPU]
