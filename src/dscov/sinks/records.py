"""What was applied to live objects, kept so that it can be taken back: one small file for each patch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dscov.errors import Stale
from dscov.kube.objects import part, text
from dscov.model.cluster import DaemonSet
from dscov.model.proposals import Option
from dscov.outlook import fields_of
from dscov.patches.guard import Operation, restoring
from dscov.sinks import state

_VERSION = "dscov.dev/v1"


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """A patch of one DaemonSet: its spec before and after, and the fields that were written, as paths of keys."""

    server: str
    namespace: str
    name: str
    uid: str
    at: datetime
    summary: str
    fields: tuple[tuple[str, ...], ...]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    api_version: str = _VERSION
    kind: str = "AppliedFix"


def record_of(
    daemonset: DaemonSet, option: Option, *, server: str, now: datetime, expected: Mapping[str, Any]
) -> Record:
    """The record of a patch that is about to be applied; `expected` is the object that the server says it will make."""
    return Record(
        server=server,
        namespace=daemonset.namespace,
        name=daemonset.name,
        uid=daemonset.uid,
        at=now,
        summary=option.summary,
        fields=fields_of(option),
        before=part(daemonset.obj, "spec"),
        after=part(expected, "spec"),
    )


def with_stored(record: Record, stored: Mapping[str, Any]) -> Record:
    """The record with the spec as the server stored it."""
    return msgspec.structs.replace(record, after=part(stored, "spec"))


def is_void(record: Record, fresh: Mapping[str, Any]) -> bool:
    """Whether a record stands for nothing: its patch never came about, or was taken back already."""
    return text(fresh, "metadata", "uid") == record.uid and part(fresh, "spec") == record.before


def undoing(record: Record, fresh: Mapping[str, Any]) -> list[Operation]:
    """The patch that gives `fresh` the former values of the fields; Stale where it is not as the patch left it."""
    where = f"daemonset/{record.name} in namespace {record.namespace}"
    if text(fresh, "metadata", "uid") != record.uid:
        raise Stale(f"{where} was deleted and made anew since; nothing was written")
    if part(fresh, "spec") != record.after:
        remedy = f"`kubectl rollout history daemonset/{record.name} -n {record.namespace}` shows its revisions."
        raise Stale(f"{where} was changed since the patch; nothing was written", remedy=remedy)
    return restoring({"spec": record.before}, record.fields, now={"spec": record.after})


def folder(server: str) -> Path:
    """Where the records of a cluster are: one folder a server."""
    return state.folder("applied", hashlib.sha256(server.encode()).hexdigest()[:16])


def keep(record: Record) -> Path:
    """Write a record, over the one of the same moment, if there is one. CouldNotLook where it cannot be kept."""
    path = folder(record.server) / state.file_name(record.at, f"{record.namespace}.{record.name}")
    state.store(path, record, what="the former spec")
    return path


def kept(server: str, *, namespace: str = "", name: str = "") -> list[tuple[Path, Record]]:
    """The records of a cluster, the newest first; those that cannot be read are passed over."""
    return [
        (path, record)
        for path, record in state.read(folder(server), Record)
        if all(record.fields)
        and record.server == server
        and namespace in {"", record.namespace}
        and name in {"", record.name}
    ]
