"""Every kind of edit on whole files: no line differs that it does not name, and edits lead back to every byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from engine.patches.laws import Outcome, edits_of, judged, places
from engine.patches.surgeon import manifest, patched

from dscov.errors import DscovError
from dscov.model.edits import AddToleration, RemoveToleration, SetNodeSelector, TolerationSpec, UnsetNodeSelector

DATA = Path(__file__).parents[2] / "data"
FILES = sorted((DATA / "manifests").iterdir())
ODD = sorted((DATA / "yaml").glob("*/in.yaml"))
#: What is taken out is put back by meaning: its comments, its quotes and its place among other keys are gone with it.
LOSSY = ("remove ", "unset ", "change to exists")
#: The value that goes has a comment behind it.
COMMENTED = ("windows.yaml", "change toleration's exists")


def judged_all(file: Path) -> list[tuple[str, Outcome]]:
    raw = file.read_bytes()
    return [(kind, judged(raw, place, edit)) for place in places(raw) for kind, edit in edits_of(place)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_named_lines_differ_and_there_is_a_way_back(file: Path) -> None:
    outcomes = judged_all(file)
    for kind, outcome in outcomes:
        lossy = kind.startswith(LOSSY) or (file.name, kind) == COMMENTED
        assert not outcome.fault, kind
        assert outcome.back in ({"bytes", "meaning"} if lossy else {"bytes"}), (kind, outcome)
    assert len(outcomes) >= 10
    assert [outcome.back for _, outcome in outcomes].count("bytes") >= 0.6 * len(outcomes)


def readable(file: Path) -> bool:
    """Whether both readers take the file, and it has a whole DaemonSet."""
    raw = file.read_bytes()
    try:
        list(yaml.compose_all(raw.decode("utf-8-sig"), yaml.SafeLoader))
        return all(place.data["spec"]["template"]["spec"].get("containers") for place in places(raw))
    except (DscovError, yaml.YAMLError, KeyError, TypeError):
        return False


@pytest.mark.parametrize("file", [file for file in ODD if readable(file)], ids=lambda file: file.parent.name)
def test_odd_layouts(file: Path) -> None:
    """Some cannot be edited, and fields that Kubernetes does not know have no way back; no other line ever differs."""
    for kind, outcome in judged_all(file):
        assert not outcome.fault, kind
        assert outcome.back != "none" or outcome.why.startswith(("refused", "no way back: spec.")), (kind, outcome)


def test_what_is_last_comes_back_to_the_byte() -> None:
    """A list with more than one entry: taking the last one out and adding it again."""
    pod = "tolerations:\n- key: a\n  operator: Exists\n- key: b\n  operator: Exists\n"
    text = manifest(pod + "nodeSelector:\n  c: d\n  e: f\ncontainers:\n- name: agent\n  image: x\n")
    for number, one in enumerate("ab"):
        spec = TolerationSpec(one, "Exists")
        before = None if number else TolerationSpec("b", "Exists")
        assert patched(patched(text, [RemoveToleration(spec)]), [AddToleration(spec, before)]) == text
    assert patched(patched(text, [UnsetNodeSelector("e")]), [SetNodeSelector("e", "f")]) == text
    assert patched(patched(text, [UnsetNodeSelector("c")]), [SetNodeSelector("c", "d", before="e")]) == text
