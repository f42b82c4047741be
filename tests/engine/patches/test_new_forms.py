"""Edits that only the planner makes, in every form: plain, JSON, kustomize, Helm values, and patches for other tools."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from engine.patches.surgeon import assert_patched, assert_refused, manifest

from dscov.errors import NotFound, Refused
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeToleration,
    Edit,
    Expression,
    Plan,
    RemoveAffinityExpression,
    RemoveToleration,
    ReplaceAffinityTerms,
    SetField,
    Target,
    Term,
    TolerationSpec,
    UnsetField,
    UnsetNodeSelector,
)
from dscov.patches.change import on_object
from dscov.patches.folder import rendered
from dscov.patches.front import change, change_kustomization, change_values
from dscov.patches.settled import settled

C = "containers:\n- name: agent\n  image: x:1\n"
POD = ("spec", "template", "spec")
A, B, D = Expression("a", "In", ("1", "2")), Expression("b", "Exists"), Expression("d", "NotIn", ("x",))
REQUIRED = "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms:\n"
ONE = '      - matchExpressions:\n        - key: a   # ours\n          operator: In\n          values: ["1", "2"]\n'
TWO = "      # the other\n      - matchExpressions:\n        - key: b\n          operator: Exists\n"

TABLE: dict[str, tuple[str, str, Edit]] = {
    "a new field": (C, C + "schedulerName: own\n", SetField((*POD, "schedulerName"), "own")),
    "a field that is there": (
        'nodeName: "n-1"  # pinned\n' + C,
        'nodeName: "n-2"  # pinned\n' + C,
        SetField((*POD, "nodeName"), "n-2"),
    ),
    "a switch": (
        "hostNetwork: false # no\n" + C,
        "hostNetwork: true # no\n" + C,
        SetField((*POD, "hostNetwork"), True),
    ),
    "a field goes": ("nodeName: n-1  # pinned\n" + C, C, UnsetField((*POD, "nodeName"))),
    "a list goes": ("schedulingGates:\n- name: x\n- name: y\n" + C, C, UnsetField((*POD, "schedulingGates"))),
    "a field that is not there": (C, C, UnsetField((*POD, "nodeName"))),
    "the only expression": (REQUIRED + ONE + C, C, RemoveAffinityExpression(A)),
    "terms merged": (
        REQUIRED + ONE + TWO + C,
        REQUIRED + ONE + TWO.partition("ions:\n")[2] + "      # the other\n" + C,
        ReplaceAffinityTerms((Term((A, B)),)),
    ),
    "terms merged in brackets": (
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
        "{matchExpressions: [{key: b, operator: Exists}]}, {matchExpressions: [{key: d, operator: NotIn, values: [x]}]}]}}}\n"
        + C,
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
        "{matchExpressions: [{key: b, operator: Exists}, {key: d, operator: NotIn, values: [x]}]}]}}}\n" + C,
        ReplaceAffinityTerms((Term((B, D)),)),
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    before, after, edit = TABLE[name]
    assert_patched(manifest(before), manifest(after), [edit])


def test_below_spec() -> None:
    before = manifest(C) + "  updateStrategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1\n"
    after = manifest(C) + "  updateStrategy:\n    type: RollingUpdate\n"
    assert_patched(before, after, [UnsetField(("spec", "updateStrategy", "rollingUpdate", "maxSurge"))])
    assert_patched(manifest(C), manifest(C) + "  minReadySeconds: 9\n", [SetField(("spec", "minReadySeconds"), 9)])


def test_refusals() -> None:
    assert_refused(manifest(C), "containers holds a list", [SetField((*POD, "containers"), "x")])
    both = manifest(REQUIRED + ONE + TWO + C)
    assert_refused(both, "all that one of several terms demands", [RemoveAffinityExpression(B)])


NEAR = {"key": "a", "operator": "Equal", "value": "1", "effect": "NoSchedule"}


def daemonset(**pod: Any) -> dict[str, Any]:
    containers = [{"name": "agent", "image": "x:1"}]
    meta = {"labels": {"app": "agent"}}
    spec = {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {"metadata": meta, "spec": {"containers": containers, **pod}},
    }
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec}


@pytest.mark.parametrize("wanted", [TolerationSpec("a", "Exists"), TolerationSpec("a", "Equal", "1", "NoExecute")])
def test_a_toleration_that_is_not_there_though_others_of_its_key_are(wanted: TolerationSpec) -> None:
    with pytest.raises(NotFound, match=r"there is no toleration a.*; there is a=1:NoSchedule$"):
        on_object(daemonset(tolerations=[NEAR]), [RemoveToleration(wanted)])
    assert on_object(daemonset(tolerations=[NEAR]), [RemoveToleration(TolerationSpec("b", "Exists"))])[0] == ()


def listed(*expressions: Expression) -> dict[str, Any]:
    each = [{"key": e.key, "operator": e.operator} | ({"values": [*e.values]} if e.values else {}) for e in expressions]
    return {"matchExpressions": each}


def required(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [*terms]}}}


FORMS: dict[str, tuple[dict[str, Any], list[Edit]]] = {
    "set": (daemonset(), [SetField((*POD, "schedulerName"), "own"), SetField((*POD, "hostNetwork"), True)]),
    "set below spec": (daemonset(), [SetField(("spec", "minReadySeconds"), 9)]),
    "unset": (daemonset(nodeName="n", hostNetwork=True), [UnsetField((*POD, "nodeName"))]),
    "unset a list": (daemonset(schedulingGates=[{"name": "x"}]), [UnsetField((*POD, "schedulingGates"))]),
    "unset affinity": (daemonset(affinity=required(listed(A))), [UnsetField((*POD, "affinity"))]),
    "merge": (daemonset(affinity=required(listed(A), listed(B))), [ReplaceAffinityTerms((Term((A, B)),))]),
    "remove one": (daemonset(affinity=required(listed(A, B))), [RemoveAffinityExpression(A)]),
    "remove all": (daemonset(affinity=required(listed(A))), [RemoveAffinityExpression(A)]),
}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
@pytest.mark.parametrize("name", FORMS)
def test_all_forms_agree(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, edits = FORMS[name]
    _, after = on_object(before, edits)
    results: dict[str, Any] = {}
    for ending, text in {"json": json.dumps(before, indent=2), "yaml": yaml.safe_dump(before)}.items():
        file = tmp_path / f"base.{ending}"
        file.write_text(text)
        done = change(Plan(Target("agent"), tuple(edits)), [str(file)])
        results[ending] = yaml.safe_load(done.edits[0].new)
    for form, kind in {"json-patch": "json", "strategic": "strategic"}.items():
        (tmp_path / "patch").write_bytes(rendered(done, form))
        words = [
            "kubectl",
            "patch",
            "--local",
            "-f",
            str(file),
            "--type",
            kind,
            "--patch-file",
            str(tmp_path / "patch"),
        ]
        out = subprocess.run([*words, "-o", "json"], check=True, capture_output=True).stdout
        results[form] = json.loads(out)
    base, over = tmp_path / "base", tmp_path / "over"
    for folder, resource in {base: "base.yaml", over: "../base"}.items():
        folder.mkdir()
        (folder / "kustomization.yaml").write_text(f"resources: [{resource}]\n")
    file.rename(base / "base.yaml")
    for edit in change_kustomization(Plan(Target("agent"), tuple(edits)), str(over)).edits:
        Path(edit.path).write_bytes(edit.new)
    out = subprocess.run(["kubectl", "kustomize", str(over)], check=True, capture_output=True).stdout
    results["kustomize"] = yaml.safe_load(out)
    assert {form: settled(found) for form, found in results.items()} == dict.fromkeys(results, settled(after))


def test_helm_takes_a_field_where_its_path_is_named(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("agent:\n  image: x\n")
    plan = Plan(Target(), (SetField((*POD, "schedulerName"), "own"),))
    done = change_values(plan, values=str(file), path="agent.schedulerName", chart=None)
    assert done.edits[0].new == b"agent:\n  image: x\n  schedulerName: own\n"
    for path in ("agent.tolerations", "schedule"):
        with pytest.raises(Refused, match=r"which value feeds spec.template.spec.schedulerName"):
            change_values(plan, values=str(file), path=path, chart=None)


def notes(data: dict[str, Any], edit: Edit, tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "ds.json").write_text(json.dumps(data))
    return change(Plan(Target("agent"), (edit,)), [str(tmp_path / "ds.json")]).notes


def test_a_wider_toleration_is_told(tmp_path: Path) -> None:
    old = TolerationSpec("a", "Equal", "1", "NoSchedule")
    for new in (
        TolerationSpec("a", "Exists", None, "NoSchedule"),
        TolerationSpec("a", "Equal", "1"),
        TolerationSpec(None, "Exists"),
    ):
        (note,) = notes(daemonset(tolerations=[NEAR]), ChangeToleration(old, new), tmp_path)
        assert note.endswith("tolerates taints that a=1:NoSchedule does not")
    wide = {"key": "a", "operator": "Exists"}
    assert notes(daemonset(tolerations=[wide]), ChangeToleration(TolerationSpec("a", "Exists"), old), tmp_path) == ()
    assert notes(daemonset(tolerations=[wide]), ChangeToleration(old, TolerationSpec("a", "Exists")), tmp_path) == ()


def test_a_label_that_is_spelt_otherwise_is_told(tmp_path: Path) -> None:
    data = daemonset(nodeSelector={"kubernetes.io/os": "linux"})
    for key in ("beta.kubernetes.io/os", "kubernetes.io/OS", "os"):
        (note,) = notes(data, UnsetNodeSelector(key), tmp_path)
        assert note == f"there is no label {key} in nodeSelector; there is kubernetes.io/os"
    assert notes(data, UnsetNodeSelector("disk"), tmp_path) == ("there is no label disk in nodeSelector",)
    assert notes(data, UnsetNodeSelector("kubernetes.io/os"), tmp_path) == ()


def test_values_keep_what_is_empty(tmp_path: Path) -> None:
    """Without the key the chart's own default would come back."""
    file = tmp_path / "values.yaml"
    file.write_text("agent:\n  affinity: {}\n  image: x\n")
    for edit in (AddAffinityExpression(A), RemoveAffinityExpression(A)):
        plan = Plan(Target(), (edit,))
        file.write_bytes(change_values(plan, values=str(file), path="agent.affinity", chart=None).edits[0].new)
        assert ("nodeAffinity" in file.read_text()) == isinstance(edit, AddAffinityExpression)
    assert file.read_text() == "agent:\n  affinity: {}\n  image: x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n", "a:\n  tolerations:\n  - key: k\n    operator: Exists\n"),
        ("# top\r\nnull\r\n", "# top\r\na:\r\n  tolerations:\r\n  - key: k\r\n    operator: Exists\r\n"),
        ("--- {}\n...\n", "--- \na:\n  tolerations:\n  - key: k\n    operator: Exists\n...\n"),
        ("{\n}  # none yet", "a:\n  tolerations:\n  - key: k\n    operator: Exists  # none yet"),
    ],
)
def test_values_that_hold_nothing(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_bytes(before.encode())
    plan = Plan(Target(), (AddToleration(TolerationSpec("k", "Exists")),))
    (edit,) = change_values(plan, values=str(file), path="a.tolerations", chart=None).edits
    assert edit.new.decode() == after


@pytest.mark.parametrize("text", ["{}\n", "", "# only\n", "null\n"])
def test_values_that_hold_nothing_and_are_to_lose_something(text: str, tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(text)
    plan = Plan(Target(), (UnsetNodeSelector("x"),))
    with pytest.raises(Refused, match=r"has no label x in a\.nodeSelector, and what the chart has there is not known"):
        change_values(plan, values=str(file), path="a.nodeSelector", chart=None)
    (tmp_path / "Chart.yaml").write_text("name: x\n")
    for path in ("nodeSelector", "a.nodeSelector"):
        change = change_values(plan, values=str(file), path=path, chart=None)
        assert [one.new for one in change.edits] == [text.encode()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("b: 1\n", "b: 1\na:\n  nodeSelector:\n    Pool: null\n"),
        ("{}\n", "a:\n  nodeSelector:\n    Pool: null\n"),
        ("a:\n  nodeSelector:\n    Pool: web\n    x: y\n", "a:\n  nodeSelector:\n    Pool: null\n    x: y\n"),
        ("a: {nodeSelector: {Pool: null}}\n", "a: {nodeSelector: {Pool: null}}\n"),
        ("a:\n  nodeSelector: {}\n", "a:\n  nodeSelector: {Pool: null}\n"),
    ],
)
def test_only_null_takes_a_label_of_the_chart_out(before: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: x\n")
    (tmp_path / "values.yaml").write_text("a:\n  nodeSelector: {Pool: web}\n")
    file = tmp_path / "mine.yaml"
    file.write_text(before)
    plan = Plan(Target(), (UnsetNodeSelector("Pool"),))
    (edit,) = change_values(plan, values=str(file), path="a.nodeSelector", chart=str(tmp_path), offline=True).edits
    assert edit.new.decode() == after


def test_a_label_that_the_chart_has_not_goes_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("a:\n  nodeSelector:\n    Pool: web\n    x: y\n")
    plan = Plan(Target(), (UnsetNodeSelector("Pool"),))
    change = change_values(plan, values=str(file), path="a.nodeSelector", chart=None)
    assert change.edits[0].new.decode() == "a:\n  nodeSelector:\n    x: y\n"
    assert change.notes == ("if the chart has Pool in a.nodeSelector too, that is left; --chart DIR shows it",)


@pytest.mark.parametrize("text", ["{}\n", "{\n}", "null\n", ""])
def test_values_in_json_that_hold_nothing(text: str, tmp_path: Path) -> None:
    file = tmp_path / "values.json"
    file.write_text(text)
    plan = Plan(Target(), (AddToleration(TolerationSpec("k", "Exists")),))
    (edit,) = change_values(plan, values=str(file), path="a.tolerations", chart=None).edits
    assert json.loads(edit.new) == {"a": {"tolerations": [{"key": "k", "operator": "Exists"}]}}


@pytest.mark.parametrize("text", ["{ # why\n}\n", "&a {}\n", "[]\n", "a: text\n", "a: [1]\n"])
def test_values_that_leave_no_place_name_the_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(text)
    plan = Plan(Target(), (AddToleration(TolerationSpec("k", "Exists")),))
    with pytest.raises(Refused, match=re.escape(f"{file}: ")) as refusal:
        change_values(plan, values=str(file), path="a.tolerations", chart=None)
    assert refusal.value.reason.count("values.yaml") == 1
