"""Records in the user's state folder, so that what was done can be taken back: small JSON files that only he may read."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from dscov.errors import CouldNotLook

Kind = TypeVar("Kind", bound=msgspec.Struct)

#: So many records are kept in a folder; older ones are removed.
KEPT = 50


def folder(*names: str) -> Path:
    """The folder of these names below that of the program in XDG_STATE_HOME. CouldNotLook where there is no home."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not Path(base).is_absolute():
        # The specification of the folder says to pass over a relative one.
        try:
            base = str(Path(os.environ.get("HOME") or Path.home(), ".local", "state"))
        except RuntimeError as error:
            raise CouldNotLook("there is no home folder; XDG_STATE_HOME can name another place") from error
    return Path(base, "kubectl-dscov", *names)


def file_name(at: datetime, about: str) -> str:
    """The name of a record: by its time, so that names have the order of time, and with what it is about."""
    return f"{at:%Y%m%dT%H%M%S%fZ}.{re.sub(r'[^a-z0-9.-]', '_', about)[:150]}.json"


def store(path: Path, record: msgspec.Struct, *, what: str) -> None:
    """Write a record, whole or not at all, over the one of the same name; the oldest go.

    Raises CouldNotLook, which says that `what` cannot be kept.
    """
    temporary = path.with_suffix(".tmp")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(record), indent=2))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise CouldNotLook(f"{path}: {what} cannot be kept: {error.strerror}") from error
    with contextlib.suppress(OSError):
        # What a run that was killed left behind is old some day, too.
        for old in sorted([*path.parent.glob("*.json"), *path.parent.glob("*.tmp")])[:-KEPT]:
            old.unlink(missing_ok=True)


def read(place: Path, kind: type[Kind]) -> Iterator[tuple[Path, Kind]]:
    """The records in a folder, the newest first; those that cannot be read are passed over.

    Raises CouldNotLook where the folder is there and cannot be read.
    """
    try:
        paths = sorted(place.iterdir(), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise CouldNotLook(f"{place}: {error.strerror}") from error
    for path in (path for path in paths if path.suffix == ".json"):
        try:
            if stat.S_ISREG(path.lstat().st_mode):
                yield path, msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, RecursionError):
            continue


def drop(path: Path) -> None:
    """Forget a record that stands for nothing any more; where it cannot be deleted it does no harm."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
