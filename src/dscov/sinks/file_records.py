"""What was written into the user's files, kept so that it can be taken back to the byte: a small file for each writing."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Literal, NamedTuple

import msgspec

from dscov.errors import CouldNotLook, DscovError, Refused, Stale
from dscov.model.edits import TextEdit
from dscov.sinks import files, state


class Piece(msgspec.Struct, frozen=True, rename="camel"):
    """One file of a writing: at offset `at`, `size` bytes took the place of `old`.

    `path` is absolute, as bytes since that is what names are. `before` and `after` are the SHA-256 of the whole file in
    hex; a file that was made has no `before`. No other text of the file is kept, as it may hold secrets.
    """

    path: bytes
    at: int
    size: int
    old: bytes
    before: str | None
    after: str

    @property
    def place(self) -> Path:
        """The file by the name that it was written by: its last part may be a symbolic link."""
        return Path(os.fsdecode(self.path))


class FileRecord(msgspec.Struct, frozen=True, rename="camel"):
    """One writing of files, all of which belong together; `summary` says what it was for."""

    at: datetime
    summary: str
    pieces: tuple[Piece, ...]
    api_version: Literal["dscov.dev/v1"] = "dscov.dev/v1"
    kind: Literal["WrittenFiles"] = "WrittenFiles"


class KeptFiles(NamedTuple):
    """A record with the file that holds it; `changed` is a file that is not as it was written, if there is one."""

    kept: Path
    record: FileRecord
    changed: Path | None


class Undoing(NamedTuple):
    """The files that get their former text, and those that are deleted, with what they hold."""

    restored: tuple[TextEdit, ...]
    removed: tuple[TextEdit, ...]


def write_kept(edits: Sequence[TextEdit], *, summary: str, now: datetime) -> str:
    """Write files as `files.write` does, with a record kept before; why none could be kept, else empty."""
    record = FileRecord(now, summary, tuple(_piece(edit) for edit in edits))
    try:
        path = state.folder("files") / state.file_name(now, record.pieces[0].place.name)
        state.store(path, record, what="the former text")
    except CouldNotLook as problem:
        files.write(edits)
        return str(problem)
    try:
        files.write(edits)
    except BaseException:
        if not any(_digest(piece) == piece.after for piece in record.pieces):
            state.drop(path)
        raise
    return ""


def kept_files(path: str) -> list[KeptFiles]:
    """The writings that touched the file `path`, or files below that folder, the newest first.

    Those that can be taken back one after another, and those whose files were changed since. One whose files are all
    as before (killed before it wrote, taken back, reverted by other means) is passed over.
    """
    place = Path(os.path.realpath(path))
    found: list[KeptFiles] = []
    now: dict[str, str | None] = {}
    for kept, record in state.read(state.folder("files"), FileRecord):
        if not _is_sound(record) or not any(_is_below(piece, place) for piece in record.pieces):
            continue
        seen = {os.path.realpath(piece.place): piece for piece in record.pieces}
        for name, piece in seen.items():
            now.setdefault(name, _digest(piece))
        if all(now[name] == piece.before for name, piece in seen.items()):
            continue
        odd = [piece.place for name, piece in seen.items() if now[name] not in {piece.before, piece.after}]
        found.append(KeptFiles(kept, record, odd[0] if odd else None))
        if not odd:
            now |= {name: piece.before for name, piece in seen.items()}
    return found


def undoing_files(record: FileRecord) -> Undoing:
    """What takes a writing back, to the byte; files that are as before already are left out.

    Raises Stale where a file is neither as it was written nor as before, Refused where the record does not hold.
    """
    restored, removed = [], []
    for piece in record.pieces:
        now = _content(piece)
        if _hash(now) == piece.before:
            continue
        if now is None or _hash(now) != piece.after:
            happened = "was deleted or moved" if now is None else "was changed"
            raise Stale(f"{piece.place}: {happened} since `fix` wrote it; nothing was written", remedy=_by_hand(piece))
        if piece.before is None:
            if piece.at or piece.old or piece.size != len(now):
                reason = f"{piece.place}: the record that `fix` made it is damaged; nothing was written"
                raise Refused(reason, remedy=_by_hand(piece))
            removed.append(TextEdit(str(piece.place), now, b""))
            continue
        former = now[: piece.at] + piece.old + now[piece.at + piece.size :]
        if _hash(former) != piece.before:
            reason = f"{piece.place}: the record of its former text is damaged; nothing was written"
            raise Refused(reason, remedy=_by_hand(piece))
        restored.append(TextEdit(str(piece.place), now, former))
    return Undoing(tuple(restored), tuple(removed))


def take_back(undoing: Undoing) -> None:
    """Restore and delete the files: all of them, or none. Raises as `files.write` and `files.remove` do."""
    back: list[TextEdit] = []
    try:
        for edit in undoing.restored:
            files.write([edit])
            back.append(TextEdit(edit.path, edit.new, edit.old or b""))
        for edit in undoing.removed:
            files.remove(edit.path, edit.old or b"")
            back.append(TextEdit(edit.path, None, edit.old or b""))
    except BaseException:
        for edit in reversed(back):
            with contextlib.suppress(DscovError):
                files.write([edit])
        raise


def _piece(edit: TextEdit) -> Piece:
    path = Path(edit.path).absolute()
    start, end, new = edit.region
    return Piece(
        path=os.fsencode(Path(os.path.realpath(path.parent), path.name)),
        at=start,
        size=len(new),
        old=(edit.old or b"")[start:end],
        before=_hash(edit.old),
        after=hashlib.sha256(edit.new).hexdigest(),
    )


def _is_sound(record: FileRecord) -> bool:
    """Whether every file of a record has a name that can be one, and that means the file it seems to mean."""
    paths = [piece.path for piece in record.pieces]
    with contextlib.suppress(ValueError):
        places = [piece.place for piece in record.pieces]
        return len(set(paths)) == len(paths) > 0 and all(
            place.is_absolute() and ".." not in place.parts and b"\0" not in path
            for place, path in zip(places, paths, strict=True)
        )
    return False


def _is_below(piece: Piece, place: Path) -> bool:
    return any(place in {path, *path.parents} for path in (piece.place, Path(os.path.realpath(piece.place))))


def _content(piece: Piece) -> bytes | None:
    """What the file holds, or None where there is none. Stale where it is no regular file, CouldNotLook."""
    path = piece.place
    try:
        # A file that was made was no link; deleting one would leave its text elsewhere.
        status = path.lstat() if piece.before is None else path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Stale(f"{path}: is no regular file any more; nothing was written", remedy=_by_hand(piece))
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error


def _hash(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _digest(piece: Piece) -> str | None:
    """The SHA-256 of the file as it is, None where there is none, empty where it cannot be told."""
    try:
        return _hash(_content(piece))
    except DscovError:
        return ""


def _by_hand(piece: Piece) -> str:
    return f"See with `git log -p -- {quote(str(piece.place))}` what it was, and change it back by hand."
