"""Every document of a YAML or JSON text as plain values, read with the meaning kubectl gives to scalars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import msgspec

from dscov.errors import BadInput
from dscov.yamltext.scalars import Unrepresentable, key_text, plain_value, scalar_value

#: Between so many values and so many, the share that may come from aliases shrinks from 99% to 10%, as in kubectl's
#: parser: a text of a few lines must not grow into gigabytes.
SMALL, LARGE = 400_000, 4_000_000
MERGE = object()


def read_values(text: str, path: str = "") -> list[object]:
    """Every document of `text` as dicts, lists, strings, numbers, booleans and None; an empty document is None.

    YAML 1.1 as kubectl reads it: `yes` is true, `0755` is octal, timestamps and `1:30` stay text, keys become text, the
    last of two equal keys wins. Raises BadInput with line and column, `path` being the name to give the text.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return [msgspec.json.decode(text)]
        except (msgspec.DecodeError, RecursionError):
            pass
    return _yaml_values(text, path)


def _yaml_values(text: str, path: str) -> list[object]:
    """The documents of a YAML text, built from the parser's events without a tree in between."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return list(_Builder(path).documents(YAML(typ="safe").parse(text)))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = {"line": mark.line + 1, "column": mark.column + 1} if mark else {}
        raise BadInput(f"not YAML: {error.problem or error.context}", path=path, **place) from None
    except (YAMLError, RecursionError, ValueError) as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise BadInput(f"not YAML: {said}", path=path) from None


class _Open:
    """A collection that is still being read; `size` counts the values in it as if aliases were written out."""

    __slots__ = ("anchor", "key", "size", "value")

    def __init__(self, value: Any, anchor: str | None) -> None:
        self.value, self.anchor = value, anchor
        self.key: Any = None
        self.size = 1


class _Builder:
    """Plain values out of a parser's events; without recursion, so that depth is no danger."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.read = self.aliased = 0
        self.plain: dict[str, object] = {}

    def documents(self, events: Iterable[Any]) -> Iterator[object]:
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

    def _open(self, value: Any, event: Any) -> None:
        """Begin a collection."""
        self.stack.append(_Open(value, event.anchor))
        if event.anchor:
            self.anchors.pop(event.anchor, None)

    def _close(self, event: Any) -> None:
        """End the innermost collection and put it where it belongs."""
        done = self.stack.pop()
        if done.anchor:
            self.anchors[done.anchor] = (done.value, done.size)
        self._put(done.value, done.size, event)

    def _alias(self, event: Any) -> None:
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

    def _scalar(self, event: Any) -> object:
        """The value of a scalar event, by the rules of `scalars`."""
        text, tag = event.value, event.ctag if event.tag is not None else None
        if event.anchor:
            self.anchors.pop(event.anchor, None)
        try:
            value = self._value(text, str(tag) if tag else None, plain=event.style in {None, "", "plain"})
        except Unrepresentable as problem:
            self._refuse(str(problem), event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        return value

    def _value(self, text: str, tag: str | None, *, plain: bool) -> object:
        """The value of a scalar; texts without quotes are remembered, since they repeat a thousandfold."""
        if tag is not None or not plain:
            return scalar_value(text, tag, plain=plain)
        if text == "<<" and self.stack[-1].key is None and isinstance(self.stack[-1].value, dict):
            return MERGE
        if text not in self.plain:
            self.plain[text] = plain_value(text)
        return self.plain[text]

    def _put(self, value: Any, size: int, event: Any) -> None:
        """Hand a finished value to the collection it stands in: as an item, a key, or the value of the pending key."""
        self.read += 1
        top = self.stack[-1]
        top.size += size
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            try:
                top.key = MERGE if value is MERGE else key_text(value)
            except Unrepresentable as problem:
                self._refuse(str(problem), event)
        else:
            self._set(top, value, event)

    def _set(self, top: _Open, value: Any, event: Any) -> None:
        """Give the pending key of a mapping its value; a merge key takes over the mapping, or mappings, it names."""
        key, top.key = top.key, None
        if key is not MERGE:
            top.value[key] = value
            return
        for source in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(source, dict):
                self._refuse("a merge key (<<) needs a mapping, or a list of mappings", event)
            top.value.update(source)

    def _refuse(self, problem: str, event: Any) -> NoReturn:
        """Say what is wrong at the place of `event`."""
        mark = event.start_mark
        raise BadInput(problem, path=self.path, line=mark.line + 1, column=mark.column + 1)
