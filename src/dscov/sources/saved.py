"""A snapshot from saved files: `kubectl get -o json|yaml`, cluster-info dumps, must-gather, support bundles.

A path is a file, a folder, a tar archive, any of them gzipped, or `-` for standard input. Files that are no JSON or
YAML and objects of no use are passed over and counted; a file that should be readable and is not is named with its line.
"""

from __future__ import annotations

import gzip
import io
import mmap
import re
import sys
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from dscov.errors import BadInput, NotFound
from dscov.model.cluster import NotSeen, Snapshot, Source
from dscov.sources.gather import Gathering, not_seen

#: One file after decompression; beyond it the file is refused rather than the memory filled.
LIMIT = 8 * 2**30

_TEXT_ENDINGS = frozenset({".json", ".yaml", ".yml"})
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_POSITION = re.compile(r"\(byte (\d+)\)")
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
    failures = [problem for file in _files(path) if (problem := _take(gathering, *file))]
    snapshot = gathering.snapshot(Source("saved", path=path), version=kubernetes_version)
    unread = [NotSeen(place_of(problem), "read", "Malformed", str(problem)) for problem in failures]
    if not gathering.kinds_seen:
        raise failures[0] if failures else BadInput(_nothing(gathering), path=path)
    return msgspec.structs.replace(snapshot, not_seen=(*snapshot.not_seen, *unread, *_absent(gathering, snapshot)))


def place_of(problem: BadInput) -> str:
    """The file of a problem."""
    return problem.path


def _nothing(gathering: Gathering) -> str:
    found = ", ".join(f"{count} {what}" for what, count in gathering.skipped.most_common(3))
    wanted = "save some with `kubectl get nodes,daemonsets,pods,controllerrevisions,events -A -o json`"
    return f"no Kubernetes objects of use in it{f' (only {found})' if found else ''}; {wanted}"


def _absent(gathering: Gathering, snapshot: Snapshot) -> Iterator[NotSeen]:
    """Kinds without which the answer has holes and of which the files hold none. No pods can also be the truth."""
    if not snapshot.nodes and "Node" not in gathering.kinds_seen:
        yield not_seen("Node", verb="read", reason="NotSaved")
    scheduled = any(
        ds.reported.current_number_scheduled or ds.reported.number_misscheduled for ds in snapshot.daemonsets
    )
    if "Pod" not in gathering.kinds_seen and scheduled:
        yield not_seen("Pod", verb="read", reason="NotSaved")
    for kind in ("DaemonSet", "ControllerRevision", "Event"):
        if kind not in gathering.kinds_seen:
            yield not_seen(kind, verb="read", reason="NotSaved")


def _take(gathering: Gathering, name: str, text: Text, sure: bool) -> BadInput | None:
    """Take the documents of one file; give back what is wrong with it. `sure`: the user named this very file."""
    try:
        for document in _documents(name, text):
            gathering.document(document, name, kind=_kind_by_name(name))
    except BadInput as problem:
        return problem
    except msgspec.DecodeError as problem:
        if not sure and isinstance(problem, msgspec.ValidationError):
            gathering.skipped["files of another kind"] += 1
            return None
        return _syntax(name, text, str(problem))
    except RecursionError:
        return BadInput("nested too deeply to be a Kubernetes object", path=name)
    return None


def _documents(name: str, text: Text) -> Iterator[Text]:
    """The JSON documents of a file, YAML turned into JSON."""
    start = _start(text)
    if text[start : start + 1] in {b"{", b"["}:
        yield from _json_documents(text, start)
        return
    from dscov.yamltext.values import read_values

    for value in read_values(_unicode(name, text), name):
        if value is None:
            continue
        try:
            yield msgspec.json.encode(value)
        except (TypeError, ValueError, OverflowError) as problem:
            raise BadInput(f"not an API object: {problem}", path=name) from problem


def _json_documents(text: Text, start: int) -> Iterator[Text]:
    """One document, or several written one after the other as `kubectl cluster-info dump` does."""
    view = memoryview(text)
    while start < len(view):
        try:
            msgspec.json.decode(view[start:], type=msgspec.Raw)
        except msgspec.DecodeError as problem:
            more = _TRAILING.search(str(problem))
            if not more:
                yield view[start:]
                return
            end = start + int(more[1])
            yield view[start:end]
            start = end
        else:
            yield view[start:]
            return


def _start(text: Text) -> int:
    """Where the first character that is no white space stands."""
    found = re.compile(rb"[^\s]").search(text)
    return found.start() if found else 0


def _unicode(name: str, text: Text) -> str:
    try:
        return bytes(text).decode()
    except UnicodeDecodeError as problem:
        line = bytes(text[: problem.start]).count(b"\n") + 1
        raise BadInput("not UTF-8 text", path=name, line=line) from problem


def _syntax(name: str, text: Text, problem: str) -> BadInput:
    """A JSON error with its line and column, counted from 1."""
    where = _POSITION.search(problem)
    offset = int(where[1]) if where else len(text)
    before = bytes(text[:offset])
    what = _POSITION.sub("", problem).strip().removeprefix("JSON is malformed: ")
    return BadInput(
        f"not valid JSON: {what}", path=name, line=before.count(b"\n") + 1, column=offset - before.rfind(b"\n")
    )


def _kind_by_name(name: str) -> str:
    path = PurePosixPath(name.replace("!", "/"))
    return _KIND_BY_NAME.get(path.stem) or _KIND_BY_NAME.get(path.parent.name, "")


def _files(path: str) -> Iterator[tuple[str, Text, bool]]:
    """(name, content, whether the user named it) of every file in `path` that may hold objects."""
    if path == "-":
        yield from _opened("standard input", sys.stdin.buffer.read(), sure=True)
        return
    top = Path(path)
    if top.is_dir():
        for file in sorted(top.rglob("*")):
            if file.is_file() and _promising(file.name):
                yield from _opened(str(file), _content(file), sure=False)
    elif top.exists():
        yield from _opened(path, _content(top), sure=True)
    else:
        raise NotFound(f"{path}: no such file or folder")


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


def _opened(name: str, text: Text, *, sure: bool) -> Iterator[tuple[str, Text, bool]]:
    """The file itself, or what is in it where it is compressed or an archive."""
    try:
        if text[:2] == b"\x1f\x8b":
            text = _gunzip(name, text)
        if text[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(text)) as archive:  # type: ignore[arg-type]
                for member in archive:
                    if member.isfile() and _promising(member.name) and member.size <= LIMIT:
                        stream = archive.extractfile(member)
                        yield from _opened(f"{name}!{member.name}", stream.read() if stream else b"", sure=False)
            return
    except (tarfile.TarError, EOFError, OSError, zlib.error) as problem:
        raise BadInput(f"not a readable archive: {problem}", path=name) from problem
    yield name, _utf8(text), sure


def _gunzip(name: str, text: Text) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(text)) as stream:
        content = stream.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise BadInput(f"more than {LIMIT // 2**30} GiB when decompressed", path=name)
    return content


def _utf8(text: Text) -> Text:
    """Without a byte order mark; UTF-16, as PowerShell redirects, as UTF-8."""
    if text[:3] == b"\xef\xbb\xbf":
        return memoryview(text)[3:]
    if text[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return bytes(text).decode("utf-16", errors="replace").encode()
    return text
