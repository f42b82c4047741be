"""Quantities: exact, in nano-units."""

from decimal import Decimal

import pytest

from dscov.kube.quantities import nanos, parse_quantity, write


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1", "1"),
        ("100m", "0.1"),
        ("1.5Gi", "1610612736"),
        ("1Ki", "1024"),
        ("1k", "1000"),
        ("1e3", "1000"),
        ("1E", "1000000000000000000"),
        ("1E3", "1000"),
        ("12e-1", "1.2"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-2", "-2"),
        ("+2", "2"),
        ("1n", "0.000000001"),
        ("0.1n", "0.000000001"),
        ("0", "0"),
        ("0.5u", "0.0000005"),
    ],
)
def test_reads(text: str, amount: str) -> None:
    assert parse_quantity(text) == Decimal(amount)


@pytest.mark.parametrize("text", ["", " 1", "1 Gi", "1gi", "Gi1", "1KiB", "0x10", "1e", "--1", "1.2.3", "\u0661"])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="quantity"):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [("1024", "1Ki"), ("1000", "1000"), ("1500m", "1500m"), ("3Gi", "3Gi"), ("0", "0"), ("1n", "1E-9")],
)
def test_writes(text: str, written: str) -> None:
    assert write(nanos(text)) == written
