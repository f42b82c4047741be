"""Helm as second witness of a change of values, and --offline, with which no other program runs at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from face.fix import fix

ADD = ("--add-toleration", "dedicated:NoSchedule")
OBJECT = (
    "apiVersion: apps/v1\nkind: {kind}\nmetadata:\n  name: dscov-release-{name}\nspec:\n  template:\n    metadata:\n"
)
BODY = "      annotations: {{sum: '{sum}'}}\n    spec:\n      containers: [{{name: a, image: {image}}}]\n"
LIST = "      tolerations:\n      - operator: Exists\n"
NEW = "      - key: dedicated\n        operator: Exists\n        effect: NoSchedule\n"
VALUES = "agent:\n  tolerations:\n    - operator: Exists\n"
TEMPLATE = (
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: {{ .Release.Name }}-agent\nspec:\n  template:\n"
    "    metadata:\n      annotations:\n        sum: {{ toYaml .Values | sha256sum }}\n    spec:\n"
    "      containers: [{name: a, image: x}]\n      {{- with .Values.agent.tolerations }}\n      tolerations:\n"
    "        {{- toYaml . | nindent 8 }}\n      {{- end }}\n"
)
#: A helm that shows `before` until the values speak of what was planned, and notes how it was called.
FAKE = """#!/bin/sh
echo "$1 $2 $KUBECONFIG $HTTPS_PROXY" >> "{folder}/called"
[ -e "{folder}/fails" ] && {{ echo "Error: no such template"; echo "Use --debug"; exit 1; }} >&2
for file in "$3/values.yaml" "$5"; do
  grep -qs dedicated "$file" && exec cat "{folder}/after"
done
cat "{folder}/before"
"""


def rendered(
    name: str = "agent", *, kind: str = "DaemonSet", extra: str = "", image: str = "x", total: str = "1"
) -> str:
    return OBJECT.format(kind=kind, name=name) + BODY.format(sum=total, image=image) + LIST + extra


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("chart/templates").mkdir(parents=True)
    Path("chart/Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 1.0.0\n")
    Path("chart/templates/ds.yaml").write_text(TEMPLATE)
    Path("chart/values.yaml").write_text(VALUES)
    return tmp_path


@pytest.fixture
def helm(chart: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = chart / "bin"
    folder.mkdir()
    (folder / "helm").write_text(FAKE.format(folder=folder))
    (folder / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    (folder / "before").write_text(rendered())
    (folder / "after").write_text(rendered(extra=NEW, total="2"))
    return folder


@pytest.mark.parametrize("values", [(), ("--values", "prod.yaml")])
def test_helm_renders_what_was_planned(helm: Path, values: tuple[str, ...]) -> None:
    Path("prod.yaml").write_text(VALUES)
    done = fix(*values, "--chart", "chart", *ADD, "--yes")
    assert done.code == 0, done.err
    assert "note: helm renders daemonset/dscov-release-agent as planned\n" in done.err
    assert (helm / "called").read_text() == "template dscov-release /dev/null http://127.0.0.1:9\n" * 2


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (rendered(total="2"), "with the new values helm renders no DaemonSet that differs"),
        (rendered(extra=NEW + "      - key: more\n"), "otherwise than planned"),
        (rendered(extra=NEW, image="y"), "otherwise than planned"),
    ],
)
def test_helm_renders_something_else(helm: Path, after: str, said: str) -> None:
    (helm / "after").write_text(after)
    done = fix("--chart", "chart", *ADD, "--yes")
    assert done.code == 4
    assert said in done.err
    assert "--values-path" in done.err
    assert Path("chart/values.yaml").read_text() == VALUES


def test_what_else_the_value_changes_is_told(helm: Path) -> None:
    for name, extra in (("before", ""), ("after", NEW)):
        (helm / name).write_text(rendered(extra=extra) + "---\n" + rendered("web", kind="Deployment", extra=extra))
    done = fix("agent", "--chart", "chart", *ADD, "--yes")
    assert done.code == 0
    assert "as planned; the same value changes Deployment/dscov-release-web" in done.err


def test_a_helm_that_fails_is_told(helm: Path) -> None:
    (helm / "fails").touch()
    done = fix("--chart", "chart", *ADD, "--yes")
    assert done.code == 0
    assert "helm could not render the chart, so its templates were read alone: no such template" in done.err


def test_a_daemonset_that_is_switched_off(helm: Path) -> None:
    (helm / "before").write_text("")
    (helm / "after").write_text("")
    assert "helm renders no DaemonSet with these values" in fix("--chart", "chart", *ADD, "--yes").err


def test_without_helm_the_templates_are_read(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = fix("--chart", "chart", *ADD, "--yes")
    assert (done.code, "there is no helm on the PATH" in done.err) == (0, True)


def test_offline_calls_no_helm(helm: Path) -> None:
    done = fix("--chart", "chart", *ADD, "--yes", "--offline")
    assert (done.code, "helm was not asked" in done.err) == (0, True)
    assert not (helm / "called").exists()


@pytest.mark.skipif(shutil.which("helm") is None, reason="needs helm")
@pytest.mark.parametrize("edit", [ADD, ("--remove-toleration", "*"), ("--change-toleration", "*", "a=b")])
def test_the_real_helm(chart: Path, edit: tuple[str, ...]) -> None:
    done = fix("--chart", "chart", *edit, "--yes")
    assert done.code == 0, done.err
    assert "helm renders daemonset/dscov-release-agent as planned" in done.err


@pytest.mark.skipif(shutil.which("helm") is None, reason="needs helm")
def test_the_real_helm_and_a_value_that_feeds_nothing(chart: Path) -> None:
    Path("chart/values.yaml").write_text(VALUES + "other:\n  tolerations: []\n")
    done = fix("--chart", "chart", "--values-path", "other.tolerations", *ADD, "--yes")
    assert (done.code, "no DaemonSet that differs" in done.err) == (4, True)


DS = (
    TEMPLATE.partition("    metadata:\n")[0].replace("{{ .Release.Name }}-", "")
    + "    spec:\n      containers: [{name: a, image: x}]\n"
)


@pytest.fixture(params=["--offline", "no kubectl"])
def alone(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A kustomization where kustomize is not to be run, or is not there; the flags."""
    monkeypatch.chdir(tmp_path)
    Path("ds.yaml").write_text(DS)
    Path("kustomization.yaml").write_text("resources: [ds.yaml]\nnamePrefix: prod-\n")
    if request.param == "--offline":
        return ("--offline",)
    monkeypatch.delenv("KUBECTL_PATH", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    return ()


@pytest.mark.parametrize("name", ["agent", "prod-agent"])
def test_a_plain_kustomization_needs_no_build(alone: tuple[str, ...], name: str) -> None:
    done = fix(name, "-k", ".", *ADD, "--yes", *alone)
    assert (done.code, done.err) == (0, "wrote ds.yaml\n")
    assert Path("ds.yaml").read_text() == DS + "      tolerations:\n" + NEW


@pytest.mark.parametrize("more", ["patches: [{path: p.yaml}]\n", "components: [c]\n", "helmCharts: []\n"])
def test_more_than_a_plain_one_is_refused(alone: tuple[str, ...], more: str) -> None:
    Path("kustomization.yaml").write_text("resources: [ds.yaml]\n" + more)
    done = fix("agent", "-k", ".", *ADD, "--yes", *alone)
    assert done.code == 4
    assert "kustomiz" in done.err
    assert "-f" in done.err
    assert Path("ds.yaml").read_text() == DS


def test_offline_runs_no_diff_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ds.yaml").write_text(DS)
    tool = tmp_path / "my-diff"
    tool.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    tool.chmod(0o755)
    monkeypatch.setenv("KUBECTL_EXTERNAL_DIFF", str(tool))
    assert "+      tolerations:" in fix("-f", "ds.yaml", *ADD, "--yes", "--offline").text
    assert not Path("ran").exists()


def test_links_inside_the_folder_stay_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shared").mkdir()
    Path("shared/ds.yaml").write_text(DS)
    Path("apps").mkdir()
    Path("apps/ds.yaml").symlink_to("../shared/ds.yaml")
    assert fix("-f", "apps/ds.yaml", *ADD, "--yes").code == 0
    assert Path("apps/ds.yaml").readlink() == Path("../shared/ds.yaml")
    assert "dedicated" in Path("shared/ds.yaml").read_text()


def test_hard_links_are_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ds.yaml").write_text(DS)
    Path("twin.yaml").hardlink_to("ds.yaml")
    done = fix("-f", "ds.yaml", *ADD, "--yes")
    assert done.code == 4
    assert "the other names would keep the old one" in done.err
    assert "find . -samefile ds.yaml" in done.err
    assert Path("twin.yaml").read_text() == Path("ds.yaml").read_text() == DS


def test_a_base_beside_the_folder_and_why_it_is_not_built(alone: tuple[str, ...]) -> None:
    for folder in ("base", "over"):
        Path(folder).mkdir()
    Path("base/ds.yaml").write_text(DS)
    Path("base/kustomization.yaml").write_text("resources: [ds.yaml]\n")
    Path("over/kustomization.yaml").write_text("resources: [../base]\n")
    done = fix("agent", "-k", "over", *ADD, "--yes", *alone)
    why = "and --offline forbids `kubectl kustomize`" if alone else "and there is neither kubectl nor kustomize"
    way = "or leave --offline out." if alone else "or run the command where kubectl is."
    assert (done.code, why in done.err, way in done.err) == (4, True, True), done.err
    assert ("where kubectl is" in done.err) == (not alone)
