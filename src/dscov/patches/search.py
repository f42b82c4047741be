"""Files and folders that may hold the DaemonSet, and the one place in them that is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dscov.errors import BadInput, CouldNotLook, NotFound, Refused
from dscov.model.edits import Target
from dscov.patches.contents import no_daemonset
from dscov.patches.manifest import daemonsets
from dscov.patches.source import Source
from dscov.patches.template import is_template, template_refusal
from dscov.yamltext.document import Document, read

_ENDINGS = (".yaml", ".yml", ".json")
_MOST_FILES = 20_000
_MEND = "kubectl cannot read this file either: mend it and run the command again."
_TEXT_REMEDY = "Whatever reads that text owns it: edit it by hand, or keep the DaemonSet in a file of its own."


class Found(Protocol):
    """A DaemonSet, or a patch of one, that can be edited."""

    @property
    def source(self) -> Source:
        """The file."""

    @property
    def name(self) -> str:
        """The DaemonSet's name."""

    @property
    def namespace(self) -> str | None:
        """Its namespace, where the file says so."""


class Several(Refused):
    """More than one DaemonSet is meant; `places` are those to choose from."""

    def __init__(self, target: Target, places: Sequence[object]) -> None:
        self.places = tuple(places)
        names = ", ".join(str(place) for place in places)
        what = f"{target} is there {len(places)} times" if target.name else f"there are {len(places)} DaemonSets"
        super().__init__(what, remedy=f"Name one with daemonset/NAME, -n or -f: {names}")


@dataclass(slots=True)
class Search:
    """What was read: the places that can be edited, and for each file that could not be read the reason."""

    places: list[Found] = field(default_factory=list)
    broken: list[Refused] = field(default_factory=list)
    texts: list[tuple[Source, Document]] = field(default_factory=list)
    seen: Sequence[Source] = ()


def sources(paths: Sequence[str]) -> Iterator[Source]:
    """The files of `paths`, folders with all below them; links that lead out of a folder are left alone."""
    count = 0
    for name in paths:
        path = Path(name)
        for file in _files(path) if path.is_dir() else [path]:
            count += 1
            if count > _MOST_FILES:
                raise CouldNotLook(f"{name}: more than {_MOST_FILES} files; name a smaller folder with -f")
            yield load(file)


def load(path: Path) -> Source:
    """The bytes of a file, or CouldNotLook."""
    try:
        if path.exists() and not path.is_file():
            raise CouldNotLook(f"{path}: not a regular file")
        return Source(str(path), path.read_bytes())
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error


def _files(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(top, name)
            if name.endswith(_ENDINGS) and path.is_file() and path.resolve().is_relative_to(root):
                yield path


def search(found: Sequence[Source], *, sole: bool) -> Search:
    """Read files and list what can be edited. A file that is no YAML is remembered; `sole` ones are always parsed."""
    result = Search(seen=found)
    for source in found:
        if not sole and b"DaemonSet" not in source.raw:
            continue
        try:
            document = parse(source)
        except Refused as error:
            result.broken.append(error)
            continue
        result.texts.append((source, document))
        result.places += daemonsets(source, document)
    return result


def parse(source: Source) -> Document:
    """The documents of a file, or Refused with the way out, by what is wrong with it."""
    text = source.text
    try:
        document = read(text, path=source.path)
    except BadInput as error:
        if is_template(text):
            raise template_refusal(source.path) from error
        raise Refused(str(error), remedy=_MEND) from error
    _check_maps(source.path, document, template=is_template(text))
    return document


def _check_maps(path: str, document: Document, *, template: bool) -> None:
    """Refuse maps that load here and not in kubectl; `{{ }}` of a template is read as a map whose key is a map."""
    for node in (node for root in document.roots for node in root.walk() if node.kind == "map"):
        odd = next((key for key in node.keys if key.kind in ("map", "list")), None)
        merged = [node.items[place] for place in node.named("<<")]
        if odd is None and not any(value.kind == "scalar" for value in merged):
            continue
        if odd is not None and template:
            raise template_refusal(path)
        line, column = document.place((odd or merged[0]).start)
        what = "a key that is no text" if odd else "a merge key (<<) of something that is no map"
        raise Refused(f"{path}:{line}:{column}: {what}", remedy=_MEND)


def choose(result: Search, target: Target, matching: Sequence[Found]) -> Found:
    """The one place that `target` means; NotFound, Several, or the reason why a file could not be read."""
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise Several(target, matching)
    if result.broken:
        raise result.broken[0]
    hidden = next(_hidden(result, target), None)
    if hidden:
        raise hidden
    if not result.places:
        raise no_daemonset(result.seen)
    names = ", ".join(f"daemonset/{place.name}" for place in result.places[:5])
    raise NotFound(f"{target} is not in these files; there is {names}")


def _hidden(result: Search, target: Target) -> Iterator[Refused]:
    """DaemonSets that are only text inside another object, as in a ConfigMap."""
    for source, document in result.texts:
        for root in document.roots:
            kind = root.get("kind")
            for node in root.walk():
                if (
                    node.kind == "scalar"
                    and "DaemonSet" in node.text
                    and "\n" in node.text
                    and _holds(node.text, target)
                ):
                    line, _ = document.place(node.start)
                    holder = kind.text if kind else "object"
                    reason = f"{source.path}: {target} is only text inside a {holder} (line {line})"
                    yield Refused(reason, remedy=_TEXT_REMEDY)


def _holds(text: str, target: Target) -> bool:
    try:
        inner = daemonsets(Source("", b""), read(text))
        return any(target.name in (None, place.name) for place in inner)
    except BadInput:
        return False
