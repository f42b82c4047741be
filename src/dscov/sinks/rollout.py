"""Watching a DaemonSet roll, by its status alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import msgspec

from dscov.errors import CouldNotLook
from dscov.kube.objects import part
from dscov.sinks.cluster import Writer

#: Seconds between two looks.
PERIOD = 2.0


class Progress(msgspec.Struct, frozen=True):
    """How far a rollout is: pods wanted, of the new revision, and available; `seen` once the controller took it up."""

    seen: bool
    desired: int
    updated: int
    available: int

    @property
    def is_done(self) -> bool:
        """Whether every pod wanted is of the new revision and available."""
        return self.seen and self.updated >= self.desired and self.available >= self.desired


def follow(
    writer: Writer, namespace: str, name: str, *, seconds: float, sleep: Callable[[float], None] = time.sleep
) -> Iterator[Progress]:
    """The progress, again and again, until the time is up. A look that fails is passed over; Stale where it is gone."""
    end = time.monotonic() + seconds
    while True:
        try:
            obj = writer.read(namespace, name)
        except CouldNotLook:
            obj = {}
        if obj:
            status = part(obj, "status")
            yield Progress(
                seen=_number(status, "observedGeneration") >= _number(part(obj, "metadata"), "generation"),
                desired=_number(status, "desiredNumberScheduled"),
                updated=_number(status, "updatedNumberScheduled"),
                available=_number(status, "numberAvailable"),
            )
        if time.monotonic() + PERIOD > end:
            return
        sleep(PERIOD)


def _number(obj: object, field: str) -> int:
    found = part(obj).get(field)
    return found if isinstance(found, int) else 0
