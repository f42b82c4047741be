"""`accept` and the policy through the front door, and the report turned round by node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conformance.command import run
from engine.sources.access.servers import ApiServer, Handler, Seen, running

SHOP = str(Path(__file__).parent.parent.parent / "examples" / "shop")
NOW = ["--now", "2026-05-12T09:30:00Z"]
ASK = ["accept", "ds/log-agent", "-n", "logging", "--nodes", "accelerator", "--reason", "logs go elsewhere"]
DIAGNOSE = ["diagnose", "ds/log-agent", "-n", "logging", "--nodes", "accelerator", "--from", SHOP, *NOW]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    return tmp_path


def test_what_is_accepted_is_no_gap_until_its_end(here: Path) -> None:
    assert run(DIAGNOSE).code == 1
    assert run([*ASK, "--until", "2026-05-31", *NOW, "--yes"]).code == 0
    result = run(DIAGNOSE)
    assert result.code == 0
    assert "ACCEPTED  logging/log-agent on 4 nodes" in result.stdout
    assert "logs go elsewhere" in " ".join(result.stdout.split())
    (found,) = run([*DIAGNOSE, "-o", "json"]).report["daemonsets"]
    (accepted,) = found["accepted"]
    assert accepted["nodes"] == ["gpu-1", "gpu-2", "gpu-3", "gpu-4"]
    assert (accepted["reason"], accepted["until"], accepted["lapsed"]) == ("logs go elsewhere", "2026-05-31", False)
    late = run([*DIAGNOSE[:-1], "2026-06-01T00:00:00Z"])
    assert late.code == 1
    assert "LAPSED" in late.stdout


def test_twice_is_once(here: Path) -> None:
    run([*ASK, "--yes"])
    before = (here / "dscov.yaml").read_bytes()
    result = run([*ASK, "--yes"])
    assert (result.code, "nothing to do" in result.stderr) == (0, True)
    assert (here / "dscov.yaml").read_bytes() == before


def test_nothing_is_written_without_a_yes(here: Path) -> None:
    assert run(ASK).code == 4
    dry = run([*ASK, "--dry-run"])
    assert dry.code == 0
    assert "+- name: logging/log-agent" in dry.stdout
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    "more",
    [
        ["accept", "node/a", "--nodes", "x", "--reason", "r"],
        ["accept", "a", "--nodes", "x in (", "--reason", "r"],
        ["accept", "a", "--nodes", "x", "--reason", " "],
        ["accept", "a", "--nodes", "x", "--reason", "r", "--until", "soon"],
        ["accept", "a", "--nodes", "x", "--reason", "r", "--until", "2020-02-02"],
        ["accept", "a", "--nodes", "x", "--reason", "r", "--until", "2026-05-11", *NOW],
        ["accept", "a", "--reason", "r"],
        ["accept", "a", "--cause", "qouta", "--reason", "r"],
    ],
)
def test_usage(more: list[str], here: Path) -> None:
    assert run([*more, "--yes"]).code == 2
    assert list(here.iterdir()) == []


def test_a_bad_policy_is_named_with_its_line(here: Path) -> None:
    (here / "dscov.yaml").write_text("daemonsets:\n- name: a\n  expects: all\n")
    result = run(DIAGNOSE)
    assert result.code == 3
    assert result.stderr.startswith("error: dscov.yaml:3: daemonsets[0].expects: no such field")


def test_names_are_one_exclusion_and_selectors_one_each(here: Path) -> None:
    run(["accept", "a", "--nodes", "node/x", "--nodes", "p=q", "--nodes", "no/y-*", "--reason", "r", "--yes"])
    text = (here / "dscov.yaml").read_text()
    assert text.count("names:") == text.count("nodes:") == 1


@pytest.mark.parametrize(("word", "warned"), [("gpu-1", True), ("ip-10-0.ec2.internal", True), ("accelerator", False)])
def test_a_name_that_is_written_as_a_selector(word: str, warned: bool, here: Path) -> None:
    result = run(["accept", "a", "--nodes", word, "--reason", "r", "--yes"])
    assert result.code == 0
    assert (f"for the node of that name write node/{word}" in result.stderr) is warned


@pytest.mark.parametrize("word", ["a.b/gpu-1", "pool=gpu-1", "!gpu-1", "node/gpu-1", "all"])
def test_what_cannot_be_the_name_of_a_node_is_not_warned_of(word: str, here: Path) -> None:
    assert "warning" not in run(["accept", "a", "--nodes", word, "--reason", "r", "--yes"]).stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["ds/log-agnt"], "daemonset/log-agnt not found in any namespace; did you mean daemonset/log-agent?"),
        (["ds/log-agent", "-n", "loging"], "daemonset/log-agent not found in namespace loging; it is in logging"),
        (["ds/log-agent", "--nodes", "no/gpu1"], "node/gpu1 not found; did you mean node/gpu-1?"),
        (["ds/log-agent", "--cause", "qouta"], "--cause 'qouta' is no cause; did you mean quota?"),
    ],
)
def test_what_is_named_must_be_in_the_saved_cluster(words: list[str], text: str, here: Path) -> None:
    result = run(["accept", *words, "--nodes", "all", "--reason", "r", "--from", SHOP, "--yes"])
    assert (result.code, text in result.stderr) == (2, True), result.stderr
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("words", [["ds/log-agent", "--nodes", "node/gpu-1"], ["ds/log-*", "--nodes", "node/spot-*"]])
def test_what_is_there_and_what_comes_and_goes(words: list[str], here: Path) -> None:
    result = run(["accept", *words, "--reason", "r", "--from", SHOP, "--yes"])
    assert (result.code, result.stderr) == (0, "wrote dscov.yaml\n")


def test_a_cause_is_accepted_on_all_nodes_or_on_some(here: Path) -> None:
    words = ["accept", "ds/log-agent", "-n", "logging", "--cause", "untolerated-taint", "--reason", "r", "--from", SHOP]
    assert run([*words, "--yes"]).code == 0
    assert "  - cause: untolerated-taint\n    reason: r\n" in (here / "dscov.yaml").read_text()
    assert run(DIAGNOSE).code == 0
    assert run([*words, "--nodes", "node/gpu-1", "--yes"]).code == 0
    exclusion = "  - names:\n    - gpu-1\n    cause: untolerated-taint\n    reason: r\n"
    assert exclusion in (here / "dscov.yaml").read_text()


def test_another_cause_is_not_accepted(here: Path) -> None:
    run(["accept", "ds/log-agent", "-n", "logging", "--cause", "quota", "--reason", "r", "--yes"])
    assert run(DIAGNOSE).code == 1


@pytest.fixture
def server() -> Iterator[str]:
    """An API server that knows the names of one DaemonSet, in namespace web, and one node."""

    def answer(handler: Handler, seen: Seen) -> None:
        kind = seen.path.partition("?")[0].rpartition("/")[2]
        there = {"nodes": ["gpu-1"], "daemonsets": [] if "/other/" in seen.path else ["agent"]}[kind]
        rows = [{"cells": [name]} for name in there]
        handler.reply(200, json.dumps({"columnDefinitions": [{"format": "name"}], "rows": rows}).encode())

    with running(ApiServer()) as found:
        found.answer = answer
        yield found.url


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["agent", "--nodes", "node/gpu-1"], 0, ""),
        (["agent", "-n", "web", "--nodes", "pool=a"], 0, ""),
        (["agnt", "--nodes", "all"], 2, "error: daemonset/agnt not found; did you mean daemonset/agent?\n"),
        (["agent", "-n", "other", "--nodes", "all"], 2, "error: daemonset/agent not found in namespace other\n"),
        (["agent", "--nodes", "node/gpu-2"], 2, "error: node/gpu-2 not found; did you mean node/gpu-1?\n"),
        (["agnt", "--nodes", "node/gpu-2", "--offline"], 0, ""),
    ],
)
def test_a_cluster_tells_what_is_there(words: list[str], code: int, text: str, server: str, here: Path) -> None:
    result = run(["accept", *words, "--reason", "r", "--server", server, "--yes"])
    assert (result.code, result.stderr) == (code, text or "wrote dscov.yaml\n")


def test_no_cluster_answers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["accept", "agent", "--nodes", "all", "--reason", "r"]
    result = run([*words, "--yes"])
    assert (result.code, result.stderr.count("note: whether what is named is there was not checked: ")) == (0, 1)
    assert run([*words, "--server", "http://127.0.0.1:9", "--yes"]).code == 3, "one that is named has to answer"


def test_entries_of_the_policy_that_do_nothing_are_told(here: Path) -> None:
    run(["accept", "ds/log-agnet", "-n", "logging", "--nodes", "all", "--reason", "r", "--yes"])
    result = run(DIAGNOSE)
    assert result.code == 1
    told = "UNUSED dscov.yaml: daemonsets[0] speaks of nothing: no DaemonSet is logging/log-agnet; did you mean"
    assert told in " ".join(result.stdout.split())
    (entry,) = run([*DIAGNOSE, "-o", "json"]).report["metadata"]["unusedPolicy"]
    assert (entry["from"], entry["kind"], entry["near"]) == (
        "dscov.yaml: daemonsets[0]",
        "daemonset",
        "logging/log-agent",
    )
    assert "did you mean logging/log-agent?" in run([*DIAGNOSE, "-o", "markdown"]).stdout


def test_of_a_policy_for_another_cluster_some_entries_are_told(here: Path) -> None:
    rules = "".join(f"- name: nobody-{number}\n  expect: all\n" for number in range(40))
    (here / "dscov.yaml").write_text(f"daemonsets:\n{rules}")
    result = run(DIAGNOSE)
    assert result.stdout.count("UNUSED") == 11
    assert "30 more entries of the policy do nothing" in result.stdout


def test_a_cause_in_the_policy_that_is_nearly_one(here: Path) -> None:
    (here / "dscov.yaml").write_text("daemonsets:\n- name: a\n  accept:\n  - {cause: qouta, reason: r}\n")
    assert "did you mean quota?" in run(DIAGNOSE).stderr


def test_expected_nodes_by_flag() -> None:
    result = run(
        ["diagnose", "ds/log-agent", "-n", "logging", "--from", SHOP, *NOW, "--expect", "kubernetes.io/arch=amd64"]
    )
    assert "UNWANTED  3 nodes" in result.stdout
    assert "[wrong-nodes]" in result.stdout
    assert "Intent: flag." in result.stdout


def test_a_node_tells_what_it_lacks_and_what_that_breaks() -> None:
    result = run(["diagnose", "node/gpu-1", "node/general-07", "--from", SHOP, *NOW])
    text = " ".join(result.stdout.split())
    assert result.code == 1
    assert "node/gpu-1 2 gaps among 6 expected daemons" in text
    assert "breaks: the logs of all pods on this node are not collected" in text
    assert "NODE it is itself in trouble" in text
    assert text.count("[node-lost]") == 1
    assert "breaks: no pod network on this node" in text


def test_a_node_and_a_daemonset() -> None:
    result = run(["diagnose", "node/gpu-1", "ds/log-agent", "--from", SHOP, *NOW, "-o", "json"])
    (found,) = json.loads(result.stdout)["daemonsets"]
    assert (found["name"], [pair["node"] for pair in found["nodes"]]) == ("log-agent", ["gpu-1"])
    assert found["role"]["kind"] == "logs"


def test_a_node_that_is_not_there() -> None:
    result = run(["diagnose", "node/nowhere", "--from", SHOP, *NOW])
    assert (result.code, result.stderr) == (2, "error: node/nowhere not found\n")
