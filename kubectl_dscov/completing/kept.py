"""Names that were read a moment ago, kept in the user's cache: a prompt cannot wait for a cluster at each TAB.

A file holds the names of one kind as one way leads to them; what it is called hangs on the kubeconfig's files (their
paths, times and sizes) and on the flags, so that another cluster, user or namespace never sees them.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dscov import Overrides

#: Seconds: names of that age are believed; of that age they are told where the cluster does not answer; then forgotten.
FRESH, STALE = 60.0, 3600.0
#: Seconds that a prompt waits for a cluster, all in all.
PATIENCE = 1.5

Read = Callable[[str], tuple[str, ...]]


def names(kind: str, overrides: Overrides, environ: Mapping[str, str], *, read: Read) -> tuple[str, ...]:
    """The names of a kind: kept ones that are fresh, else what `read` tells in time, else older ones, else none."""
    path = folder(environ) / _key(kind, overrides, environ)
    kept, age = _kept(path)
    if age < FRESH:
        return kept
    found = _in_time(read, kind)
    if found is None:
        return kept if age < STALE else ()
    _keep(path, found)
    return found


def folder(environ: Mapping[str, str]) -> Path:
    """Where the names are kept."""
    local = environ.get("LOCALAPPDATA") if os.name == "nt" else environ.get("XDG_CACHE_HOME")
    base = Path(local) if local and Path(local).is_absolute() else Path(environ.get("HOME") or Path.home()) / ".cache"
    return base / "kubectl-dscov" / "names"


def _key(kind: str, overrides: Overrides, environ: Mapping[str, str]) -> str:
    """The name of the file. Nothing of a token or a password can be read from it."""
    from hashlib import sha256

    parts = [kind, *_fields(overrides, namespaced=kind == "daemonsets"), *_files(overrides.kubeconfig, environ)]
    parts += [environ.get(name, "") for name in ("KUBERNETES_MASTER", "KUBERNETES_SERVICE_HOST")]
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _fields(overrides: Overrides, *, namespaced: bool) -> Iterator[str]:
    """The flags that decide on the answer."""
    for name in overrides.__struct_fields__:
        if namespaced or name not in {"namespace", "all_namespaces"}:
            yield f"{name}={getattr(overrides, name)!r}"


def _files(kubeconfig: str, environ: Mapping[str, str]) -> Iterator[str]:
    """The kubeconfig's files with what changes when they are written."""
    listed = kubeconfig or environ.get("KUBECONFIG") or os.path.join(environ.get("HOME", ""), ".kube", "config")  # noqa: PTH118
    for name in listed.split(os.pathsep):
        path = os.path.abspath(name)  # noqa: PTH100 - pathlib would look at links
        try:
            state = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            yield path
        else:
            yield f"{path} {state.st_mtime_ns} {state.st_size} {state.st_ino}"


def _kept(path: Path) -> tuple[tuple[str, ...], float]:
    """What a file holds, and its age in seconds."""
    try:
        age = time.time() - path.stat().st_mtime
        lines = path.read_text("utf-8").split("\n")
    except (OSError, ValueError):
        return (), float("inf")
    # The first line says that the writing was finished; a clock that was set back makes no name eternal.
    return (tuple(lines[1:]), age) if lines[0] == "whole" and age >= -FRESH else ((), float("inf"))


def _in_time(read: Read, kind: str) -> tuple[str, ...] | None:
    """What `read` tells; None where it fails or takes too long. Its thread ends with the process."""
    from threading import Thread

    found: list[tuple[str, ...]] = []

    def look() -> None:
        with contextlib.suppress(Exception):
            found.append(read(kind))

    thread = Thread(target=look, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0] if found else None


def _keep(path: Path, found: tuple[str, ...]) -> None:
    """Write the names for the next TAB, and throw away what is too old; that it cannot be done is no matter."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError, ValueError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = "\n".join(["whole", *(name for name in found if "\n" not in name)])
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        unfinished.replace(path)
        for other in path.parent.iterdir():
            if time.time() - other.stat().st_mtime > STALE:
                other.unlink(missing_ok=True)
