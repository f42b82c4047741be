"""The JSON of events, of v1 and of events.k8s.io/v1, as far as it is read; see wire.py."""

from __future__ import annotations

from dscov.sources.wire import Meta, Time, Wire


class Reference(Wire):
    """The object that an event is about."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class Component(Wire):
    """The source of an event."""

    component: str | None = None


class Series(Wire):
    """A run of equal events."""

    count: int | None = None
    last_observed_time: Time | None = None


class Event(Wire):
    """An event, of v1 or of events.k8s.io/v1."""

    metadata: Meta
    involved_object: Reference | None = None
    regarding: Reference | None = None
    reason: str | None = None
    message: str | None = None
    note: str | None = None
    type: str | None = None
    count: int | None = None
    deprecated_count: int | None = None
    first_timestamp: Time | None = None
    last_timestamp: Time | None = None
    deprecated_first_timestamp: Time | None = None
    deprecated_last_timestamp: Time | None = None
    event_time: Time | None = None
    series: Series | None = None
    source: Component | None = None
    deprecated_source: Component | None = None
    reporting_component: str | None = None
    reporting_controller: str | None = None
