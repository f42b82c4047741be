"""Resource quantities, exact: counted in whole nano-units (1e-9), the finest that Kubernetes stores.

Rules: k8s.io/apimachinery pkg/api/resource/{quantity,suffix}.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from dscov.patterns import pattern

NANO = 10**9

_FORM = pattern(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([A-Za-z]*)([+-]?[0-9]*)", re.ASCII)
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
# Beyond this many places a value is 0 (rounded up to 1 nano) or far outside what Kubernetes can hold.
_FAR = 400


@lru_cache(maxsize=65536)
def nanos(text: str) -> int:
    """The quantity in nano-units, rounded away from zero; ValueError where Kubernetes cannot read `text`."""
    found = _FORM.fullmatch(text) if text else None
    if not found:
        raise ValueError(f"{text[:60]!r} is not a quantity")
    sign, whole, fraction, suffix, exponent = found[1], found[2], found[3] or "", found[4], found[5]
    power, factor = _scale(text, suffix, exponent)
    digits = int((whole + fraction)[:4_000] or "0")
    power += 9 - len(fraction) + max(0, len(whole + fraction) - 4_000)
    if not digits or power < -_FAR - len(whole + fraction):
        size = 1 if digits else 0
    elif power >= 0:
        size = digits * factor * 10 ** min(power, _FAR)
    else:
        size = -(-digits * factor // 10**-power)
    return -size if sign == "-" else size


def _scale(text: str, suffix: str, exponent: str) -> tuple[int, int]:
    """The power of ten and the binary factor that a suffix means."""
    if suffix in _BINARY and not exponent:
        return 0, 1 << _BINARY[suffix]
    if suffix in _DECIMAL and not exponent:
        return _DECIMAL[suffix], 1
    if suffix in {"e", "E"} and exponent.lstrip("+-"):
        power = int(exponent) if len(exponent) < 20 else (_FAR if exponent[0] != "-" else -_FAR)
        return max(-2 * _FAR, min(2 * _FAR, power)), 1
    raise ValueError(f"{text[:60]!r} is not a quantity: unknown suffix")


def parse_quantity(text: str) -> Decimal:
    """The exact value of a quantity such as `250m` or `1.5Gi`, rounded away from zero to 1e-9.

    ValueError where Kubernetes cannot read it. Values of 2^63 and more, where Kubernetes' own arithmetic wraps or
    caps, are given as they are written.
    """
    return to_decimal(nanos(text))


def to_decimal(amount: int) -> Decimal:
    """Nano-units as an exact decimal number; a whole number has no fraction digits."""
    whole, rest = divmod(abs(amount), NANO)
    text = f"{'-' if amount < 0 else ''}{whole}"
    return Decimal(f"{text}.{rest:09d}".rstrip("0") if rest else text)


def write(amount: int) -> str:
    """Nano-units as a short quantity for people: the largest binary or decimal unit that is exact, `m` for thousandths."""
    whole, rest = divmod(amount, NANO)
    if rest:
        return f"{amount // 10**6}m" if amount % 10**6 == 0 else str(to_decimal(amount))
    for suffix, bits in reversed(_BINARY.items()):
        if whole and whole % (1 << bits) == 0:
            return f"{whole >> bits}{suffix}"
    return str(whole)
