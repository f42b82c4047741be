"""Whatever the quick reader accepts means the same to the real parser, however a text is spoilt."""

import json
import random

import pytest

from dscov.errors import BadInput
from dscov.yamltext.blocks import UnusualError, read_block
from dscov.yamltext.values import BARE, SEPARATOR, _parsed, read_values

POD = """\
apiVersion: v1
kind: Pod
metadata:
  annotations:
    a/b: |
      multi

        line
    c: '{"x": "y"}'
    d: "q\\nw \\u00e9 \\\\ "
    e: |-
      #!/bin/sh
      \techo
    empty: ""
  managedFields:
  - fieldsV1:
      f:metadata:
        f:labels:
          .: {}
          f:app: {}
      f:spec:
        k:{"name":"x"}:
          .: {}
  name: pod-0  # a comment
  "quoted key": 'it''s'
  ownerReferences: []
spec:
  containers:
  - args:
    - --a=b
    - -v=2
    - 'x: y'
    - :8080
    - -5
    image: docker.io/x@sha256:abc
    resources:
      requests:
        cpu: 100m
  -   name: second
      tty: yes
  -
    name: third
  tolerations:
  - key: a
    tolerationSeconds: 300
  matrix:
  - - 1
    - 0x10
  - - ~
status:
"""
FOLDED = """\
a: plain words
  go on

  and on
b: 'single
  goes on

  too'
c: "double
  goes on \\
  \\  and on"
d: |+
  kept

e: 5
"""
WORDS = [
    "",
    "  ",
    "# c",
    "    x",
    "- z",
    "  - z",
    "-",
    "key:",
    "  key: v",
    "x",
    "    'a",
    '"',
    "|",
    "  a b",
    "- |",
    "? x",
    "- - - a",
    "a: b: c",
]


def spoilt(rng: random.Random, text: str) -> str:
    """`text` with up to three of its lines lost, moved, doubled, indented otherwise, or with a character more or less."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        index = rng.randrange(len(lines))
        line = lines[index]
        place = rng.randint(0, len(line))
        match rng.randrange(8):
            case 0 if len(lines) > 1:
                del lines[index]
            case 1:
                lines[index] = " " * rng.randint(1, 3) + line
            case 2:
                lines[index] = line[rng.randint(1, 3) :]
            case 3:
                lines.insert(index, rng.choice(WORDS))
            case 4:
                lines[index] = line[:place] + rng.choice(" :-'\"#|>{}[],&*!%@`?\\\t~.0") + line[place:]
            case 5:
                lines[index] = line[:place] + line[place + 1 :]
            case 6:
                lines.insert(rng.randrange(len(lines)), line)
            case 7:
                lines = lines[: index + 1]
    return "\n".join(lines)


#: ruamel's scanner refuses a blank first line of a block if it has some, but fewer, spaces; YAML and kubectl do not.
TOO_STRICT = "more indented follow up line than first in a block scalar"


def by_the_parser(text: str) -> object:
    try:
        return next(iter(_parsed(text, "")), None)
    except BadInput as error:
        return error


def agree(value: object, by_parser: object) -> bool:
    return repr(value) == repr(by_parser) or (isinstance(by_parser, BadInput) and TOO_STRICT in str(by_parser))


@pytest.mark.parametrize("text", [POD, FOLDED])
def test_the_usual_is_accepted(text):
    assert repr(read_block(text)) == repr(by_the_parser(text))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", [POD, FOLDED], ids=["pod", "folded"])
def test_what_is_accepted_means_the_same(text, seed):
    rng = random.Random(seed)
    accepted = 0
    for _ in range(400):
        attempt = spoilt(rng, text)
        if BARE.search(attempt) or SEPARATOR.search(attempt):
            continue
        try:
            value = read_block(attempt)
        except UnusualError:
            continue
        accepted += 1
        assert agree(value, by_the_parser(attempt)), attempt
    assert accepted > 20


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1", "a: *x", "a: !!str 1", "a: [1]", "a: {b: c}", "a: >\n  b\n", "<<: {a: b}", "? a\n: b", "a: |2\n   b\n",
        "a: b\n c: d", "a:\n  b: c\n d: e", "- a\nb: c", "a: b\n- c", "just words", "a: 'b' c", 'a: "b" c', "a: \x07", "a: \x85",
        "a: \u2028", "\ta: b", "a:\tb", "a: b: c", "a: b #c\n  d", "null: a", "a: .inf", "a: |\n  \tb\n", "a: |\n b", "@a: b", "a: '",
    ],
)  # fmt: skip
def test_the_unusual_is_left_to_the_parser(text):
    with pytest.raises(UnusualError):
        read_block(text)


def test_broken_documents_are_found_by_their_line():
    text = f"{POD}---\n{POD}---\na: b\n c: d\n"
    with pytest.raises(BadInput, match=rf"^f:{2 * POD.count(chr(10)) + 4}:3: not YAML"):
        read_values(text, "f")


def test_many_documents_with_different_line_ends():
    text = f"# head\n---\n{POD}---\n{POD}"
    assert read_values(text) == read_values(text.replace("\n", "\r\n")) == [read_block(POD)] * 2


def test_real_sizes():
    """A list of many pods, in which every value is its own."""
    pods = [
        {"metadata": {"name": f"pod-{n}", "labels": {"n": str(n)}}, "spec": {"priority": n}, "status": None}
        for n in range(500)
    ]
    lines = ["items:"]
    for pod in pods:
        name, priority = pod["metadata"]["name"], pod["spec"]["priority"]
        lines += [
            "- metadata:",
            f"    name: {name}",
            "    labels:",
            f'      "n": {json.dumps(str(priority))}',
            "  spec:",
            f"    priority: {priority}",
            "  status: null",
        ]
    assert read_values("\n".join(lines)) == [{"items": pods}]
