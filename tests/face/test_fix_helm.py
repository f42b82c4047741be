"""Helm values: the path given, or found in the templates of a chart; lists are written whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from face.fix import fix

ADD = ("--add-toleration", "dedicated:NoSchedule")
DAEMONSET = (
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: {{ .Release.Name }}-%s\nspec:\n  template:\n    spec:\n%s"
)
BELOW = {
    "with": "      {{- with .Values.agent.tolerations }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n",
    "if": "{{- if .Values.agent.tolerations }}\n      tolerations:\n{{ toYaml .Values.agent.tolerations | indent 8 }}\n{{- end }}\n",
    "same line": "      tolerations: {{ toYaml .Values.agent.tolerations | nindent 8 }}\n",
    "fixed ones before": "      tolerations:\n      - operator: Exists\n      {{- if .Values.agent.tolerations }}\n"
    "{{ toYaml .Values.agent.tolerations | indent 6 }}\n      {{- end }}\n      nodeSelector: {{ .Values.other }}\n",
    "range": "      tolerations:\n      {{ range .Values.agent.tolerations -}}\n      - {{ toYaml . | indent 8 | trim }}\n      {{ end }}\n",
    "range of words": "      tolerations:\n      {{- range $i, $t := .Values.agent.tolerations }}\n      - key: {{ $t }}\n      {{- end }}\n",
    "outer with": "      {{- with .Values.agent }}\n      {{- if .tolerations }}\n      tolerations: {{ toYaml .tolerations | nindent 8 }}\n"
    "      {{- end }}\n      {{- end }}\n",
    "helper": '      tolerations: {{ include "x.tolerations" . | nindent 8 }}\n',
}
HELPERS = '{{- define "x.tolerations" -}}\n{{ toYaml .Values.agent.tolerations }}\n{{- end -}}\n'


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("chart/templates").mkdir(parents=True)
    Path("chart/Chart.yaml").write_text("name: x\n")
    Path("chart/templates/_helpers.tpl").write_text(HELPERS)
    Path("chart/templates/ds.yaml").write_text(DAEMONSET % ("agent", BELOW["with"]))
    Path("chart/values.yaml").write_text("agent:\n  # -- Tolerations\n  tolerations:\n    - operator: Exists # all\n")
    return tmp_path


@pytest.mark.parametrize("form", BELOW)
def test_the_path_is_found(chart: Path, form: str) -> None:
    Path("chart/templates/ds.yaml").write_text(DAEMONSET % ("agent", BELOW[form]))
    done = fix("--chart", "chart", *ADD, "--yes")
    assert done.code == 0, done.err
    values = "agent:\n  # -- Tolerations\n  tolerations:\n    - operator: Exists # all\n"
    assert (
        Path("chart/values.yaml").read_text()
        == values + "    - key: dedicated\n      operator: Exists\n      effect: NoSchedule\n"
    )
    assert "Helm replaces lists" in done.err


def test_the_full_list_is_written_where_the_file_has_none(chart: Path) -> None:
    Path("prod.yaml").write_text("# ours\nagent:\n  image: x\n")
    done = fix("--values", "prod.yaml", "--chart", "chart", *ADD, "--yes")
    assert done.code == 0
    assert Path("prod.yaml").read_text() == (
        "# ours\nagent:\n  image: x\n  tolerations:\n  - operator: Exists\n"
        "  - key: dedicated\n    operator: Exists\n    effect: NoSchedule\n"
    )
    again = fix("--values", "prod.yaml", "--chart", "chart", *ADD, "--yes")
    assert "nothing to do" in again.err


def test_what_the_chart_tolerates_already_is_not_written(chart: Path) -> None:
    Path("prod.yaml").write_text("agent: {}\n")
    done = fix("--values", "prod.yaml", "--chart", "chart", "--add-toleration", "*", "--yes")
    assert (done.code, Path("prod.yaml").read_text()) == (0, "agent: {}\n")


def test_a_default_of_the_chart_is_taken_out(chart: Path) -> None:
    Path("prod.yaml").write_text("agent: {image: x}\n")
    done = fix("--values", "prod.yaml", "--chart", "chart", "--remove-toleration", "*", "--yes")
    assert (done.code, Path("prod.yaml").read_text()) == (0, "agent: {image: x, tolerations: []}\n")


@pytest.mark.parametrize("text", ["", "# ours\n", "# ours"])
def test_an_empty_file_gets_the_full_list(chart: Path, text: str) -> None:
    Path("prod.yaml").write_text(text)
    assert fix("--values", "prod.yaml", "--chart", "chart", *ADD, "--yes").code == 0
    new = Path("prod.yaml").read_text()
    assert new.startswith(text)
    assert "agent:\n  tolerations:\n  - operator: Exists\n  - key: dedicated\n" in new


def test_without_the_chart_an_absent_list_is_written_and_its_default_named(chart: Path) -> None:
    """The path is the user's word; what the chart has there is not known, so nothing can be taken out of it."""
    Path("prod.yaml").write_text("agent:\n  image: x\n")
    values = ("--values", "prod.yaml", "--values-path", "agent.tolerations")
    refused = fix(*values, "--remove-toleration", "dedicated", "--yes")
    assert (refused.code, Path("prod.yaml").read_text()) == (4, "agent:\n  image: x\n")
    assert "--chart DIR" in refused.err
    done = fix(*values, *ADD, "--yes")
    assert (done.code, "if the chart has values of its own there, these replace them" in done.err) == (0, True)
    assert Path("prod.yaml").read_text().startswith("agent:\n  image: x\n  tolerations:\n  - key: dedicated\n")
    again = fix(*values, *ADD, "--yes")
    assert (again.code, "replace them" in again.err) == (0, False)


def test_the_last_toleration_leaves_an_empty_list(chart: Path) -> None:
    """Without the key the chart's default would come back."""
    assert fix("--chart", "chart", "--remove-toleration", "*", "--yes").code == 0
    assert Path("chart/values.yaml").read_text() == "agent:\n  # -- Tolerations\n  tolerations: []\n"


def test_more_than_one_value(chart: Path) -> None:
    other = BELOW["with"].replace("agent", "probe")
    Path("chart/templates/probe.yaml").write_text(DAEMONSET % ("probe", other))
    Path("chart/values.yaml").write_text("agent:\n  tolerations: []\nprobe:\n  tolerations: []\n")
    done = fix("--chart", "chart", *ADD, "--yes")
    assert done.code == 4
    assert "agent.tolerations (ds.yaml), probe.tolerations (probe.yaml)" in done.err
    assert fix("my-probe", "--chart", "chart", *ADD, "--yes").code == 0
    assert (
        Path("chart/values.yaml")
        .read_text()
        .startswith("agent:\n  tolerations: []\nprobe:\n  tolerations: [{key: dedicated")
    )


def test_no_value_feeds_it(chart: Path) -> None:
    done = fix("--chart", "chart", "--set-selector", "a=b", "--yes")
    assert done.code == 4
    assert "no value feeds nodeSelector" in done.err


def test_fields_beside_the_named_one(chart: Path) -> None:
    words = ("--set-selector", "disk=ssd", "--set-priority-class", "high")
    assert fix("--values", "chart/values.yaml", "--values-path", "agent.tolerations", *words, "--yes").code == 0
    assert (
        Path("chart/values.yaml")
        .read_text()
        .endswith("# all\n  nodeSelector:\n    disk: ssd\n  priorityClassName: high\n")
    )


def test_dots_inside_keys(chart: Path) -> None:
    Path("chart/values.yaml").write_text("x.y/z:\n  tolerations: []\n")
    assert fix("--values", "chart/values.yaml", "--values-path", r"x\.y/z.tolerations", *ADD, "--yes").code == 0
    assert "tolerations: [{key: dedicated" in Path("chart/values.yaml").read_text()


def test_no_chart_and_no_path(chart: Path) -> None:
    assert fix("--values", "chart/values.yaml", *ADD, "--yes").code == 2
    assert fix("--chart", ".", *ADD, "--yes").code == 3


@pytest.mark.parametrize("own", ["agent:\n  image: x\n", "agent:\n  tolerations: [{key: a}]\n"])
def test_a_toleration_that_is_nowhere_is_told(chart: Path, own: str) -> None:
    Path("prod.yaml").write_text(own)
    done = fix("--values", "prod.yaml", "--chart", "chart", "--remove-toleration", "nobody", *ADD, "--dry-run")
    assert (done.code, "note: there is no toleration nobody to take out\n" in done.err) == (0, True), done.err
