"""Kustomizations: what is there is edited, else a guarded patch is added; kubectl itself says whether it is right."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from face.fix import fix

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")

DS = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
      - name: agent
        image: registry.example/agent:1.0
"""
LIST = "      tolerations:\n      - key: a\n        operator: Exists\n"
OVERLAY = "resources:\n- ../base\nnamePrefix: prod-\nnameSuffix: -x\nnamespace: logging\n"
A = {"key": "a", "operator": "Exists"}
NEW = {"key": "new", "operator": "Exists", "effect": "NoSchedule"}
ADD = ("--add-toleration", "new:NoSchedule")
STRATEGIC = (
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\n"
    + DS.partition("name: agent\n")[2].partition("  selector")[0]
)


@pytest.fixture(params=["with the list", "without the list"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """A base in its own folder and an overlay beside it; what the base tolerates."""
    monkeypatch.chdir(tmp_path)
    listed = request.param == "with the list"
    for folder in ("base", "over", "comp"):
        Path(folder).mkdir()
    Path("base/ds.yaml").write_text(DS + (LIST if listed else ""))
    Path("base/kustomization.yaml").write_text("resources: [ds.yaml]\nnamePrefix: base-\n")
    Path("over/kustomization.yaml").write_text(OVERLAY)
    return [A] if listed else []


def built(folder: str = "over") -> dict:
    done = subprocess.run(["kubectl", "kustomize", folder], check=True, capture_output=True, text=True)
    (daemonset,) = yaml.safe_load_all(done.stdout)
    return daemonset


def tolerations(folder: str = "over") -> list[dict]:
    return built(folder)["spec"]["template"]["spec"].get("tolerations", [])


@pytest.mark.parametrize("name", ["prod-base-agent-x", "agent", None])
def test_a_new_patch_by_any_of_its_names(tree: list[dict], name: str | None) -> None:
    base = Path("base/ds.yaml").read_text()
    done = fix(*([name] if name else []), "-k", "over", *ADD, "--yes")
    assert (done.code, done.err) == (0, "wrote over/dscov-base-agent.yaml\nwrote over/kustomization.yaml\n")
    assert tolerations() == [*tree, NEW]
    assert Path("base/ds.yaml").read_text() == base
    assert Path("over/kustomization.yaml").read_text() == (
        OVERLAY + "patches:\n- path: dscov-base-agent.yaml\n  target:\n    kind: DaemonSet\n    name: base-agent\n"
    )


def test_once_more_does_nothing_and_more_goes_into_the_same_patch(tree: list[dict]) -> None:
    fix("agent", "-k", "over", *ADD, "--yes")
    again = fix("agent", "-k", "over", *ADD, "--yes")
    assert (again.code, again.out) == (0, b"")
    fix("agent", "-k", "over", "--add-toleration", "b", "--yes")
    assert sorted(path.name for path in Path("over").iterdir()) == ["dscov-base-agent.yaml", "kustomization.yaml"]
    assert tolerations() == [*tree, NEW, {"key": "b", "operator": "Exists"}]


def test_the_guard_stops_a_build_when_the_base_changes(tree: list[dict]) -> None:
    fix("agent", "-k", "over", *ADD, "--yes")
    Path("base/ds.yaml").write_text(DS + LIST + "      - key: z\n")
    with pytest.raises(subprocess.CalledProcessError):
        built()


def test_the_source_in_the_folder_itself_is_edited(tree: list[dict]) -> None:
    done = fix("agent", "-k", "base", *ADD, "--yes")
    assert done.err == "wrote base/ds.yaml\n"
    assert tolerations("base") == [*tree, NEW]
    assert tolerations() == [*tree, NEW]


@pytest.mark.parametrize("older", [False, True])
def test_an_inline_strategic_patch_with_the_list(tree: list[dict], older: bool) -> None:
    inner = (
        (STRATEGIC + "  template:\n    spec:\n      tolerations:\n      - key: mine\n").replace("\n", "\n    ").rstrip()
    )
    if older:
        text = OVERLAY + "patchesStrategicMerge:\n- |-\n    " + inner + "\n"
    else:
        text = OVERLAY + "patches:\n- patch: |-\n    " + inner + "\n"
    Path("over/kustomization.yaml").write_text(text.replace("name: agent", "name: base-agent"))
    done = fix("agent", "-k", "over", *ADD, "--yes")
    assert done.err == "wrote over/kustomization.yaml\n"
    assert tolerations() == [{"key": "mine"}, NEW]


def test_an_inline_strategic_patch_without_the_list_is_not_used_for_it(tree: list[dict]) -> None:
    inner = (STRATEGIC + "  template:\n    spec:\n      hostPID: true\n").replace("\n", "\n    ").rstrip()
    text = OVERLAY + "patches:\n- patch: |-\n    " + inner + "\n"
    Path("over/kustomization.yaml").write_text(text)
    assert fix("agent", "-k", "over", *ADD, "--yes").code == 0
    assert tolerations() == [*tree, NEW]
    refused = fix("agent", "-f", "over/kustomization.yaml", "--add-toleration", "b", "--yes")
    assert refused.code == 4
    assert "a new one would replace that of the base" in refused.err


@pytest.mark.parametrize("quoted", [False, True])
def test_an_inline_json_patch(tree: list[dict], quoted: bool) -> None:
    entry = "patches:\n- target: {kind: DaemonSet, name: .*agent}\n  patch: "
    path = "/spec/template/spec/tolerations"
    if quoted:
        entry += f'\'[{{"op": "add", "path": "{path}", "value": [{{"key": "mine"}}]}}]\'\n'
    else:
        entry += f"|-\n    - op: add\n      path: {path}\n      value:\n      - key: mine\n"
    Path("over/kustomization.yaml").write_text(OVERLAY + entry)
    assert fix("agent", "-k", "over", *ADD, "--yes").err == "wrote over/kustomization.yaml\n"
    assert tolerations() == [{"key": "mine"}, NEW]


def test_patch_files(tree: list[dict]) -> None:
    strategic = (STRATEGIC + "  template:\n    spec:\n      tolerations:\n      - key: mine # ours\n").replace(
        "name: agent", "name: base-agent"
    )
    Path("over/p.yaml").write_text(strategic)
    Path("over/kustomization.yaml").write_text(OVERLAY + "patches:\n- path: p.yaml\n")
    assert fix("agent", "-k", "over", *ADD, "--yes").err == "wrote over/p.yaml\n"
    assert tolerations() == [{"key": "mine"}, NEW]
    assert Path("over/p.yaml").read_text().startswith(strategic)


def test_a_patch_file_outside_is_left_alone(tree: list[dict]) -> None:
    outside = "- op: add\n  path: /spec/template/spec/tolerations\n  value: [{key: theirs}]\n"
    Path("comp/p.yaml").write_text(outside)
    Path("comp/kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "patches:\n- path: p.yaml\n  target: {kind: DaemonSet, name: base-agent}\n"
    )
    Path("over/kustomization.yaml").write_text(OVERLAY + "components:\n- ../comp\n")
    assert fix("agent", "-k", "over", *ADD, "--yes").code == 0
    assert Path("comp/p.yaml").read_text() == outside
    assert tolerations() == [{"key": "theirs"}, NEW]


def test_components(tree: list[dict]) -> None:
    head = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: DaemonSet, name: base-agent}\n  patch: |-\n"
    steps = "    - op: add\n      path: /spec/template/spec/tolerations\n      value: [{key: c}]\n"
    Path("comp/kustomization.yaml").write_text(head + steps)
    Path("over/kustomization.yaml").write_text(OVERLAY + "components:\n- ../comp\n")
    assert fix("base-agent", "-k", "comp", *ADD, "--yes").code == 0
    assert tolerations() == [{"key": "c"}, NEW]
    refused = fix("base-agent", "-k", "comp", "--set-selector", "a=b", "--yes")
    assert refused.code == 4
    assert "a component that does not set this field" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ("--set-selector", "disk=ssd"),
        ("--add-affinity", "pool in (a,b)"),
        ("--set-priority-class", "high"),
        ("--set-max-unavailable", "10%"),
    ],
)
def test_the_other_fields(tree: list[dict], words: tuple[str, ...]) -> None:
    before = built()
    assert fix("agent", "-k", "over", *words, "--yes").code == 0
    after = built()
    assert after != before
    assert fix("agent", "-k", "over", *words, "--yes").out == b""
    assert tolerations() == tree


def test_faults_of_the_kustomization(tree: list[dict]) -> None:
    assert fix("agent", "-k", "comp", *ADD, "--yes").code == 2
    assert fix("nobody", "-k", "over", *ADD, "--yes").code == 2
    Path("over/kustomization.yaml").write_text("resources: [../gone]\n")
    done = fix("agent", "-k", "over", *ADD, "--yes")
    assert done.code == 3
    assert "kustomize failed" in done.err


def test_a_base_that_is_not_here_and_a_patch_that_is(tree: list[dict]) -> None:
    entry = "patches:\n- target: {kind: DaemonSet, name: agent}\n  patch: |-\n    - op: add\n"
    entry += "      path: /spec/template/spec/tolerations\n      value: []\n"
    Path("over/kustomization.yaml").write_text("resources: [../gone]\n" + entry)
    assert fix("agent", "-k", "over", *ADD, "--yes").code == 0
    Path("over/kustomization.yaml").write_text(Path("over/kustomization.yaml").read_text().replace("gone", "base"))
    assert tolerations() == [NEW]


def test_a_file_from_beside_the_folder(tree: list[dict]) -> None:
    """kustomize itself needs --load-restrictor for this; its source is outside and stays as it is."""
    Path("over/kustomization.yaml").write_text("resources: [../base/ds.yaml]\n")
    base = Path("base/ds.yaml").read_text()
    assert fix("agent", "-k", "over", *ADD, "--yes").code == 0
    assert Path("base/ds.yaml").read_text() == base
    words = ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", "over"]
    (found,) = yaml.safe_load_all(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert found["spec"]["template"]["spec"]["tolerations"] == [*tree, NEW]


def test_diff_of_a_new_file_applies(tree: list[dict]) -> None:
    Path("x.patch").write_bytes(fix("agent", "-k", "over", *ADD, "-o", "diff").out)
    subprocess.run(["git", "apply", "x.patch"], check=True)
    assert tolerations() == [*tree, NEW]


def test_the_printed_entry_works_in_the_kustomization_it_is_for(tree: list[dict]) -> None:
    done = fix("-k", "over", *ADD, "-o", "kustomize")
    assert done.code == 0, done.err
    with Path("over/kustomization.yaml").open("a") as file:
        file.write(done.text)
    assert tolerations() == [*tree, NEW]
