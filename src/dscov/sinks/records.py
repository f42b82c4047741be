"""What was applied to live objects, kept so that it can be taken back: one small file for each patch."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dscov.errors import CouldNotLook, Stale
from dscov.kube.objects import part, text
from dscov.model.cluster import DaemonSet
from dscov.model.proposals import Option
from dscov.outlook import fields_of
from dscov.patches.guard import Operation, restoring

#: So many records of one cluster are kept; older ones are removed.
KEPT = 50
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


def folder(server: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the records of a cluster are: below XDG_STATE_HOME, one folder a server."""
    base = environ.get("XDG_STATE_HOME") or ""
    if not Path(base).is_absolute():
        # The specification of the folder says to pass over a relative one.
        base = str(Path(environ.get("HOME") or Path.home(), ".local", "state"))
    return Path(base, "kubectl-dscov", "applied", hashlib.sha256(server.encode()).hexdigest()[:16])


def keep(record: Record) -> Path:
    """Write a record, readable by its owner alone; over the one of the same moment, if there is one."""
    place = folder(record.server)
    stamp = record.at.strftime("%Y%m%dT%H%M%S%fZ")
    plain = re.sub(r"[^a-z0-9.-]", "_", f"{record.namespace}.{record.name}")[:150]
    path = place / f"{stamp}.{plain}.json"
    temporary = path.with_suffix(".tmp")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.touch(mode=0o600)
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2))
        temporary.replace(path)
        for old in sorted(place.glob("*.json"))[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise CouldNotLook(f"{path}: the former spec cannot be kept: {error.strerror}") from error
    return path


def drop(path: Path) -> None:
    """Forget a record that stands for nothing any more."""
    path.unlink(missing_ok=True)


def kept(server: str, *, namespace: str = "", name: str = "") -> list[tuple[Path, Record]]:
    """The records of a cluster, the newest first; those that cannot be read are passed over."""
    found = []
    for path in sorted(folder(server).glob("*.json"), reverse=True):
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                continue
            record = msgspec.json.decode(path.read_bytes(), type=Record)
        except (OSError, msgspec.DecodeError, RecursionError):
            continue
        if not all(record.fields) or record.server != server:
            continue
        if namespace in {"", record.namespace} and name in {"", record.name}:
            found.append((path, record))
    return found
