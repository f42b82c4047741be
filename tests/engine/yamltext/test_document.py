"""Where nodes lie: the text of every node is its own, by the parser's own marks corrected where they lie."""

from __future__ import annotations

import pytest

from dscov.errors import BadInput
from dscov.yamltext.document import read


def shown(text: str) -> list[str]:
    document = read(text)
    return [f"{node.kind} {text[node.start : node.end]!r}" for root in document.roots for node in root.walk()]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a: b # c\n", ["map 'a: b'", "scalar 'a'", "scalar 'b'"]),
        ("a:   # c\nb: 1\n", ["map 'a:   # c\\nb: 1'", "scalar 'a'", "scalar ''", "scalar 'b'", "scalar '1'"]),
        ("- \n- x\n\n# c\n", ["list '- \\n- x'", "scalar ''", "scalar 'x'"]),
        ("a: |-\n  x\n\n\nb: c\n", ["map 'a: |-\\n  x\\n\\n\\nb: c'", "scalar 'a'", "scalar '|-\\n  x'", "scalar 'b'", "scalar 'c'"]),
        ("a: |+\n  x\n\n\nb: c\n", ["map 'a: |+\\n  x\\n\\n\\nb: c'", "scalar 'a'", "scalar '|+\\n  x\\n\\n'", "scalar 'b'", "scalar 'c'"]),
        ("[a, {b: c}, ]\n", ["list '[a, {b: c}, ]'", "scalar 'a'", "map '{b: c}'", "scalar 'b'", "scalar 'c'"]),
        ("&x !!map {a: *y}\n--- &y\na: *y\n", None),
        ("a: &x\n  b: c\nd: *x\n", ["map 'a: &x\\n  b: c\\nd: *x'", "scalar 'a'", "map '&x\\n  b: c'", "scalar 'b'", "scalar 'c'", "scalar 'd'", "alias '*x'"]),
        ("a: b\tc\t# d\n", ["map 'a: b\\tc'", "scalar 'a'", "scalar 'b\\tc'"]),
    ],
)  # fmt: skip
def test_spans(text: str, nodes: list[str] | None) -> None:
    if nodes is None:
        with pytest.raises(BadInput, match=r"the alias \*y has no anchor"):
            read(text)
    else:
        assert shown(text) == nodes


@pytest.mark.parametrize(
    "text", ["", "# only\n", "---\n", "--- a\n--- b\n...\n--- c\n", "%YAML 1.1\n%TAG ! !x\n---\na: b\n"]
)
def test_documents(text: str) -> None:
    assert len(read(text).roots) == (0 if text in ("", "# only\n") else 3 if "c" in text else 1)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n\t- b\n", "x.yaml:2:1"),
        ("a: [b\n", "x.yaml:2:1"),
        ("a: b: c\n", "x.yaml:1:5"),
        ("a: *b\n", "x.yaml:1:4"),
        ("a: b\n c: d\n", "x.yaml:2:3"),
        ('a: "\\q"\n', "x.yaml:1:6"),
        ("a: \x07\n", "x.yaml"),
        ("[" * 500 + "]" * 500, "x.yaml:1:101"),
        ("? " * 300, "x.yaml:1:"),
    ],
)
def test_faults_have_a_place(text: str, place: str) -> None:
    with pytest.raises(BadInput) as fault:
        read(text, path="x.yaml")
    assert str(fault.value).startswith(place)


@pytest.mark.parametrize(
    "text",
    [
        "a: b\t\n",
        "a:\tb\n",
        "a: [\tb,\t\n\tc ]\n",
        "a: b\t# c\n",
        "- a\n-\t# c\n",
        "a: |\t\n  b\n",
        "a: |-2\t# c\n   b\n",
    ],
)
def test_tabs_that_kubectl_takes(text: str) -> None:
    if "-\t" in text:
        with pytest.raises(BadInput):
            read(text)
    else:
        read(text)
