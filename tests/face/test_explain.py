"""`explain` of one pair through the front door: plain answers, the causes, what to do, and intent."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from conformance.command import run

from dscov import Cause, page, registry
from dscov.explanation import Step
from kubectl_dscov.render import examples, walk

SHOP = ["--from", str(Path(__file__).parent.parent.parent / "examples" / "shop")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def told(*arguments: str) -> str:
    result = run(["explain", *arguments, *SHOP])
    assert result.code == 0, result.stderr
    return " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("daemonset", "node", "texts"),
    [
        (
            "log-agent",
            "gpu-1",
            [
                "excluded, a gap",
                "NO Is taint nvidia.com/gpu=present:NoSchedule tolerated?",
                "NO Does the controller want a pod here?",
                "error taint nvidia.com/gpu=present:NoSchedule is not tolerated [untolerated-taint]",
                "patch: tolerate nvidia.com/gpu=present:NoSchedule",
                "kubectl dscov fix daemonset/log-agent -n logging --from",
            ],
        ),
        (
            "node-exporter",
            "gpu-1",
            ["the toleration nearest to it is nvidia.com/gpu=true:NoSchedule (tolerations[4]), whose value differs"],
        ),
        (
            "runtime-guard",
            "storage-1",
            ["[crash-loop]", "do: mend container runtime-guard", "kubectl -n security logs"],
        ),
        ("log-agent", "general-01", [": covered yes", "yes Is the pod available? yes Is the pod of the current"]),
    ],
)
def test_the_pair(daemonset: str, node: str, texts: list[str]) -> None:
    text = told(f"ds/{daemonset}", f"node/{node}")
    for part in texts:
        assert part in text


def test_it_speaks_of_this_node_only() -> None:
    text = told("ds/log-agent", "node/gpu-1")
    assert "node-lost" not in text
    assert "general-07" not in text


def test_intent_and_accepted_gaps(here: Path) -> None:
    assert "yes Is it meant to run here? inferred: the nodes" in told("ds/log-agent", "node/gpu-1")
    (here / "dscov.yaml").write_text(
        "daemonsets:\n- name: logging/log-agent\n  expect: all\n"
        "  accept:\n  - {names: [gpu-1], reason: no logs}\n  - {names: [gpu-2], reason: later, until: 2026-01-31}\n"
    )
    accepted = told("ds/log-agent", "node/gpu-1")
    assert "node/gpu-1: excluded yes" in accepted
    assert "yes Is it meant to run here? policy: all nodes" in accepted
    assert "yes Is the gap accepted? no logs (dscov.yaml: daemonsets[0].accept[0])" in accepted
    lapsed = told("ds/log-agent", "node/gpu-2")
    assert "node/gpu-2: excluded, a gap" in lapsed
    assert "NO Is the gap accepted? accepted until 2026-01-31 only (later), these are gaps again" in lapsed


def test_it_is_not_meant_here() -> None:
    assert "NO Is it meant to run here? flag: the nodes with kubernetes.io/os=windows" in told(
        "ds/log-agent", "node/general-01", "--expect", "kubernetes.io/os=windows"
    )


def test_no_question_is_asked_with_a_no_in_it() -> None:
    """A double negative is what a reader trips over."""
    for question, *_ in walk._QUESTIONS.values():
        assert question.endswith("?")
        assert not {"not", "no", "none", "never"} & set(question[:-1].lower().split())


def test_a_pod_that_could_not_be_looked_for() -> None:
    assert walk._sentence(Step("created", "unknown")) == "Is there a pod? pods could not be read"


def test_every_cause_has_a_page() -> None:
    for cause in registry():
        assert page(cause).strip()
        assert run(["explain", cause.slug]).stdout.startswith(f"{cause.slug}  {cause.code}\n")


def pattern(says: str) -> str:
    """What a sentence of the cause looks like, whatever the facts."""
    return "".join(".*" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{\w+\})", says))


@pytest.mark.parametrize("cause", registry(), ids=lambda cause: cause.slug)
def test_the_page_of_a_cause_shows_what_a_finding_of_it_says(cause: Cause) -> None:
    said = examples.example(cause)
    assert re.fullmatch(pattern(cause.says), said)
    assert not re.search(r"\{\w+\}", said)
    assert f"For example: {said}" in " ".join(run(["explain", cause.slug]).stdout.split())


def test_every_example_is_of_a_cause() -> None:
    assert {cause.slug for cause in registry()} >= examples._SAID.keys()


@pytest.mark.parametrize("cause", registry(), ids=lambda cause: cause.slug)
def test_facts_that_only_a_reader_of_the_code_knows_have_an_example(cause: Cause) -> None:
    """A new cause needs none as long as its facts stand apart as words do: <taint>, not <gist><words>."""
    if re.search(r"[^ (]\{|^\{|\}\w", cause.says):
        assert cause.slug in examples._SAID, "give it an example in kubectl_dscov/render/examples.py"


def test_without_an_example_the_facts_are_named() -> None:
    cause = msgspec.structs.replace(registry()[0], slug="new-one", says="taint {taint} is new")
    assert examples.example(cause) == "taint <taint> is new"
