"""Scalars, keys, anchors and documents mean what they mean to kubectl; broken texts are refused with their place."""

import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.errors import BadInput
from dscov.yamltext.values import read_values

#: scalar -> its value, or KubectlRefuses
SCALARS = {
    "yes": True, "y": True, "On": True, "TRUE": True, "n": False, "No": False, "off": False, "yEs": "yEs", "oN": "oN",
    "~": None, "null": None, "NULL": None, "nUll": "nUll", '""': "", "'null'": "null", '"yes"': "yes", "'012'": "012",
    "0755": 493, "0o17": 15, "-0o7": -7, "0O17": 15, "0x1F": 31, "0X1f": 31, "+0x10": 16, "0b11": 3, "-0B11": -3, "08": 8, "09": 9,
    "1_000": 1000, "0777_1": 4089, "1__0": 10, "_1": "_1", "1_0.5": 10.5, "+12": 12, "-12": -12, "0": 0, "-0": 0,
    "1:30": "1:30", "190:20:30": "190:20:30", "2001-01-01": "2001-01-01", "2001-01-01T00:00:00Z": "2001-01-01T00:00:00Z",
    ".5": 0.5, "+.5": 0.5, "5.": 5, "1.0": 1, "0.10": 0.1, "1e3": 1000, "12e03": 12000, "1E+2": 100, "-.5e3": -500, "1.e3": 1000,
    "1e": "1e", "1e400": "1e400", ".": ".", "-": None, "+": "+", "0x": "0x", "0o": "0o", "0b": "0b", "0b2": "0b2", "0xg": "0xg",
    "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63),
    "=": "=", "1.2.3": "1.2.3", "1 2": "1 2", "100m": "100m", "1Gi": "1Gi", "v1": "v1", "::1": "::1", "a#b": "a#b",
    "!!str 12": "12", "!!str": "", "!!int '12'": 12, "!!float 3": 3, "!!float '1.5'": 1.5, "!!bool 'yes'": True, "!!null ''": None,
    "!!binary aGk=": "hi", "!foo bar": "bar", "!!timestamp 2001-01-01": "2001-01-01", "! 12": "12",
    "|-\n    a\n    b": "a\nb", ">-\n    a\n    b": "a b", "|\n    0755": "0755\n", '"a\\x41\\u00e9\\n"': "aAé\n",
}  # fmt: skip
del SCALARS["-"]

REFUSED = (
    ".inf",
    "-.Inf",
    ".NaN",
    "!!int x",
    "!!binary x",
    "!!binary é",
    "!!bool 3",
    "*nobody",
    "[",
    "{a",
    "'x",
    "@x",
    "`x",
    "%x",
    "a: b: c",
    "::",
)
KEYS = {"a": "a", "5": "5", "true": "true", "yes": "true", "1.50": "1.5", "0x10": "16", "1e3": "1000",
        "2001-01-01": "2001-01-01", '"y"': "y", "off": "false"}  # fmt: skip


@pytest.mark.parametrize("text", SCALARS)
def test_scalars(text):
    [document] = read_values(f"k: {text}\n")
    assert json.dumps(document) == json.dumps({"k": SCALARS[text]})


@pytest.mark.parametrize("text", KEYS)
def test_keys(text):
    assert read_values(f"{text}: v") == [{KEYS[text]: "v"}]


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    with pytest.raises(BadInput, match=r"^f\.yaml:[12]:\d+: "):
        read_values(f"k: {text}", "f.yaml")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl_reads_the_same():
    """All scalars and keys in one object, as kubectl prints them."""
    data = "".join(f"  k{index}: {text}\n" for index, text in enumerate(SCALARS))
    keys = "".join(f"  {key}: v\n" for key in KEYS)
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n{data}keys:\n{keys}"
    command = ["kubectl", "label", "--local", "-f", "-", "a=b", "-o", "json"]
    said = json.loads(
        subprocess.run(command, input=text, text=True, capture_output=True, check=True, timeout=60).stdout
    )
    [ours] = read_values(text)
    assert ours["data"] == said["data"]
    assert ours["keys"] == said["keys"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("text", REFUSED)
def test_kubectl_refuses_the_same(text):
    object_ = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\nk: {text}\n"
    command = ["kubectl", "label", "--local", "-f", "-", "a=b", "-o", "json"]
    done = subprocess.run(command, input=object_, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("# nothing\n", []),
        ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("---\n---\na: 1\n...\n", [None, {"a": 1}]),
        ("\ufeffa: 1", [{"a": 1}]),
        ('{"a": 1}', [{"a": 1}]),
        ('\n [1, {"a": null}]\n', [[1, {"a": None}]]),
        ("{a: 1, b: [x, 'y']}", [{"a": 1, "b": ["x", "y"]}]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ("a: 1\r\nb:\r\n- c\r\n", [{"a": 1, "b": ["c"]}]),
        ("a:\n- b\n-\n- - c\n", [{"a": ["b", None, ["c"]]}]),
        ("a: 1\na: 2\n", [{"a": 2}]),
        ("x: &a {b: 1, c: 3}\ny: {<<: *a, c: 4}", [{"x": {"b": 1, "c": 3}, "true": {"b": 1, "c": 4}}]),
        ("x: &a {b: 1}\nz: {b: 5, <<: *a}", [{"x": {"b": 1}, "z": {"b": 1}}]),
        ("x: &a {b: 1}\nz: {<<: [*a, {b: 2, c: 3}]}", [{"x": {"b": 1}, "z": {"b": 1, "c": 3}}]),
        ('x: &a {b: 1}\nz: {"<<": *a}', [{"x": {"b": 1}, "z": {"<<": {"b": 1}}}]),
        ("a: &x 1\nb: *x\nc: &x 2\nd: *x", [{"a": 1, "b": 1, "c": 2, "d": 2}]),
        ("- <<\n- <<: {a: 1}", [["<<", {"a": 1}]]),
        ("'a: b'", ["a: b"]),
    ],
)
def test_documents(text, values):
    assert read_values(text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1,\n", r"f:\d+:\d+: not YAML: "),
        ("a: b\n c: d\n", r"f:2:3: not YAML: "),
        ("\ta: b", r"f:1:1: not YAML: "),
        ("a: 'x", r"f:1:[67]: not YAML: "),
        ("a: \x07", r"f: not YAML: .*0007"),
        ("a: *b", "f:1:4: unknown anchor 'b'"),
        ("&x [1, *x]", "f:1:8: anchor 'x' contains itself"),
        ("{<<: 3}", r"f:1:6: a merge key \(<<\) needs a mapping"),
        ("? {a: b}\n: c", "f:1:.*: a key must be a text"),
        ("null: a", "f:1:1: a key must be a text"),
        ("{" * 300, "f:"),
        ("[" * 300, "f:"),
        ('{"a": 1', "f:"),
        ('{"a": 1}}', "f:"),
    ],
)
def test_broken(text, message):
    with pytest.raises(BadInput, match=message):
        read_values(text, "f")


def test_alias_bomb():
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    with pytest.raises(BadInput, match="aliases"):
        read_values(f"a0: &a0 [{', '.join(['x'] * 9)}]\n{levels}", "f")


def test_honest_aliases():
    text = "a: &a {x: 1, z: [1, 2, 3]}\nb:\n" + "- *a\n" * 5
    assert read_values(text)[0]["b"] == [{"x": 1, "z": [1, 2, 3]}] * 5


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.dictionaries(st.text(max_size=8), PLAIN, max_size=4))
def test_json_is_read_as_json_and_as_yaml(value):
    text = json.dumps(value)
    assert read_values(text) == [value]
    printable = re.sub(r"[^\x20-\x7e]", "?", text)
    assert read_values(f"k: {printable}") == [{"k": json.loads(printable)}]
