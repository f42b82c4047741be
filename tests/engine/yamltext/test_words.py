"""Scalars: what is written means the same string to every reader."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.yamltext.document import read
from dscov.yamltext.words import Tagged, is_safe_plain, written

QUOTES = st.sampled_from(["", "'", '"'])


@settings(derandomize=True, max_examples=500)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12), QUOTES)
def test_any_string_comes_back(text: str, quote: str) -> None:
    (root,) = read(f"a: {written(text, quote=quote)}\n").roots
    assert root.items[0].value == text


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "no",
        "on",
        "off",
        "y",
        "N",
        "true",
        "True",
        "null",
        "~",
        "0755",
        "0o7",
        "1_000",
        "1e3",
        ".5",
        "12:30",
        "1:20:30",
        "2026-01-02",
        "0x1F",
        ".inf",
        ".nan",
        "=",
        "<<",
        "-",
        "a:",
        "#b",
        "a,b",
    ],
)
def test_words_that_mean_something_else_wear_quotes(word: str) -> None:
    assert written(word) == json.dumps(word) or word in ("a,b", "- ")
    assert yaml.safe_load(written(word)) == word


@pytest.mark.parametrize(
    "word",
    ["example.com/dedicated", "node-role.kubernetes.io/control-plane", "a_b", "NoSchedule", "10%", "v1.2.3", "ключ"],
)
def test_words_that_are_safe_stay_bare(word: str) -> None:
    assert is_safe_plain(word)
    assert written(word) == word == yaml.safe_load(word)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("0755", 493),
        ("0o755", 493),
        ("1_000", 1000),
        ("~", None),
        ("1e3", 1000),
        ("1:30", "1:30"),
    ],
)
def test_words_are_read_as_kubectl_reads_them(text: str, value: object) -> None:
    found = read(text).roots[0].value
    assert (found, type(found)) == (value, type(value))


def test_what_kubectl_refuses_is_kept_as_text() -> None:
    assert read(".nan").roots[0].value == Tagged("", ".nan")
    assert read("!x a").roots[0].value == Tagged("!x", "a")
    assert read("!!str 5").roots[0].value == "5"
