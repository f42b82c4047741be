"""Every document of a YAML or JSON text as plain values, read with the meaning kubectl gives to scalars."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, TypeAlias

import msgspec

from dscov.errors import BadInput
from dscov.patterns import pattern
from dscov.yamltext.blocks import UnusualError, read_block
from dscov.yamltext.scalars import ScalarError, key_text, plain_value, scalar_value

#: Between so many values and so many, the share that may come from aliases shrinks from 99% to 10%, as in kubectl's
#: parser: a text of a few lines must not grow into gigabytes.
SMALL, LARGE = 400_000, 4_000_000
#: Deeper than any Kubernetes object, and shallow enough for all that walks through the values.
DEEPEST = 200
#: A broken text that begins like JSON is called so from this length on; a shorter one might yet be YAML.
LARGE_JSON = 100_000
MERGE = object()
SEPARATOR = pattern(r"^---\n", re.MULTILINE)
#: Document markers that carry anything, and directives: the parser must see the whole text.
BARE = pattern(r"^(?:%|\.\.\.|---[^\n]|---\Z)", re.MULTILINE)
NOTHING = pattern(r"(?: *(?:#[^\n]*)?(?:\n|\Z))*")

#: An event of ruamel, a value under construction: neither has a type worth naming.
Event: TypeAlias = Any
Value: TypeAlias = Any


def read_values(text: str, path: str = "") -> list[object]:
    """Every document of `text` as dicts, lists, strings, numbers, booleans and None; an empty document is None.

    YAML 1.1 as kubectl reads it: `yes` is true, `0755` is octal, timestamps and `1:30` stay text, keys become text, the
    last of two equal keys wins. Raises BadInput with line and column, `path` being the name to give the text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.lstrip()[:1] in {"{", "["}:
        return _json_values(text, path)
    if BARE.search(text):
        return _parsed(text, path)
    found: list[object] = []
    first_line = 0
    for piece in SEPARATOR.split(text):
        if first_line or not NOTHING.fullmatch(piece):
            found.append(_document(piece, path, first_line))
        first_line += piece.count("\n") + 1
    return found


def _json_values(text: str, path: str) -> list[object]:
    """The values of a JSON text, of several behind one another, or of YAML that begins with a bracket."""
    try:
        return [msgspec.json.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        pass
    decoder, found, position = json.JSONDecoder(), [], 0
    try:
        while position < len(text):
            value, end = decoder.raw_decode(text, position + _blank(text, position))
            found.append(value)
            position = end + _blank(text, end)
    except json.JSONDecodeError as error:
        if len(text) > LARGE_JSON:
            raise BadInput(f"not JSON: {error.msg}", path=path, line=error.lineno, column=error.colno) from None
        return _parsed(text, path)
    except RecursionError:
        raise BadInput("not JSON: nested too deeply", path=path) from None
    return found


def _blank(text: str, position: int) -> int:
    """How much white space stands at a position."""
    match = pattern(r"\s*").match(text, position)
    return len(match[0]) if match else 0


def _document(text: str, path: str, first_line: int) -> object:
    """The value of one document, which begins after so many lines; quickly if it is of the usual kind."""
    try:
        return read_block(text)
    except UnusualError:
        return next(iter(_parsed(text, path, first_line)), None)


def _parsed(text: str, path: str, first_line: int = 0) -> list[object]:
    """The documents of a YAML text by the real parser, built from its events without a tree in between."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return list(_Builder(path, first_line).documents(YAML(typ="safe").parse(text)))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = {"line": first_line + mark.line + 1, "column": mark.column + 1} if mark else {}
        raise BadInput(f"not YAML: {error.problem or error.context}", path=path, **place) from None
    except (YAMLError, RecursionError, ValueError) as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise BadInput(f"not YAML: {said}", path=path) from None


class _Open:
    """A collection that is still being read; `size` counts the values in it as if aliases were written out."""

    __slots__ = ("anchor", "key", "size", "value")

    def __init__(self, value: Value, anchor: str | None) -> None:
        self.value, self.anchor = value, anchor
        self.key: Any = None
        self.size = 1


class _Builder:
    """Plain values out of a parser's events; without recursion, so that depth is no danger."""

    def __init__(self, path: str, first_line: int) -> None:
        self.path, self.first_line = path, first_line
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.read = self.aliased = 0
        self.plain: dict[str, object] = {}

    def documents(self, events: Iterable[Event]) -> Iterator[object]:
        """The value of each document, as the events go by."""
        root = _Open([], None)
        for event in events:
            match type(event).__name__:
                case "ScalarEvent":
                    self._put(self._scalar(event), 1, event)
                case "MappingStartEvent":
                    self._open({}, event)
                case "SequenceStartEvent":
                    self._open([], event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._close(event)
                case "AliasEvent":
                    self._alias(event)
                case "DocumentStartEvent":
                    root = _Open([], None)
                    self.stack, self.anchors = [root], {}
                case "DocumentEndEvent":
                    yield root.value[0] if root.value else None

    def _open(self, value: Value, event: Event) -> None:
        """Begin a collection."""
        if len(self.stack) > DEEPEST:
            self._refuse("nested too deeply", event)
        self.stack.append(_Open(value, event.anchor))
        if event.anchor:
            self.anchors.pop(event.anchor, None)

    def _close(self, event: Event) -> None:
        """End the innermost collection and put it where it belongs."""
        done = self.stack.pop()
        if done.anchor:
            self.anchors[done.anchor] = (done.value, done.size)
        self._put(done.value, done.size, event)

    def _alias(self, event: Event) -> None:
        """Put what an alias stands for, unless that grows beyond reason."""
        if any(open_.anchor == event.anchor for open_ in self.stack):
            self._refuse(f"anchor {event.anchor!r} contains itself", event)
        if event.anchor not in self.anchors:
            self._refuse(f"unknown anchor {event.anchor!r}", event)
        value, size = self.anchors[event.anchor]
        self.aliased += size
        self._put(value, size, event)
        total = self.read + self.aliased
        share = 0.99 - 0.89 * min(1.0, max(0.0, (total - SMALL) / (LARGE - SMALL)))
        if self.aliased > 100 and total > 1000 and self.aliased > share * total:
            self._refuse("the document repeats itself through aliases beyond reason", event)

    def _scalar(self, event: Event) -> object:
        """The value of a scalar event, by the rules of `scalars`."""
        text, tag = event.value, event.ctag if event.tag is not None else None
        if event.anchor:
            self.anchors.pop(event.anchor, None)
        try:
            value = self._value(text, str(tag) if tag else None, plain=event.style in {None, "", "plain"})
        except ScalarError as problem:
            self._refuse(str(problem), event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        return value

    def _value(self, text: str, tag: str | None, *, plain: bool) -> object:
        """The value of a scalar; texts without quotes are remembered, since they repeat a thousandfold."""
        if tag is not None or not plain:
            return scalar_value(_whole(text), tag, plain=plain)
        if text == "<<" and self.stack[-1].key is None and isinstance(self.stack[-1].value, dict):
            return MERGE
        if text not in self.plain:
            self.plain[text] = plain_value(text)
        return self.plain[text]

    def _put(self, value: Value, size: int, event: Event) -> None:
        """Hand a finished value to the collection it stands in: as an item, a key, or the value of the pending key."""
        self.read += 1
        top = self.stack[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            try:
                top.key = MERGE if value is MERGE else key_text(value)
            except ScalarError as problem:
                self._refuse(str(problem), event)
        else:
            self._set(top, value, event)

    def _set(self, top: _Open, value: Value, event: Event) -> None:
        """Give the pending key of a mapping its value; a merge key takes over the mapping, or mappings, it names."""
        key, top.key = top.key, None
        if key is not MERGE:
            top.value[key] = value
            return
        for source in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(source, dict):
                self._refuse("a merge key (<<) needs a mapping, or a list of mappings", event)
            top.value.update(source)

    def _refuse(self, problem: str, event: Event) -> NoReturn:
        """Say what is wrong at the place of `event`."""
        mark = event.start_mark
        raise BadInput(problem, path=self.path, line=self.first_line + mark.line + 1, column=mark.column + 1)


def _whole(text: str) -> str:
    """A text whose characters beyond 16 bits were written as two escapes, as JSON does, with the two put together."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
