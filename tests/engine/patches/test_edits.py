"""Every kind of edit in several handwritings, and the two laws on whole manifests: meaning, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from engine.patches.surgeon import ADD, DEDICATED, assert_patched, manifest, patched

from dscov.errors import NotFound
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveToleration,
    RemoveTolerationSeconds,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    TolerationSpec,
    UnsetNodeSelector,
)
from dscov.patches.manifest import daemonsets, edit_text
from dscov.patches.search import parse
from dscov.patches.source import Source

C = "containers:\n- name: agent\n  image: x:1\n"
T = TolerationSpec
IN, NOT_IN = Expression("pool", "In", ("a", "b")), Expression("pool", "NotIn", ("a",))
TERMS = """affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - key: pool
          operator: In
          values: [a, b]   # ours
"""

#: what it is -> (pod spec before, pod spec after, the edit)
TABLE: dict[str, tuple[str, str, Edit]] = {
    "operator and value": (
        "tolerations:\n- key: a\n  operator: Exists # all\n  effect: NoSchedule\n" + C,
        "tolerations:\n- key: a\n  operator: Equal # all\n  value: b\n  effect: NoSchedule\n" + C,
        ChangeToleration(T("a", "Exists", None, "NoSchedule"), T("a", "Equal", "b", "NoSchedule")),
    ),
    "value goes": (
        "tolerations:\n- key: a\n  value: b # was\n  operator: Equal\n" + C,
        "tolerations:\n- key: a\n  operator: Exists\n" + C,
        ChangeToleration(T("a", "Equal", "b"), T("a", "Exists")),
    ),
    "first key goes": (
        "tolerations:\n- value: b\n  key: a\n" + C,
        "tolerations:\n- key: a\n  operator: Exists\n" + C,
        ChangeToleration(T("a", "Equal", "b"), T("a", "Exists")),
    ),
    "key and effect in quotes": (
        "tolerations:\n- \"key\": \"a\"\n  'effect': 'NoSchedule'\n  operator: Exists\n" + C,
        "tolerations:\n- \"key\": \"b\"\n  'effect': 'NoExecute'\n  operator: Exists\n" + C,
        ChangeToleration(T("a", "Exists", None, "NoSchedule"), T("b", "Exists", None, "NoExecute")),
    ),
    "effect in brackets": (
        "tolerations: [ {key: a, operator: Exists}, {key: b} ]\n" + C,
        "tolerations: [ {key: a, operator: Exists, effect: NoExecute}, {key: b} ]\n" + C,
        ChangeToleration(T("a", "Exists"), T("a", "Exists", effect="NoExecute")),
    ),
    "a value that would be a bool": (
        "tolerations:\n- {key: a, value: b}\n" + C,
        'tolerations:\n- {key: a, value: "yes"}\n' + C,
        ChangeToleration(T("a", "Equal", "b"), T("a", "Equal", "yes")),
    ),
    "seconds": (
        "tolerations:\n- key: a\n  operator: Exists\n  tolerationSeconds: 300   # five minutes\n  effect: NoExecute\n"
        + C,
        "tolerations:\n- key: a\n  operator: Exists\n  effect: NoExecute\n" + C,
        RemoveTolerationSeconds(T("a", "Exists", effect="NoExecute")),
    ),
    "seconds in the middle of brackets": (
        "tolerations: [{tolerationSeconds: 300, operator: Exists}]\n" + C,
        "tolerations: [{operator: Exists}]\n" + C,
        RemoveTolerationSeconds(T(None, "Exists")),
    ),
    "first item": (
        "tolerations:\n# one\n- key: a\n  operator: Exists\n  # belongs to a\n\n# two\n- key: b\n" + C,
        "tolerations:\n# one\n\n# two\n- key: b\n" + C,
        RemoveToleration(T("a", "Exists")),
    ),
    "last item in brackets": (
        "tolerations: [{key: b}, {key: a, operator: Exists}]\n" + C,
        "tolerations: [{key: b}]\n" + C,
        RemoveToleration(T("a", "Exists")),
    ),
    "item on its own line": (
        "tolerations: [\n  {key: b},  # b\n  {key: a, operator: Exists}  # a\n]\n" + C,
        "tolerations: [\n  {key: b}  # b\n]\n" + C,
        RemoveToleration(T("a", "Exists")),
    ),
    "the only one": (
        "hostPID: true\ntolerations:\n- operator: Exists\n" + C,
        "hostPID: true\n" + C,
        RemoveToleration(T(None, "Exists")),
    ),
    "the only one in brackets": (
        "tolerations: [{operator: Exists}]  # all\n" + C,
        "tolerations: []  # all\n" + C,
        RemoveToleration(T(None, "Exists")),
    ),
    "all that are equal": (
        "tolerations:\n- {key: a, value: b}\n- key: c\n- {operator: Equal, key: a, value: b, effect: ''}\n" + C,
        "tolerations:\n- key: c\n" + C,
        RemoveToleration(T("a", "Equal", "b")),
    ),
    "new label": (
        "nodeSelector:\n    disk: ssd # fast\n    # zone: a\n" + C,
        "nodeSelector:\n    disk: ssd # fast\n    # zone: a\n    pool: gpu\n" + C,
        SetNodeSelector("pool", "gpu"),
    ),
    "new label in brackets": (
        'nodeSelector: {"disk": "ssd"}\n' + C,
        'nodeSelector: {"disk": "ssd", "pool": "gpu"}\n' + C,
        SetNodeSelector("pool", "gpu"),
    ),
    "first label": (C, C + "nodeSelector:\n  pool: gpu\n", SetNodeSelector("pool", "gpu")),
    "first label in empty brackets": (
        "nodeSelector: {}\n" + C,
        "nodeSelector: {pool: gpu}\n" + C,
        SetNodeSelector("pool", "gpu"),
    ),
    "first label of null": ("nodeSelector:\n" + C, "nodeSelector:\n  pool: gpu\n" + C, SetNodeSelector("pool", "gpu")),
    "other label value": (
        "nodeSelector:\n  'disk'  :  'hdd'   # slow\n" + C,
        "nodeSelector:\n  'disk'  :  'ssd'   # slow\n" + C,
        SetNodeSelector("disk", "ssd"),
    ),
    "label that looks like a number": (
        'nodeSelector:\n  gen: "1"\n' + C,
        'nodeSelector:\n  gen: "0755"\n' + C,
        SetNodeSelector("gen", "0755"),
    ),
    "quotes of the others": (
        "nodeSelector:\n  disk: 'ssd'\n  gen: '1'\n" + C,
        "nodeSelector:\n  disk: 'ssd'\n  gen: '1'\n  pool: 'gpu'\n" + C,
        SetNodeSelector("pool", "gpu"),
    ),
    "quotes of the others in brackets": (
        'tolerations: [{key: "a", operator: "Exists"}]\n' + C,
        'tolerations: [{key: "a", operator: "Exists", effect: "NoExecute"}]\n' + C,
        ChangeToleration(T("a", "Exists"), T("a", "Exists", effect="NoExecute")),
    ),
    "label goes": (
        "nodeSelector:\n  disk: ssd\n  pool: gpu\n" + C,
        "nodeSelector:\n  pool: gpu\n" + C,
        UnsetNodeSelector("disk"),
    ),
    "last label goes": ("nodeSelector:\n  disk: ssd\n" + C, C, UnsetNodeSelector("disk")),
    "label that is not there": (C, C, UnsetNodeSelector("disk")),
    "affinity from nothing": (
        C,
        C + TERMS.replace(" [a, b]   # ours", "\n          - a\n          - b"),
        AddAffinityExpression(IN),
    ),
    "affinity in every term": (
        TERMS + "      - matchFields:\n        - {key: metadata.name, operator: In, values: [n]}\n      - {}\n" + C,
        TERMS
        + "        - key: pool\n          operator: NotIn\n          values:\n          - a\n"
        + "      - matchFields:\n        - {key: metadata.name, operator: In, values: [n]}\n"
        + "        matchExpressions:\n        - key: pool\n          operator: NotIn\n          values:\n          - a\n"
        + "      - {}\n"
        + C,
        AddAffinityExpression(NOT_IN),
    ),
    "affinity widened": (
        TERMS + C,
        TERMS.replace("[a, b]", "[a, b, c]") + C,
        ChangeAffinityExpression(IN, Expression("pool", "In", ("a", "b", "c"))),
    ),
    "affinity exchanged": (
        TERMS + C,
        TERMS.replace("[a, b]", "[c, b]") + C,
        ChangeAffinityExpression(IN, Expression("pool", "In", ("b", "c"))),
    ),
    "affinity to exists": (
        TERMS + C,
        TERMS.replace("operator: In\n          values: [a, b]   # ours", "operator: Exists") + C,
        ChangeAffinityExpression(IN, Expression("pool", "Exists")),
    ),
    "priority": (C, C + "priorityClassName: high\n", SetPriorityClass("high")),
    "other priority": (
        'priorityClassName: "low"\n' + C,
        'priorityClassName: "high"\n' + C,
        SetPriorityClass("high"),
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    before, after, edit = TABLE[name]
    assert_patched(manifest(before), manifest(after), [edit])


def test_strategy_from_nothing_and_changed() -> None:
    bare, made = manifest(C), manifest(C) + "  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 1\n"
    assert_patched(bare, made, [SetUpdateStrategy(max_unavailable=1)])
    assert_patched(made, made.replace(": 1\n", ": 25%\n"), [SetUpdateStrategy(max_unavailable="25%")])


def test_strategy_type_and_numbers_together() -> None:
    before = manifest(C) + "  updateStrategy:\n    type: OnDelete\n"
    after = (
        manifest(C)
        + "  updateStrategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1\n      maxUnavailable: 0\n"
    )
    assert_patched(before, after, [SetUpdateStrategy(0, 1, "RollingUpdate")])


@pytest.mark.parametrize(
    "edit", [ChangeToleration(T("z"), T("y")), RemoveTolerationSeconds(T("z")), ChangeAffinityExpression(NOT_IN, IN)]
)
def test_a_change_needs_its_object(edit: Edit) -> None:
    with pytest.raises(NotFound):
        patched(manifest(C), [edit])


MANIFESTS = sorted((Path(__file__).parents[2] / "data" / "manifests").iterdir())
WAYS = {
    "toleration": (AddToleration(DEDICATED), RemoveToleration(DEDICATED)),
    "selector": (SetNodeSelector("pool.example/x", "1"), UnsetNodeSelector("pool.example/x")),
}


def only(raw: bytes) -> tuple[Source, object]:
    source = Source("x", raw)
    (place,) = daemonsets(source, parse(source))
    return source, place


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.name)
@pytest.mark.parametrize("way", WAYS)
def test_there_and_back_again(file: Path, way: str) -> None:
    raw = file.read_bytes()
    there, back = WAYS[way]
    source, place = only(raw)
    changed = source.encoded(edit_text(place, [there]))
    assert changed != raw
    source, place = only(changed)
    assert source.encoded(edit_text(place, [back])) == raw


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.name)
def test_the_meaning_is_the_old_one_and_the_plan(file: Path) -> None:
    """By a reader that shares nothing with the engine."""
    raw = file.read_bytes()
    source, place = only(raw)
    after = source.encoded(edit_text(place, ADD)).decode("utf-8-sig").replace("\t#", " #")
    want = list(yaml.safe_load_all(raw.decode("utf-8-sig").replace("\t#", " #")))
    for document in want:
        for one in [document, *document.get("items", [])]:
            if one["kind"] == "DaemonSet":
                spec = one["spec"]["template"]["spec"]
                spec["tolerations"] = [*spec.get("tolerations", []), DEDICATED.fields()]
    assert list(yaml.safe_load_all(after)) == want
