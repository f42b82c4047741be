"""Files written whole or not at all: mode, owner and links are kept, and a file that changed meanwhile is refused."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import IO

from dscov.errors import CouldNotLook, Refused
from dscov.model.edits import TextEdit

_SUFFIX = ".dscov-tmp"
_LONGEST = 200
_PARTED = "part them with cp and mv, or change them all with -o diff and an editor that writes in place."
_AGAIN = "Run the command again to see what the change looks like now."


def write(edits: Sequence[TextEdit]) -> None:
    """Write every edit: all are checked before the first is written, new files first, each whole or not at all."""
    for edit in edits:
        _check(edit)
    made: list[Path] = []
    try:
        for edit in sorted(edits, key=lambda edit: edit.old is not None):
            _replace(edit)
            if edit.old is None:
                made.append(Path(edit.path))
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise


def remove(path: str, content: bytes) -> None:
    """Delete a file that holds just this. Refused where it holds something else, CouldNotLook where it cannot be."""
    file = Path(path)
    try:
        if not stat.S_ISREG(file.lstat().st_mode) or file.read_bytes() != content:
            raise Refused(f"{path}: changed since it was read", remedy=_AGAIN)
        file.unlink()
        _sync_folder(file.parent)
    except OSError as error:
        raise CouldNotLook(f"{path}: could not be deleted: {error.strerror}") from error


def replacing(path: str, new: bytes) -> TextEdit:
    """The edit that gives a file this content, whatever it holds now, or makes it. CouldNotLook where it is no file."""
    try:
        there = os.path.lexists(path)
        if there and not stat.S_ISREG(Path(path).stat().st_mode):
            raise Refused(f"{path}: not a regular file", remedy="Name another file.")
        old = Path(path).read_bytes() if there else None
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error
    return TextEdit(path, old, new)


def _check(edit: TextEdit) -> None:
    path = Path(edit.path)
    if edit.old is None:
        if os.path.lexists(path):
            raise Refused(f"{edit.path}: is there already", remedy="Move it away, or edit it by hand.")
        return
    target = path.resolve()
    try:
        status = target.stat()
        # A pipe or a device is not read, which may never end.
        now = target.read_bytes() if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        raise Refused(f"{edit.path}: {error.strerror}", remedy=_AGAIN) from error
    if now is None:
        raise Refused(f"{edit.path}: not a regular file", remedy="Use -o diff and apply the patch by hand.")
    if now != edit.old:
        raise Refused(f"{edit.path}: changed since it was read", remedy=_AGAIN)
    if status.st_nlink > 1:
        reason = (
            f"{edit.path}: has {status.st_nlink} hard links: a write that is whole or not at all makes a new file, and "
            "the other names would keep the old one"
        )
        raise Refused(reason, remedy=f"Find them with: find . -samefile {quote(edit.path)}; {_PARTED}")


def _replace(edit: TextEdit) -> None:
    target = Path(edit.path).resolve()
    try:
        _sweep(target)
        with _beside(target) as (file, temporary):
            file.write(edit.new)
            file.flush()
            if edit.old is not None:
                _take_over(target, file.fileno())
            os.fsync(file.fileno())
            _check(edit)
            temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise CouldNotLook(f"{edit.path}: could not be written: {error.strerror or error}") from error


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A locked temporary file in the folder of `target`, gone afterwards unless it took the place of `target`."""
    descriptor, name = tempfile.mkstemp(prefix=f".{_stem(target)}.", suffix=_SUFFIX, dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _lock(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            yield file, temporary
    finally:
        temporary.unlink(missing_ok=True)


def _take_over(target: Path, descriptor: int) -> None:
    """Owner, mode and extended attributes (access lists) of the old file; an owner that cannot be kept is an error."""
    status = target.stat()
    if os.name != "posix":
        return
    mine = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                os.setxattr(descriptor, name, os.getxattr(target, name))


def _sweep(target: Path) -> None:
    """Take away what a run that was killed left beside `target`; a run that still lives holds a lock on its own."""
    for stray in target.parent.glob(f".{_escaped(_stem(target))}.*{_SUFFIX}"):
        with contextlib.suppress(OSError), stray.open("rb") as file:
            if _lock(file.fileno()):
                stray.unlink(missing_ok=True)


def _stem(target: Path) -> str:
    """As much of its name as leaves room, in the 255 bytes that a name may have, for what is put around it."""
    return os.fsdecode(os.fsencode(target.name)[:_LONGEST])


def _escaped(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _lock(descriptor: int) -> bool:
    """Lock an open file while it is open; False where another process has it. Where there are no locks, True."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Let the name last, too, where the folder can be opened for it: the file is written whatever comes of this."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
