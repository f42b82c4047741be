"""A snapshot from saved files: `kubectl get -o json|yaml`, cluster-info dumps, must-gather, support bundles.

A path is a file, a folder, a tar archive, any of them gzipped, or `-` for standard input. Files that are no JSON or
YAML and objects of no use are passed over and counted; a file that should be readable and is not is named with its line.
"""

from __future__ import annotations

import gzip
import io
import mmap
import os
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from dscov.errors import BadInput, NotFound
from dscov.model.cluster import NotSeen, Snapshot, Source
from dscov.patterns import pattern
from dscov.sources.gather import Gathering
from dscov.sources.kinds import not_seen

#: One file after decompression; beyond it the file is refused rather than the memory filled.
LIMIT = 4 * 2**30

#: What a shell puts in place of `<(kubectl get ...)`: a pipe that somebody writes to.
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")

_TAR_BLOCK = 512
_PIECE = 4 * 2**20

_TEXT_ENDINGS = frozenset({".json", ".yaml", ".yml"})
#: What a file that should have been readable says of itself near its beginning.
_OURS = pattern(rb"\"?kind\"?:\s*\"?(Node|Pod|DaemonSet|ControllerRevision|Event|)List\b")
_TRAILING = pattern(r"trailing characters \(byte (\d+)\)")
_POSITION = pattern(r"\(byte (\d+)\)")
#: Bare arrays have no kind: support bundles name it by the folder or the file.
_KIND_BY_NAME = {
    "nodes": "Node",
    "pods": "Pod",
    "daemonsets": "DaemonSet",
    "events": "Event",
    "namespaces": "Namespace",
    "resource-quota": "ResourceQuota",
    "priorityclasses": "PriorityClass",
}

Text = bytes | mmap.mmap | memoryview


def read_saved(path: str, *, kubernetes_version: str = "") -> Snapshot:
    """The snapshot in `path`. Raises NotFound where there is no such file, BadInput where nothing in it can be read.

    `kubernetes_version` (such as v1.31.6) overrules what the files tell of the server.
    """
    gathering = Gathering()
    failures = list(_take_all(gathering, path))
    snapshot = gathering.snapshot(Source("saved", path=path), version=kubernetes_version)
    unread = [
        NotSeen(
            problem.path, "read", "Malformed", "what is in this file is missing from the report", detail=str(problem)
        )
        for problem in failures
    ]
    if not gathering.kinds_seen:
        raise failures[0] if failures else BadInput(_nothing(gathering), path=path)
    return msgspec.structs.replace(snapshot, not_seen=(*snapshot.not_seen, *unread, *_absent(gathering, snapshot)))


def _nothing(gathering: Gathering) -> str:
    found = ", ".join(f"{count} {what}" for what, count in gathering.skipped.most_common(3))
    wanted = "save some with `kubectl get nodes,daemonsets,pods,controllerrevisions,events -A -o json`"
    return f"no Kubernetes objects of use in it{f' (only {found})' if found else ''}; {wanted}"


def _absent(gathering: Gathering, snapshot: Snapshot) -> Iterator[NotSeen]:
    """Kinds without which the answer has holes and of which the files hold none. No pods can also be the truth."""
    there = gathering.kinds_seen
    counts = [(ds.reported.current_number_scheduled, ds.reported.number_misscheduled) for ds in snapshot.daemonsets]
    holes = ["Node"] if "Node" not in there else []
    holes += ["Pod"] if "Pod" not in there and any(map(any, counts)) else []
    holes += [kind for kind in ("DaemonSet", "ControllerRevision", "Event") if kind not in there]
    for kind in holes:
        yield not_seen(kind, verb="read", reason="NotSaved", detail=f"none in {snapshot.source.path}")


def _take(gathering: Gathering, name: str, text: Text, *, sure: bool) -> BadInput | None:
    """Take the documents of one file; give back what is wrong with it. `sure`: the user named this very file."""
    start = _start(text)
    if sure and start >= len(text):
        return BadInput("empty", path=name, line=1)
    try:
        if text[start : start + 1] in {b"{", b"["}:
            _take_json(gathering, name, memoryview(text)[start:])
        else:
            _take_yaml(gathering, name, _unicode(name, text))
    except BadInput as problem:
        return problem
    except msgspec.DecodeError as problem:
        if not sure and isinstance(problem, msgspec.ValidationError) and not _OURS.search(bytes(text[: 2**16])):
            gathering.skipped["files of another kind"] += 1
            return None
        return _syntax(name, text, start, str(problem))
    except RecursionError:
        return BadInput("nested too deeply to be a Kubernetes object", path=name)
    return None


def _take_json(gathering: Gathering, name: str, text: memoryview) -> None:
    """One document, or several written one after the other as `kubectl cluster-info dump` does."""
    kind = _kind_by_name(name)
    while text:
        try:
            gathering.document(text, name, kind=kind)
        except msgspec.DecodeError as problem:
            more = _TRAILING.search(str(problem))
            if not more:
                raise
            end = int(more[1]) - 1  # the count includes the first character that is too much
            gathering.document(text[:end], name, kind=kind)
            text = text[end:]
        else:
            return


def _take_yaml(gathering: Gathering, name: str, text: str) -> None:
    """Every YAML document, turned into JSON."""
    from dscov.yamltext.values import read_values

    for value in read_values(text, name):
        if value is None:
            continue
        try:
            document = msgspec.json.encode(value)
        except (TypeError, ValueError, OverflowError) as problem:
            raise BadInput(f"not an API object: {problem}", path=name) from problem
        gathering.document(document, name, kind=_kind_by_name(name))


def _start(text: Text) -> int:
    """Where the first character that is no white space stands."""
    found = pattern(rb"[^\s]").search(text)
    return found.start() if found else len(text)


def _unicode(name: str, text: Text) -> str:
    try:
        return bytes(text).decode()
    except UnicodeDecodeError as problem:
        line = bytes(text[: problem.start]).count(b"\n") + 1
        raise BadInput("not UTF-8 text", path=name, line=line) from problem


def _syntax(name: str, text: Text, start: int, problem: str) -> BadInput:
    """A JSON error with its line and column, counted from 1; the text was read from `start` on."""
    where = _POSITION.search(problem)
    offset = start + int(where[1]) if where else len(text)
    before = bytes(text[:offset])
    what = _POSITION.sub("", problem).strip().removeprefix("JSON is malformed: ")
    return BadInput(
        f"not valid JSON: {what}", path=name, line=before.count(b"\n") + 1, column=offset - before.rfind(b"\n")
    )


def _kind_by_name(name: str) -> str:
    path = PurePosixPath(name.replace("!", "/"))
    return _KIND_BY_NAME.get(path.stem) or _KIND_BY_NAME.get(path.parent.name, "")


def _take_all(gathering: Gathering, path: str) -> Iterator[BadInput]:
    """Take every file in `path` that may hold objects; yields what is wrong with files."""
    for name, content, sure in _files(path):
        try:
            for inner, text in _opened(name, content()):
                problem = _take(gathering, inner, text, sure=sure and inner == name)
                if problem:
                    yield problem
        except BadInput as problem:
            yield problem


def _files(path: str) -> Iterator[tuple[str, Callable[[], Text], bool]]:
    """(name, how to read it, whether the user named it) of every file in `path` that may hold objects."""
    top = Path(path)
    if path in {"-", "/dev/stdin"}:
        yield "standard input", sys.stdin.buffer.read, True
    elif top.is_dir():
        closed: list[OSError] = []
        for folder, folders, files in os.walk(top, onerror=closed.append):
            for name in sorted((*files, *(one for one in folders if Path(folder, one).is_symlink()))):
                file = Path(folder, name)
                if file.is_symlink() and not file.is_file():
                    yield str(file), partial(_not_followed, file), False
                elif _promising(name) and file.is_file():
                    yield str(file), partial(_content, file), False
            folders.sort()
        yield from ((str(problem.filename), partial(_closed, problem), False) for problem in closed)
    elif top.is_file() or (top.exists() and path.startswith(_DESCRIPTORS)):
        yield path, partial(_content, top), True
    elif top.exists():
        raise BadInput("neither a file nor a folder: reading it may never end; use - for standard input", path=path)
    else:
        raise NotFound(f"{path}: no such file or folder")


def _closed(problem: OSError) -> Text:
    raise BadInput(f"cannot be read: {problem.strerror}", path=str(problem.filename))


def _not_followed(file: Path) -> Text:
    raise BadInput("a link to a folder, or to nothing, is not followed", path=str(file))


def _content(file: Path) -> Text:
    """A plain file, mapped rather than copied where it is large."""
    try:
        with file.open("rb") as stream:
            if file.stat().st_size > 2**20:
                return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            return stream.read()
    except OSError as problem:
        raise BadInput(f"cannot be read: {problem.strerror}", path=str(file)) from problem


def _promising(name: str) -> bool:
    path = PurePosixPath(name.removesuffix(".gz"))
    return path.suffix in _TEXT_ENDINGS or name.endswith((".tar", ".tar.gz", ".tgz"))


def _opened(name: str, text: Text) -> Iterator[tuple[str, Text]]:
    """The file itself, or what is in it where it is compressed or an archive."""
    try:
        if text[:2] == b"\x1f\x8b":
            text = _gunzip(name, text)
        if text[257:262] != b"ustar":
            yield name, _utf8(text)
            return
        with tarfile.open(fileobj=io.BytesIO(text)) as archive:
            for member in archive:
                if member.isfile() and _promising(member.name) and member.size <= LIMIT:
                    stream = archive.extractfile(member)
                    yield from _opened(f"{name}!{member.name}", stream.read() if stream else b"")
                elif not member.isdir() and _promising(member.name):
                    raise BadInput("a link in an archive is not followed", path=f"{name}!{member.name}")
            rest = bytes(text[archive.offset :])
            # tarfile stops without a word where a later header is damaged or missing.
            if len(rest) < _TAR_BLOCK or rest.strip(b"\0"):
                raise BadInput("damaged or cut: it does not end as an archive does", path=name)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as problem:
        raise BadInput(f"not a readable archive: {problem}", path=name) from problem


def _gunzip(name: str, text: Text) -> bytes:
    content = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(text)) as stream:
        while piece := stream.read(_PIECE):
            content += piece
            if len(content) > LIMIT:
                raise BadInput(f"more than {LIMIT // 2**30} GiB when decompressed", path=name)
    return bytes(content)


def _utf8(text: Text) -> Text:
    """Without a byte order mark; UTF-16, as PowerShell redirects, as UTF-8."""
    if text[:3] == b"\xef\xbb\xbf":
        return memoryview(text)[3:]
    if text[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return bytes(text).decode("utf-16", errors="replace").encode()
    return text
