"""What was applied is kept, found again, and taken back only from the state that it made."""

from __future__ import annotations

import copy
import json
import os
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from engine.build import NOW, daemonset, snapshot
from engine.eligibility import LIST

from dscov.errors import BadInput, CouldNotLook, Refused, Stale
from dscov.model.proposals import Option
from dscov.sinks import planfile, records, state

Json = dict[str, Any]
EXISTS = {"key": "gpu", "operator": "Exists"}
OPTION = Option("tolerate gpu", ({"op": "add", "path": LIST, "value": [EXISTS]},))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def applied(obj: Json) -> Json:
    done = copy.deepcopy(obj)
    done["spec"]["template"]["spec"]["tolerations"] = [EXISTS]
    return done


def record(name: str = "agent", **more: Any) -> records.Record:
    obj = daemonset(name)
    (noun,) = snapshot(obj).daemonsets
    made = records.record_of(noun, OPTION, server="https://a:6443", now=NOW, expected=applied(obj))
    return msgspec.structs.replace(made, **more)


def test_the_newest_comes_first_and_only_of_this_cluster() -> None:
    for minutes, name in ((1, "one"), (3, "three"), (2, "two")):
        records.keep(record(name, at=NOW + timedelta(minutes=minutes)))
    records.keep(record("far", server="https://b:6443"))
    found = records.kept("https://a:6443")
    assert [one.name for _, one in found] == ["three", "two", "one"]
    assert [one.name for _, one in records.kept("https://a:6443", namespace="system", name="two")] == ["two"]
    assert records.kept("https://a:6443", namespace="other") == []
    assert found[0][1] == record("three", at=NOW + timedelta(minutes=3))


def test_only_its_owner_may_read_it() -> None:
    path = records.keep(record())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    state.drop(path)
    assert records.kept("https://a:6443") == []


def test_a_name_that_is_none_stays_in_the_folder(home: Path) -> None:
    path = records.keep(record(namespace="../../x", name="a/b\n"))
    assert path.parent == records.folder("https://a:6443")
    assert path.resolve().is_relative_to(home)


def test_old_ones_go() -> None:
    for number in range(state.KEPT + 5):
        records.keep(record(at=NOW + timedelta(seconds=number)))
    assert len(records.kept("https://a:6443")) == state.KEPT


def test_broken_ones_are_passed_over() -> None:
    path = records.keep(record())
    path.with_name("x.json").write_text("{")
    assert len(records.kept("https://a:6443")) == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(CouldNotLook, match="the former spec cannot be kept"):
        records.keep(record())


def test_taking_back() -> None:
    assert records.undoing(record(), applied(daemonset())) == [{"op": "remove", "path": LIST}]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda obj: obj["metadata"].update(uid="x"), "made anew"),
        (lambda obj: obj["spec"].update(minReadySeconds=5), "was changed since"),
    ],
)
def test_nothing_to_take_back(change: Any, said: str) -> None:
    fresh = applied(daemonset())
    change(fresh)
    with pytest.raises(Stale, match=said):
        records.undoing(record(), fresh)


def test_a_record_that_stands_for_nothing() -> None:
    assert records.is_void(record(), daemonset())
    assert not records.is_void(record(), applied(daemonset()))


def test_hostile_records_are_passed_over(tmp_path: Path) -> None:
    path = records.keep(record())
    text = path.read_text()
    path.with_name("1.json").write_text(text.replace('"fields": [', '"fields": [[],', 1))
    path.with_name("2.json").write_text("[" * 100_000)
    path.with_name("3.json").write_text(text.replace("https://a:6443", "https://evil"))
    os.mkfifo(path.with_name("4.json"))
    path.with_name("5.json").symlink_to("/dev/zero")
    assert [found for found, _ in records.kept("https://a:6443")] == [path]


def test_a_relative_state_folder_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert records.folder("x").is_relative_to(tmp_path / ".local")


# -- plan files -----------------------------------------------------------------------------------------------------


def plan_in(folder: Path) -> Path:
    (noun,) = snapshot(daemonset(metadata={"managedFields": [{"manager": "x"}], "resourceVersion": "7"})).daemonsets
    path = folder / "plan.json"
    path.write_bytes(planfile.plan_text([planfile.item_of(noun, ("n1",), OPTION)], context="prod", now=NOW))
    return path


def test_a_plan_carries_what_it_was_made_for(tmp_path: Path) -> None:
    plan = planfile.read_plan(str(plan_in(tmp_path)))
    (item,) = plan.items
    assert (item.uid, item.resource_version, item.targets) == ("uid-system-agent", "7", ("n1",))
    assert item.patch == OPTION.patch
    assert "managedFields" not in item.object["metadata"]
    assert plan.context == "prod"


@pytest.mark.parametrize(
    "path",
    [
        "/spec/template/spec/affinity/podAntiAffinity",
        "/spec/template/spec/topologySpreadConstraints",
        "/spec/template/spec/topologySpreadConstraints/1",
        "/spec/template/spec/schedulingGates",
        "/spec/updateStrategy/rollingUpdate",
    ],
)
def test_a_plan_may_take_out_what_a_cause_blames(tmp_path: Path, path: str) -> None:
    plan = plan_in(tmp_path)
    step = {"op": "remove", "path": path}
    told = json.loads(plan.read_text())
    told["items"][0]["patch"] = [step]
    plan.write_text(json.dumps(told))
    assert planfile.read_plan(str(plan)).items[0].patch == (step,)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"FixPlan"', '"Other"', "not dscov.dev/v1 FixPlan"),
        ("{", "", "no plan"),
        (f'"{LIST}"', '"/metadata/name"', "no field that `fix` writes"),
        ('"uid": "uid-system-agent"', '"uid": ""', "uid"),
    ],
)
def test_a_plan_that_is_none(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = plan_in(tmp_path)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(BadInput, match=said):
        planfile.read_plan(str(path))


@pytest.mark.parametrize(
    "step",
    [
        {"op": "copy", "from": "/metadata/labels", "path": LIST},
        {"op": "move", "from": "/spec/selector", "path": LIST},
        {"path": LIST, "value": []},
        {"op": "add", "path": LIST},
        {"op": "add", "path": "/spec/template/spec/containers/0/image", "value": "evil:1"},
        {"op": "add", "path": "/spec/template/spec/tolerationsX", "value": []},
        {"op": "add", "path": "/spec/template/metadata/annotations", "value": {}},
        {"op": "replace", "path": "/spec/selector", "value": {}},
    ],
)
def test_a_plan_writes_only_what_fix_writes(tmp_path: Path, step: Json) -> None:
    (noun,) = snapshot(daemonset()).daemonsets
    path = tmp_path / "plan.json"
    item = planfile.item_of(noun, (), Option("tolerate gpu", (step,)))
    path.write_bytes(planfile.plan_text([item], context="", now=NOW))
    with pytest.raises(BadInput):
        planfile.read_plan(str(path))


def test_a_pipe_is_no_plan(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan")
    with pytest.raises(BadInput, match="no regular file"):
        planfile.read_plan(str(tmp_path / "plan"))


def test_no_plan_without_a_uid() -> None:
    (noun,) = snapshot(daemonset(metadata={"uid": ""})).daemonsets
    with pytest.raises(Refused, match="has no uid"):
        planfile.item_of(noun, (), OPTION)


def test_no_plan_at_all(tmp_path: Path) -> None:
    with pytest.raises(CouldNotLook, match="No such file"):
        planfile.read_plan(os.fspath(tmp_path / "none"))
