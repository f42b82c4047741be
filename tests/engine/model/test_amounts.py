"""Amounts for people: short, and never so rounded that what is too little looks like enough."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.kube.quantities import NANO, nanos
from dscov.model.capacity import PODS, in_words


@pytest.mark.parametrize(
    ("amount", "resource", "text"),
    [
        ("195846Ki", "memory", "191.2Mi"),
        ("31186182Ki", "memory", "29.7Gi"),
        ("512Mi", "memory", "512Mi"),
        ("1536Mi", "memory", "1.5Gi"),
        ("1023", "memory", "1023"),
        ("1024", "memory", "1Ki"),
        ("1G", "ephemeral-storage", "953.6Mi"),
        ("64Mi", "hugepages-2Mi", "64Mi"),
        ("3Ei", "memory", "3Ei"),
        ("4000Ei", "memory", "4000Ei"),
        ("0", "memory", "0"),
        ("250m", "cpu", "250m"),
        ("1500", "cpu", "1500"),
        ("2048", "nvidia.com/gpu", "2Ki"),
        ("110", PODS, "110"),
    ],
)
def test_in_words(amount: str, resource: str, text: str) -> None:
    assert in_words(nanos(amount), resource) == text


@given(st.integers(0, 2**62), st.integers(0, 2**62))
@settings(derandomize=True)
def test_too_little_never_looks_like_enough(one: int, other: int) -> None:
    free, asked = sorted((one * NANO, other * NANO))
    said_free, said_asked = nanos(in_words(free, "memory")), nanos(in_words(asked, "memory", up=True))
    assert said_free <= free <= asked <= said_asked
    assert said_free < said_asked or free == asked
