"""A text of one or more YAML documents as a tree that knows where every node lies; nothing is constructed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from dscov.errors import BadInput
from dscov.yamltext.tokens import Raw, Token, events
from dscov.yamltext.words import value_of

_MAX_DEPTH = 100


@dataclass(slots=True, eq=False)
class Node:
    """One node: `start` to `end` is its text with anchor and tag, `body` is where it begins behind those two."""

    kind: Literal["map", "list", "scalar", "alias"]
    start: int
    end: int
    body: int
    flow: bool = False
    text: str = ""
    style: str = ""
    tag: str | None = None
    anchor: str | None = None
    keys: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    @property
    def value(self) -> object:
        """What a scalar means to kubectl."""
        return value_of(self.text, style=self.style, tag=self.tag)

    @property
    def is_null(self) -> bool:
        """Whether this is a scalar that means null."""
        return self.kind == "scalar" and self.value is None

    def named(self, key: str) -> list[int]:
        """The places of the key `key` in a map: none, one, or more when it is there twice."""
        return [i for i, k in enumerate(self.keys) if k.kind == "scalar" and k.text == key]

    def get(self, key: str) -> Node | None:
        """The value of `key`, the last one where it is there twice; None where this is no map or has no such key."""
        places = self.named(key)
        return self.items[places[-1]] if places else None

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        yield self
        for i, item in enumerate(self.items):
            if self.keys:
                yield from self.keys[i].walk()
            yield from item.walk()


@dataclass(slots=True, eq=False)
class Document:
    """A whole text: `roots` has one node a document, `path` is for messages."""

    text: str
    path: str
    roots: list[Node]
    tokens: list[Token]

    def before(self, index: int, kind: str) -> Token | None:
        """The last token of `kind` that starts before `index`."""
        place = bisect_left(self.tokens, (index,))
        return next((token for token in _backwards(self.tokens, place) if token.kind == kind), None)

    def between(self, start: int, end: int, kind: str) -> list[Token]:
        """The tokens of `kind` that start in `start` to `end`."""
        low, high = bisect_left(self.tokens, (start,)), bisect_left(self.tokens, (end,))
        return [token for token in self.tokens[low:high] if token.kind == kind]

    def place(self, index: int) -> tuple[int, int]:
        """Line and column of `index`, counted from 1."""
        return self.text.count("\n", 0, index) + 1, index - self.text.rfind("\n", 0, index)


def read(text: str, *, path: str = "") -> Document:
    """The documents of `text` (without byte order mark), or BadInput. Nobody changes what this returns."""
    return _read(text, path)


# An edit and its proof read the same two texts several times.
@lru_cache(maxsize=4)
def _read(text: str, path: str) -> Document:
    found, tokens = events(text, path=path)
    tokens.sort()
    return Document(text, path, _Composer(text, path, tokens).roots(found), tokens)


class _Composer:
    """Events to nodes, with a stack of its own: deep texts must not exhaust Python's."""

    def __init__(self, text: str, path: str, tokens: list[Token]) -> None:
        self.text, self.path, self.tokens = text, path, tokens
        self.open: list[tuple[Node, list[Node]]] = []
        self.anchors: set[str] = set()
        self.done: list[Node] = []

    def roots(self, found: list[Raw]) -> list[Node]:
        for event in found:
            match type(event).__name__:
                case "DocumentStartEvent":
                    self.anchors = set()
                case "ScalarEvent":
                    self._close(self._scalar(event))
                case "AliasEvent":
                    self._close(self._alias(event))
                case "MappingStartEvent" | "SequenceStartEvent":
                    self._start(event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._end(event)
        return self.done

    def _start(self, event: Raw) -> None:
        if len(self.open) >= _MAX_DEPTH:
            raise self._bad(f"nested deeper than {_MAX_DEPTH} levels", event)
        node = self._node(event, "map" if type(event).__name__ == "MappingStartEvent" else "list")
        node.flow = bool(event.flow_style)
        self.open.append((node, []))

    def _end(self, event: Raw) -> None:
        node, children = self.open.pop()
        node.keys, node.items = (children[::2], children[1::2]) if node.kind == "map" else ([], children)
        node.end = event.end_mark.index if node.flow else max((child.end for child in children), default=node.end)
        self._close(node)

    def _close(self, node: Node) -> None:
        (self.open[-1][1] if self.open else self.done).append(node)

    def _scalar(self, event: Raw) -> Node:
        node = self._node(event, "scalar")
        node.text, node.style = event.value, event.style or ""
        if node.style in ("|", ">"):
            node.end = self._block_scalar_end(node)
        elif node.start == node.end:
            node.start = node.end = node.body = self._behind_token(node.start)
        return node

    def _behind_token(self, index: int) -> int:
        """Where a value that is not written would begin; the parser may give the place of the next token instead."""
        place = bisect_right(self.tokens, index, key=lambda token: token.start)
        written = (token.end for token in _backwards(self.tokens, place) if token.start < token.end <= index)
        return next(written, index)

    def _alias(self, event: Raw) -> Node:
        if event.anchor not in self.anchors:
            raise self._bad(f"the alias *{event.anchor} has no anchor", event)
        node = self._node(event, "alias")
        node.text, node.anchor = event.anchor, None
        return node

    def _node(self, event: Raw, kind: Literal["map", "list", "scalar", "alias"]) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        node = Node(kind, start, end, start, anchor=event.anchor, tag=_tag(event))
        if kind != "alias" and event.anchor:
            self.anchors.add(event.anchor)
        if node.anchor or node.tag:
            node.body = self._behind_properties(start, end)
        return node

    def _behind_properties(self, start: int, end: int) -> int:
        place = bisect_left(self.tokens, (start,))
        while place < len(self.tokens) and self.tokens[place].kind in ("AnchorToken", "TagToken"):
            place += 1
        return min(end, self.tokens[place].start) if place < len(self.tokens) else end

    def _block_scalar_end(self, node: Node) -> int:
        """Behind the last content, or behind all kept blank lines but without the last line end."""
        header = self.text[node.body : self.text.find("\n", node.body)].split("#")[0]
        raw = self.text[node.start : node.end]
        if "+" in header:
            return node.start + len(raw.removesuffix("\n").removesuffix("\r"))
        return node.start + len(raw.rstrip(" \t\r\n"))

    def _bad(self, problem: str, event: Raw) -> BadInput:
        mark = event.start_mark
        return BadInput(problem, path=self.path, line=mark.line + 1, column=mark.column + 1)


def _tag(event: Raw) -> str | None:
    tag = getattr(event, "tag", None)
    return None if tag is None else str(tag)


def _backwards(tokens: list[Token], place: int) -> Iterator[Token]:
    return (tokens[i] for i in range(place - 1, -1, -1))
