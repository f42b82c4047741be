"""How long something young may be incomplete before it counts as broken, and how spans of time are written."""

from __future__ import annotations

import re
from datetime import timedelta

import msgspec

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = r"([0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})(ns|us|µs|ms|s|m|h)"


class Grace(msgspec.Struct, frozen=True):
    """A node younger than `node` is starting, a pod younger than `pod` with nothing wrong yet too."""

    node: timedelta = timedelta(minutes=10)
    pod: timedelta = timedelta(minutes=5)


#: The grace periods that hold where nobody says else.
USUAL = Grace()


def parse_duration(text: str) -> timedelta:
    """The span of a Go duration such as `10m` or `1h30m`; `0` needs no unit. ValueError for anything else."""
    if text != "0" and not re.fullmatch(f"(?:{_PART})+", text):
        raise ValueError(f"{text!r} is not a duration such as 90s, 10m or 1h30m")
    try:
        return timedelta(seconds=sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, text)))
    except OverflowError:
        raise ValueError(f"{text!r} is longer than any time") from None


def span_text(span: timedelta) -> str:
    """A span in the two largest units that say something: `7 h`, `2 d 3 h`, `45 s`."""
    seconds = int(span.total_seconds())
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        parts.append((count, unit))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"
