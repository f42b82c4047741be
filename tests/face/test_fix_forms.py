"""Every form of a patch does the same thing, for the tools that take it: git, kubectl patch and kustomize."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from face.fix import DATA, fix

kubectl = shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(kubectl is None, reason="needs kubectl")

PLANS = {
    "add": ["--add-toleration", "example.com/dedicated=a:NoSchedule"],
    "add two": ["--add-toleration", "one:NoSchedule", "--add-toleration", "two"],
    "selector": ["--set-selector", "disk/type=ssd"],
    "affinity": ["--add-affinity", "pool in (a,b)"],
    "priority": ["--set-priority-class", "system-node-critical"],
    "numbers": ["--set-max-unavailable", "17%"],
    "everything": [
        *("--add-toleration", "one:NoSchedule", "--set-selector", "disk=ssd", "--add-affinity", "!virtual"),
        *("--set-priority-class", "high", "--set-max-unavailable", "2"),
    ],
}
OWN = {
    "kubectl-get.yaml": [
        *("--change-toleration", "maintenance=planned:NoExecute", "maintenance:NoExecute"),
        *("--remove-toleration", "node-role.kubernetes.io/control-plane:NoSchedule"),
        *("--remove-toleration-seconds", "maintenance:NoExecute"),
    ],
    "gpu-agent.yaml": [
        *("--change-affinity", "accelerator in (a100,h100)", "accelerator in (a100,b200,l4)"),
        *("--remove-toleration", "nvidia.com/gpu:NoSchedule", "--set-max-surge", "1", "--set-max-unavailable", "0"),
    ],
    "log-shipper.yaml": [
        "--unset-selector",
        "kubernetes.io/os",
        "--remove-toleration",
        "spot",
        "--add-toleration",
        "x",
    ],
    "list.json": ["--remove-toleration", "dedicated=net:NoSchedule", "--set-selector", "kubernetes.io/os=windows"],
    "windows.yaml": ["--unset-selector", "kubernetes.io/os", "--add-toleration", "y:NoExecute"],
    "bare.yaml": ["--set-update-strategy", "OnDelete", "--add-affinity", "a", "--add-affinity", "cores>4"],
}
EVERY = [(name, key) for name in OWN for key in PLANS] + [(name, "") for name in OWN]


def flags(name: str, key: str) -> list[str]:
    return PLANS[key] if key else OWN[name]


def call(*words: object, folder: Path | None = None) -> str:
    return subprocess.run([str(w) for w in words], cwd=folder, check=True, capture_output=True, text=True).stdout


def scheduling(daemonset: dict) -> dict:
    spec = daemonset["spec"]["template"]["spec"]
    fields = ("tolerations", "nodeSelector", "affinity", "priorityClassName")
    strategy = daemonset["spec"].get("updateStrategy") or None
    return {name: spec.get(name) or None for name in fields} | {"updateStrategy": strategy}


def only_daemonset(text: str) -> dict:
    found = []
    for document in yaml.safe_load_all(text):
        found += [one for one in [document, *(document.get("items") or [])] if one["kind"] == "DaemonSet"]
    (daemonset,) = found
    return daemonset


def normal(text: str) -> str:
    """The text as the second reader can take it: it knows no tab in front of a comment."""
    return text.replace("\t#", " #")


@pytest.mark.parametrize(("name", "key"), EVERY)
def test_git_takes_the_diff(name: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a folder").mkdir()
    file = tmp_path / "a folder" / name
    before = (DATA / "manifests" / name).read_bytes()
    file.write_bytes(before)
    patch = fix("-f", "a folder", *flags(name, key), "-o", "diff")
    assert patch.code == 0
    assert file.read_bytes() == before
    written = fix("-f", "a folder", *flags(name, key), "--yes")
    assert written.code == 0
    after = file.read_bytes()
    file.write_bytes(before)
    Path("x.patch").write_bytes(patch.out)
    if patch.out:
        call("git", "apply", "--check", "x.patch")
        call("git", "apply", "--whitespace=nowarn", "x.patch")
    assert file.read_bytes() == after
    if patch.out:
        call("git", "apply", "-R", "--whitespace=nowarn", "x.patch")
    assert file.read_bytes() == before


@pytest.mark.parametrize("words", [["-f", "../app/bare.yaml"], ["-k", "../app"]])
def test_git_takes_the_diff_of_a_file_above_the_folder(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("tree/app", "tree/other"):
        (tmp_path / folder).mkdir(parents=True)
    top = tmp_path / "tree"
    file = top / "app" / "bare.yaml"
    before = (DATA / "manifests" / "bare.yaml").read_bytes()
    file.write_bytes(before)
    (top / "app" / "kustomization.yaml").write_text("resources: [bare.yaml]\n")
    call("git", "init", "--quiet", top)
    monkeypatch.chdir(top / "other")
    flags = (*words, *PLANS["add"], "--offline")
    patch = fix(*flags, "-o", "diff")
    assert (patch.code, patch.out.splitlines()[0]) == (0, b"--- a/app/bare.yaml")
    assert fix(*flags, "--output-dir", "out").code == 0
    assert Path("out/bare.patch").read_bytes() == patch.out
    call("git", "apply", "other/out/bare.patch", folder=top)
    after = file.read_bytes()
    assert after != before
    assert fix(*flags, "--yes").err.endswith("nothing to do, all is as asked\n")
    call("git", "apply", "-R", "other/out/bare.patch", folder=top)
    assert file.read_bytes() == before


@needs_kubectl
@pytest.mark.parametrize(("name", "key"), EVERY)
def test_four_forms_agree(name: str, key: str, tmp_path: Path) -> None:
    before = only_daemonset(normal((DATA / "manifests" / name).read_text()))
    base = tmp_path / "base.json"
    base.write_text(json.dumps(before))
    wanted = scheduling(
        only_daemonset(normal(fix("-f", DATA / "manifests" / name, *flags(name, key), "-o", "yaml").text))
    )
    forms = {
        form: fix("-f", DATA / "manifests" / name, *flags(name, key), "-o", form)
        for form in ("json-patch", "strategic", "kustomize")
    }
    results = {}
    for form, kind in (("json-patch", "json"), ("strategic", "strategic")):
        file = tmp_path / form
        file.write_bytes(forms[form].out)
        done = call(kubectl, "patch", "--local", "-f", base, "--type", kind, "--patch-file", file, "-o", "json")
        results[form] = scheduling(json.loads(done))
    (tmp_path / "kustomization.yaml").write_text("resources: [base.json]\n" + forms["kustomize"].text)
    results["kustomize"] = scheduling(only_daemonset(call(kubectl, "kustomize", tmp_path)))
    assert results == dict.fromkeys(results, wanted)


@needs_kubectl
def test_guards_stop_a_patch_on_another_base(tmp_path: Path) -> None:
    """The list-present form on a base without the list, and the list-absent form on one with it: both fail, loudly."""
    with_list = only_daemonset((DATA / "manifests" / "kubectl-get.yaml").read_text())
    without = only_daemonset((DATA / "manifests" / "bare.yaml").read_text())
    for source, base in (("kubectl-get.yaml", without), ("bare.yaml", with_list)):
        (tmp_path / "base.json").write_text(json.dumps(base))
        (tmp_path / "patch").write_bytes(fix("-f", DATA / "manifests" / source, *PLANS["add"], "-o", "json-patch").out)
        words = ["patch", "--local", "-f", tmp_path / "base.json", "--type", "json", "--patch-file", tmp_path / "patch"]
        with pytest.raises(subprocess.CalledProcessError) as failure:
            call(kubectl, *words)
        assert "test" in failure.value.stderr
