"""Arguments that verbs share: names of objects, selectors and times, checked before the engine is called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dscov import Selector

_KINDS = {
    **dict.fromkeys(("daemonset", "daemonsets", "ds", "daemonset.apps", "daemonsets.apps"), "daemonset"),
    **dict.fromkeys(("node", "nodes", "no"), "node"),
}


def object_name(text: str, *, default: str = "daemonset") -> tuple[str, str]:
    """(kind, name) of `KIND/NAME` as kubectl writes it, or of a bare name of the `default` kind."""
    kind, slash, name = text.rpartition("/")
    if not slash:
        if text.lower() in _KINDS:
            raise click.UsageError(f"{text!r} is a kind: write {text}/NAME")
        return default, text
    if kind.lower() not in _KINDS:
        raise click.UsageError(f"{text!r}: the kind must be daemonset or node, such as daemonset/{name or 'NAME'}")
    if not name:
        raise click.UsageError(f"{text!r}: the name is missing")
    return _KINDS[kind.lower()], name


class SelectorType(click.ParamType["Selector"]):
    """A label selector as `kubectl -l` takes it."""

    name = "selector"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Selector:
        """The selector; a usage error that says what is wrong with it."""
        from dscov import parse_selector

        try:
            return parse_selector(str(value))
        except ValueError as problem:
            self.fail(f"{value!r} is not a label selector: {problem}", param, ctx)


class ExpectType(click.ParamType["Selector"]):
    """Expected nodes: a label selector, or the word `all`."""

    name = "expectation"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Selector:
        """The selector; that of `all` has no requirements."""
        from dscov import read_expectation

        try:
            return read_expectation(str(value))
        except ValueError as problem:
            self.fail(f"{value!r} is neither `all` nor a label selector: {problem}", param, ctx)


class DurationType(click.ParamType[timedelta]):
    """A Go duration."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The span of time."""
        from dscov import parse_duration

        if isinstance(value, timedelta):
            return value
        try:
            return parse_duration(str(value))
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class TimeType(click.ParamType[datetime]):
    """A time in RFC 3339."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The time, aware; without a zone it is UTC."""
        if isinstance(value, datetime):
            return value
        try:
            time = datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a time such as 2026-05-12T09:30:00Z", param, ctx)
        return time if time.tzinfo else time.replace(tzinfo=UTC)


class VersionType(click.ParamType[str]):
    """A Kubernetes version."""

    name = "version"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text, once it is known to hold a version."""
        if value == "":
            return ""
        from dscov import parse_version

        try:
            parse_version(str(value))
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        return str(value)
