"""What is left alone: each for a reason that names the place, and with a way out."""

from __future__ import annotations

import pytest
from engine.patches.surgeon import ADD, assert_refused, manifest

from dscov.model.edits import (
    ChangeToleration,
    RemoveToleration,
    SetNodeSelector,
    SetUpdateStrategy,
    TolerationSpec,
    UnsetNodeSelector,
)

C = "containers:\n- name: agent\n  image: x:1\n"
A = TolerationSpec("a", "Exists")
LIST = "kind: List\nitems:\n"

REFUSED = {
    "alias": ("tolerations: &t\n- key: a\nx: *t\n" + C, "tolerations in line 8 has the anchor &t", ADD),
    "anchored scalar": (
        "tolerations:\n- key: &k a\n  operator: Exists\nx: *k\n" + C,
        "the anchor &k",
        (ChangeToleration(A, TolerationSpec("b", "Exists")),),
    ),
    "removed anchor": (
        "tolerations:\n- &k\n  key: a\n  operator: Exists\n- key: b\nx: *k\n" + C,
        "the anchor &k",
        (RemoveToleration(A),),
    ),
    "merge key": ("<<: {tolerations: [{key: a}]}\n" + C, "tolerations comes in through a merge key", ADD),
    "merge list": ("<<: [{a: b}, {tolerations: []}]\n" + C, "merge key", ADD),
    "merge both": ("tolerations: []\n<<: {tolerations: [{key: a}]}\n" + C, "merge key", ADD),
    "twice": ("tolerations: []\ntolerations: []\n" + C, "the key tolerations in line 9", ADD),
    "twice quoted": ('tolerations: []\n"tolerations": []\n' + C, "the key tolerations in line 9", ADD),
    "twice elsewhere": (C + "hostNetwork: true\nhostNetwork: false\n", "the key hostNetwork in line 12", ADD),
    "template": ("tolerations: {{ .Values.tolerations }}\n" + C, "a template, not YAML", ADD),
    "template loop": ("{{- range .x }}\ntolerations: []\n{{- end }}\n" + C, "a template, not YAML", ADD),
    "jinja": ("{% if x %}\ntolerations: []\n{% endif %}\n" + C, "a template, not YAML", ADD),
    "tab": ("tolerations:\n\t- key: a\n" + C, "in.yaml:9:7: not YAML", ADD),
    "cut": ("tolerations: [{key: a}, \n" + C, "not YAML", ADD),
    "no list": ("tolerations: none\n" + C, "is no list", ADD),
    "no map": ("nodeSelector: []\n" + C, "", (SetNodeSelector("a", "b"),)),
    "text as a map": ("nodeSelector: ssd\n" + C, "line 8 holds a single value", (SetNodeSelector("a", "b"),)),
    "block value": ("nodeSelector:\n  a: |\n    b\n" + C, "", (SetNodeSelector("a", "c"),)),
    "comment lost": (
        "tolerations: [{key: a, operator: Exists}, # why\n {key: b}]\n" + C,
        "comment",
        (RemoveToleration(A),),
    ),
    "shared line": (
        "x:\n- - a\nnodeSelector: {? a : b}\n" + C,
        "",
        (UnsetNodeSelector("z/z"), SetNodeSelector("a", "c")),
    ),
}


@pytest.mark.parametrize("name", [name for name, case in REFUSED.items() if case[1]])
def test_refused(name: str) -> None:
    spec, why, edits = REFUSED[name]
    assert_refused(manifest(spec), why, edits)


def test_numbers_of_a_strategy_without_numbers() -> None:
    text = manifest(C) + "  updateStrategy:\n    type: OnDelete\n"
    assert_refused(text, "updateStrategy is OnDelete, which has no numbers", [SetUpdateStrategy(max_unavailable=1)])


@pytest.mark.parametrize(
    "template", ["", "template:\n", "template: {}\n", "template: {spec: }\n", "template: {spec: []}\n"]
)
def test_no_pod_template(template: str) -> None:
    text = "kind: DaemonSet\nmetadata: {name: agent}\nspec:\n  selector: {}\n" + (f"  {template}" if template else "")
    assert_refused(text, "daemonset/agent in line 1 has no pod template")


def test_keys_that_kubectl_cannot_read() -> None:
    assert_refused(manifest("? {a: b}\n: c\n" + C), "a key that is no text")
    assert_refused(manifest("x: {[a]: b}\n" + C), "a key that is no text")
    assert_refused(manifest("x:\n  <<: a\n" + C), "a merge key (<<) of something that is no map")


def test_alias_of_another_object() -> None:
    one = "- kind: Deployment\n  metadata: {name: first}\n  spec: &s\n    template: {spec: {tolerations: []}}\n"
    two = "- kind: DaemonSet\n  metadata: {name: agent}\n  spec: *s\n"
    assert_refused(LIST + one + two, "spec in line 9 is the alias *s")


@pytest.mark.parametrize("char", ["\r", "\x85", "\u2028", "\u2029"])
def test_odd_line_ends(char: str) -> None:
    assert_refused(manifest(C).replace("x:1", f"'x:1 {char} y'"), "as a line end")


def test_deep_nesting_is_refused_and_not_followed() -> None:
    assert_refused(manifest("x: " + "[" * 5000 + "]" * 5000 + "\n" + C), "nested deeper")


def test_expanding_aliases_are_not_expanded() -> None:
    """A hundred lines that would grow to 9^20 nodes are edited like any other."""
    from engine.patches.surgeon import patched

    bomb = "x0: &x0 [a]\n" + "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9)}]\n" for i in range(1, 21))
    after = patched(manifest(bomb + C))
    assert after.startswith(manifest(bomb + C).removesuffix("\n"))
    assert "example.com/dedicated" in after
