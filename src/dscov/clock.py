"""The time at which a snapshot is judged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from dscov.model.cluster import Snapshot


def time_of(snapshot: Snapshot) -> datetime:
    """When a live cluster was read, by its own clock.

    Of a saved one the newest time that it tells of: the best guess of when it was saved; now where it tells none.

    Times in the far future, which a wrong clock or a broken file may hold, are passed over.
    """
    if snapshot.read_at:
        return snapshot.read_at
    now = datetime.now(UTC)
    return max((time for time in _times(snapshot) if time <= now), default=now)


def _times(snapshot: Snapshot) -> Iterator[datetime]:
    for node in snapshot.nodes:
        yield from (c.since for c in node.conditions if c.since)
        yield from (time for time in (node.created, node.deleted, node.heartbeat) if time)
    for pod in snapshot.pods:
        yield from (time for time in (pod.created, pod.ready_since) if time)
    yield from (event.last for event in snapshot.events if event.last)
