"""The reports for people: what comes first, what is folded, what fits the terminal, what Markdown must not act on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from engine.build import NOW, ago, around, crashing, daemonset, lost_node, node, pod, revision, snapshot
from engine.waiting import created

from dscov.diagnosis import diagnose
from dscov.model.findings import Diagnosis
from dscov.model.policy import Settings
from kubectl_dscov.render.coverage import table
from kubectl_dscov.render.markdown import document
from kubectl_dscov.render.marks import escaped


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def judged(*objects: Any, **more: Any) -> Diagnosis:
    return diagnose(snapshot(*objects), now=NOW, settings=Settings(**more))


def cluster() -> Diagnosis:
    """Of four nodes one is lost; `few` lacks one more, `many` two, `well` none."""
    agents = [daemonset(name) for name in ("few", "many", "well")]
    lack = {"few": ["n1"], "many": ["n1", "n2"], "well": []}
    objects: list[Any] = [node("n1"), node("n2"), node("n3"), lost_node("n4")]
    for ds in agents:
        name = ds["metadata"]["name"]
        objects += [ds, revision(ds), pod(ds, "n4", ready=False)]
        objects += [pod(ds, on, crashing()) if on in lack[name] else pod(ds, on) for on in ("n1", "n2", "n3")]
    return judged(*objects)


def test_the_worst_comes_first() -> None:
    text = "".join(table(cluster()))
    assert re.findall(r"^system/(\w+)", text, re.MULTILINE) == ["many", "few"]
    assert "daemonset/many" in text[text.index("Step by step") :]


def test_markdown_folds_nodes_in_trouble() -> None:
    text = "".join(document(cluster()))
    assert [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:] == [
        "3 DaemonSets: system/few, system/many, system/well",
        "system/many",
        "system/few",
    ]
    assert text.count("n4") == 1


def test_markdown_counts_in_good_grammar() -> None:
    ds = daemonset()
    text = "".join(document(judged(*around(ds, pod(ds, "n1", crashing())))))
    assert "\n1 gap, 0 unwanted placements; 1 of 2 expected pods available on 2 nodes.\n" in text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("https://evil.example/x", r"https\://evil.example/x"),
        ("WWW.evil.example", r"WWW\.evil.example"),
        ("a|b `c` [d](e) <b>", r"a\|b \`c\` \[d\]\(e\) &lt;b&gt;"),
        ("nvidia.com/gpu=present:NoSchedule", "nvidia.com/gpu=present:NoSchedule"),
    ],
)
def test_markdown_acts_on_nothing(text: str, wanted: str) -> None:
    assert escaped(text) == wanted


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_wide_is_no_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = "".join(table(cluster(), wide=True)).splitlines()
    assert [line for line in lines if len(line) > columns and "kubectl" not in line] == []
    assert any("many-n1" in line for line in lines)


def test_wide_is_a_table_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert re.search(r"^    n1  unhealthy +crash-loop +many-n1$", "".join(table(cluster(), wide=True)), re.MULTILINE)


def test_the_legend_tells_of_the_words_that_were_used() -> None:
    from dscov.kube.selectors import parse_selector

    assert "GAP: " not in "".join(table(cluster()))
    ds = daemonset()
    text = "".join(table(judged(*around(ds, well=("n1", "n2")), expect=parse_selector("kubernetes.io/hostname=n1"))))
    assert "UNWANTED  1 node: n2" in text
    assert "UNWANTED: a pod where none is meant to be\n" in text
    assert "NOTE: " not in text


def test_there_is_one_form_of_times() -> None:
    text = " ".join("".join(table(cluster())).split())
    assert re.findall(r"since (\S+)", text)
    assert all(
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", time)
        for time in re.findall(r"since (\d{4}\S*|\d\d:\S+)", text)
    )


def test_a_gap_that_nothing_explains_is_a_gap() -> None:
    ds = daemonset()
    text = "".join(table(judged(*around(ds, created(ds, last=ago(30))))))
    assert "  GAP  1 node: n1\n        the controller has made no pod" in text
