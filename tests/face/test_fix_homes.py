"""The namespace that a manifest names is the one that is planned for, unless -n says otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from face.fix import Ran, fix
from kubectl_dscov.fixing.homes import at_home

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
SHOP = Path(__file__).parents[2] / "examples" / "shop"
AGENT = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {name}{namespace}
spec:
  template:
    spec:
      containers: [{{name: x, image: x}}]
"""


def manifest(name: str, namespace: str = "") -> str:
    return AGENT.format(name=name, namespace=f"\n  namespace: {namespace}" if namespace else "")


def settled(tmp_path: Path, *texts: str, names: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    file = tmp_path / "some.yaml"
    file.write_text("---\n".join(texts))
    values = {"files": (str(file),), "namespace": None, "all_namespaces": False, **more}
    found = at_home(values, names)
    return {key: value for key, value in found.items() if key != "files" and value != values.get(key)}


def test_its_own_namespace(tmp_path: Path) -> None:
    assert settled(tmp_path, manifest("a", "web"))["namespace"] == "web"
    assert settled(tmp_path, manifest("a", "web"), manifest("b", "other"), names=("a",))["namespace"] == "web"


def test_of_several_namespaces_all_are_read(tmp_path: Path) -> None:
    found = settled(tmp_path, manifest("a", "web"), manifest("b", "other"))
    assert found == {"all_namespaces": True, "homes": {"web", "other"}}


@pytest.mark.parametrize(
    ("texts", "more"),
    [
        ([manifest("a")], {}),
        ([manifest("a"), manifest("a", "web")], {}),
        ([manifest("a", "web")], {"namespace": "web"}),
        ([manifest("a", "web")], {"all_namespaces": True}),
        ([manifest("a", "web")], {"namespace": "other", "all_namespaces": True}),
        ([manifest("a"), manifest("a", "web")], {"namespace": "other"}),
        ([manifest("b", "web")], {"names": ("a",)}),
        (["a: [", ""], {}),
    ],
)
def test_what_was_given_stays(texts: list[str], more: dict[str, object], tmp_path: Path) -> None:
    assert settled(tmp_path, *texts, **more) == {}


def planned(tmp_path: Path, text: str, *more: object) -> Ran:
    file = tmp_path / "agent.yaml"
    file.write_text(text)
    return fix("-f", file, "--from", SHOP, "--cause", "untolerated-taint", "--dry-run", *more)


def test_only_its_namespace_is_planned_for(tmp_path: Path) -> None:
    done = planned(tmp_path, manifest("log-agent", "logging"))
    warning, *rest = done.err.splitlines()
    assert (done.code, rest) == (0, ["dry run: nothing was written"])
    assert "differs from the object in the cluster in tolerations (only in the cluster: arch=" in warning
    assert "updateStrategy" not in warning
    assert "+      - key: nvidia.com/gpu" in done.text


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (
            manifest("log-agent", "logging"),
            ["-n", "other"],
            "the manifest puts daemonset/log-agent into namespace logging, not other: leave -n out",
        ),
        (
            manifest("a", "web") + "---\n" + manifest("b", "db"),
            ["-n", "other"],
            "the manifest puts every DaemonSet there into namespace db, web, not other: leave -n out",
        ),
        (
            manifest("log-agent", "web"),
            ["log-agent"],
            "daemonset/log-agent not found in namespace web; it is in logging",
        ),
    ],
)
def test_another_namespace(text: str, words: list[str], said: str, tmp_path: Path) -> None:
    done = planned(tmp_path, text, *words)
    assert (done.code, said in done.err) == (2, True), done.err


def test_edits_that_are_spelt_out_need_no_second_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text(manifest("a", "web"))
    monkeypatch.setattr("kubectl_dscov.fixing.homes.at_home", lambda *_: pytest.fail("it was read"))
    assert fix("-f", tmp_path / "a.yaml", "--add-toleration", "x", "--yes").code == 0


def overlay(tmp_path: Path, *lines: str) -> Path:
    (tmp_path / "agent.yaml").write_text(manifest("log-agent"))
    (tmp_path / "kustomization.yaml").write_text("\n".join(["resources: [agent.yaml]", *lines, ""]))
    return tmp_path


def at_overlay(folder: Path, *names: str, **more: object) -> dict[str, Any]:
    values = {"files": (), "kustomization": str(folder), "namespace": None, "all_namespaces": False}
    return at_home({**values, **more}, names)


@needs_kubectl
def test_the_namespace_of_a_kustomization(tmp_path: Path) -> None:
    folder = overlay(tmp_path, "namespace: logging", "namePrefix: team-")
    for names in ((), ("team-log-agent",), ("log-agent",)):
        assert at_overlay(folder, *names)["namespace"] == "logging"
    assert at_overlay(folder, "stranger")["namespace"] is None
    assert at_overlay(folder, offline=True)["namespace"] is None
    with pytest.raises(click.UsageError, match="the kustomization puts daemonset/log-agent into namespace logging"):
        at_overlay(folder, "log-agent", namespace="web")


@needs_kubectl
def test_a_kustomization_that_names_none_or_cannot_be_built(tmp_path: Path) -> None:
    assert at_overlay(overlay(tmp_path))["namespace"] is None
    assert at_overlay(overlay(tmp_path, "resources: [nowhere.yaml]"))["namespace"] is None
    done = fix(
        "-k", overlay(tmp_path, "namespace: logging"), "--from", SHOP, "--cause", "untolerated-taint", "-o", "diff"
    )
    assert (done.code, "+" in done.text) == (0, True), done.err


OTHERWISE = ["--add-toleration", "x", "--offline", "-o", "diff"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "web"], "kustomization.yaml puts it into namespace logging, not web: leave -n out"),
        (["log-agent", "-n", "web"], "kustomization.yaml puts it into namespace logging, not web: leave -n out"),
        (["-n", "logging"], ""),
        (["team-log-agent"], ""),
        (["log-agent"], ""),
    ],
)
def test_a_kustomization_that_is_not_built(words: list[str], said: str, tmp_path: Path) -> None:
    folder = overlay(tmp_path, "namespace: logging", "namePrefix: team-")
    done = fix("-k", folder, *words, *OTHERWISE)
    assert (done.code, said in done.err) == (2 if said else 0, True), done.err


def test_the_name_that_is_put_out_goes_before_that_of_a_source(tmp_path: Path) -> None:
    folder = overlay(tmp_path, "namePrefix: team-")
    (folder / "agent.yaml").write_text(manifest("log-agent") + "---\n" + manifest("team-log-agent"))
    done = fix("-k", folder, "team-log-agent", *OTHERWISE)
    assert done.code == 0, done.err
    assert fix("-k", folder, "log-agent", *OTHERWISE).code == 0
    assert fix("-k", folder, *OTHERWISE).code == 4


def test_a_name_in_two_namespaces_needs_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(manifest("a", "web") + "---\n" + manifest("a", "db"))
    done = fix("-f", tmp_path / "a.yaml", "a", "-n", "other", "--from", SHOP, "--dry-run")
    assert (done.code, "into namespace db, web, not other: name one of them" in done.err) == (2, True), done.err
