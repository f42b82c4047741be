"""A patch of one live DaemonSet: tried on the server first, guarded, never forced, and never left in doubt silently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from dscov.errors import CouldNotLook, NotVerified, Refused, Stale
from dscov.kube.objects import key_of, name_of, part, text
from dscov.outlook import FIELD_MANAGER
from dscov.patches.guard import Operation, guarded
from dscov.sources.access.transport import Response, Transport

JSON_PATCH = "application/json-patch+json"
#: A write that lost against a change of status alone is tried so many times in all.
ATTEMPTS = 8
_AGAIN = "Run the command again to see what is proposed now."

Object = Mapping[str, Any]


class Writer:
    """Writes to DaemonSets through one transport, as the field manager `kubectl-dscov`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def read(self, namespace: str, name: str) -> Object:
        """The DaemonSet as it is now. Raises Stale where it is gone, CouldNotLook where it cannot be read."""
        answer = self._transport.get(_path(namespace, name))
        if answer.status == 404:
            raise Stale(f"daemonset/{name} in namespace {namespace} is gone", remedy=_AGAIN)
        if answer.status != 200:
            raise CouldNotLook(f"daemonset/{name} in namespace {namespace} cannot be read: {_said(answer)}")
        return _decoded(answer)

    def try_out(self, obj: Object, patch: Sequence[Operation]) -> Object:
        """What the server would make of `patch` on `obj`: admission is asked, nothing is stored (dryRun=All)."""
        return self._write(obj, patch, dry=True)

    def write(self, obj: Object, patch: Sequence[Operation], *, expected: Object) -> Object:
        """Apply `patch` to `obj` and return the object as stored; `expected` is what `try_out` answered.

        Raises Stale where the object is not what it was read as, Refused where the server will not have the patch,
        and NotVerified where the connection failed and nobody can say whether the patch was stored.
        """
        try:
            return self._write(obj, patch, dry=False)
        except CouldNotLook as problem:
            return self._after_silence(obj, expected, problem)

    def _write(self, obj: Object, patch: Sequence[Operation], *, dry: bool) -> Object:
        query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict", **({"dryRun": "All"} if dry else {})}
        namespace, name = text(obj, "metadata", "namespace"), name_of(obj)
        check_living(obj)
        for _ in range(ATTEMPTS):
            body = msgspec.json.encode(guarded(obj, patch))
            answer = self._transport.patch(_path(namespace, name), body, query=query, content_type=JSON_PATCH)
            if answer.status == 200:
                return _decoded(answer)
            if answer.status not in {409, 422}:
                raise _refusal(obj, answer)
            fresh = self.read(namespace, name)
            if text(fresh, "metadata", "resourceVersion") == text(obj, "metadata", "resourceVersion"):
                raise _refusal(obj, answer)
            check_same(obj, fresh)
            obj = fresh
        raise Stale(
            f"daemonset/{name} in namespace {namespace} changes all the time; nothing was written", remedy=_AGAIN
        )

    def _after_silence(self, obj: Object, expected: Object, problem: CouldNotLook) -> Object:
        """The connection failed while the server may have been at work: look what it did."""
        namespace, name = text(obj, "metadata", "namespace"), name_of(obj)
        try:
            fresh = self.read(namespace, name)
        except CouldNotLook:
            raise NotVerified(
                f"daemonset/{name} in namespace {namespace}: it is not known whether the patch was stored ({problem}); "
                "it is whole or not there at all"
            ) from problem
        if part(fresh, "spec") == part(expected, "spec"):
            return fresh
        if part(fresh, "spec") == part(obj, "spec"):
            raise CouldNotLook(f"{problem}; the patch of daemonset/{name} was not stored") from problem
        raise Stale(
            f"daemonset/{name} in namespace {namespace} was changed by somebody else", remedy=_AGAIN
        ) from problem


def check_living(obj: Object) -> None:
    """Raise Stale where the object is on its way out: what is written to it goes with it."""
    if text(obj, "metadata", "deletionTimestamp"):
        where = f"daemonset/{name_of(obj)} in namespace {text(obj, 'metadata', 'namespace')}"
        raise Stale(f"{where} is being deleted; nothing was written", remedy="Let it go, or recreate it.")


def check_kept(wanted: Object, answered: Object, fields: Sequence[Sequence[str]]) -> None:
    """Raise Refused where the server makes something else of the `fields` (paths of keys) than what is wanted.

    Defaults that it adds are no difference; what an admission policy puts in their place is.
    """
    for way in fields:
        ours, theirs = (part(obj, *way[:-1]).get(way[-1]) for obj in (wanted, answered))
        if not _holds(theirs, ours):
            where = f"daemonset/{name_of(answered)} in namespace {text(answered, 'metadata', 'namespace')}"
            raise Refused(
                f"{where}: the server makes something else of {'.'.join(way)}; nothing was written",
                remedy="A mutating webhook or admission policy changes this field: make the change there.",
            )


def _holds(theirs: Any, ours: Any) -> bool:
    """Whether all of ours is in theirs."""
    if isinstance(ours, Mapping):
        return isinstance(theirs, Mapping) and all(_holds(theirs.get(key), value) for key, value in ours.items())
    if isinstance(ours, list):
        alike = isinstance(theirs, list) and len(theirs) == len(ours)
        return alike and all(_holds(one, other) for one, other in zip(theirs, ours, strict=True))
    return bool(theirs == ours)


def check_same(planned: Object, fresh: Object) -> None:
    """Raise Stale unless `fresh` is the object that was planned for, but for its status and other managers' notes.

    The status of a DaemonSet changes with every pod; what a plan rests on is identity, spec, and the marks of owners.
    """
    where = f"daemonset/{name_of(planned)} in namespace {text(planned, 'metadata', 'namespace')}"
    if text(planned, "metadata", "uid") != text(fresh, "metadata", "uid"):
        raise Stale(f"{where} was deleted and made anew since it was read; nothing was written", remedy=_AGAIN)
    check_living(fresh)
    if part(planned, "spec") != part(fresh, "spec"):
        raise Stale(f"{where} was changed since it was read; nothing was written", remedy=_AGAIN)
    if _marks(planned) != _marks(fresh):
        raise Stale(
            f"{where} has other labels, annotations or owners since it was read; nothing was written", remedy=_AGAIN
        )


def _marks(obj: Object) -> tuple[object, ...]:
    meta = part(obj, "metadata")
    return part(meta, "labels"), part(meta, "annotations"), meta.get("ownerReferences") or []


def _path(namespace: str, name: str) -> str:
    return f"/apis/apps/v1/namespaces/{quote(namespace, safe='')}/daemonsets/{quote(name, safe='')}"


def _decoded(answer: Response) -> Object:
    try:
        found: Object = msgspec.json.decode(answer.body, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as problem:
        raise CouldNotLook(f"the server's answer: {problem}") from problem
    return found


def _refusal(obj: Object, answer: Response) -> Refused:
    """Why the server will not have it; the object is as it was."""
    where = f"daemonset/{key_of(obj)}"
    said = _said(answer)
    if answer.status == 403 and "cannot patch" in said:
        return Refused(f"{where}: you may not patch it: {said}", remedy="Ask for the verb patch on daemonsets.apps.")
    return Refused(f"{where}: the server refuses the patch: {said}", remedy="Nothing was written.")


def _said(answer: Response) -> str:
    """The message of the Status that the server sent, or the bare number."""
    try:
        status: Object = msgspec.json.decode(answer.body, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        status = {}
    return text(status, "message") or text(status, "reason") or f"HTTP {answer.status}"
