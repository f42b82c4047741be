"""How long something young may be incomplete before it counts as broken."""

from __future__ import annotations

from datetime import timedelta

import msgspec


class Grace(msgspec.Struct, frozen=True):
    """A node younger than `node` is starting, a pod younger than `pod` with nothing wrong yet too."""

    node: timedelta = timedelta(minutes=10)
    pod: timedelta = timedelta(minutes=5)


#: The grace periods that hold where nobody says else.
USUAL = Grace()


def written(span: timedelta) -> str:
    """A span in the two largest units that say something: `7 h`, `2 d 3 h`, `45 s`."""
    seconds = int(span.total_seconds())
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        parts.append((count, unit))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"
