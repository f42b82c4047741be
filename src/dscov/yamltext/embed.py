"""A YAML text inside a scalar of another: lifted out, and put back with every line that did not change as it was."""

from __future__ import annotations

from dscov.errors import Refused
from dscov.yamltext.document import Document, Node
from dscov.yamltext.lines import line_end, next_line
from dscov.yamltext.splice import Splice, splice

_BY_HAND = "Write the inner text as a literal block (|-), or edit it by hand."


def inner_text(document: Document, node: Node) -> str:
    """The text that the scalar `node` holds, as it can be edited; Refused where its style does not show it so."""
    if node.style == "|":
        prefix, lines = _lines(document, node)
        return "".join(line.removeprefix(prefix) for line in lines)
    if _is_verbatim(document, node):
        return node.text
    line, _ = document.place(node.start)
    raise Refused(f"{document.path}: the text in line {line} is folded or quoted", remedy=_BY_HAND)


def with_inner(document: Document, node: Node, new: str) -> str:
    """The whole text with `new` in place of what `node` holds."""
    if node.style != "|":
        if any(char in new for char in "'\n\r"):
            line, _ = document.place(node.start)
            raise Refused(f"{document.path}: the quoted text in line {line} cannot hold the change", remedy=_BY_HAND)
        return splice(document.text, [Splice(node.body + 1, node.end - 1, new)])
    prefix, old = _lines(document, node)
    fresh = new.splitlines(keepends=True)
    bare = [line.removeprefix(prefix) for line in old]
    head = next((i for i, (a, b) in enumerate(zip(bare, fresh, strict=False)) if a != b), min(len(bare), len(fresh)))
    room = min(len(bare), len(fresh)) - head
    tail = next((i for i in range(room) if bare[-1 - i] != fresh[-1 - i]), room)
    start = next_line(document.text, node.body) + sum(map(len, old[:head]))
    end = start + sum(map(len, old[head : len(old) - tail]))
    changed = "".join(prefix + line for line in fresh[head : len(fresh) - tail])
    return splice(document.text, [Splice(start, end, changed)])


def _lines(document: Document, node: Node) -> tuple[str, list[str]]:
    """The indent of a literal block and its lines with their line ends, without the blank lines behind it."""
    text = document.text
    start = next_line(text, node.body)
    lines = text[start : max(start, next_line(text, node.end - 1))].splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    header = text[node.body : line_end(text, node.body)].split("#")[0]
    if any(char.isdigit() for char in header) or not first:
        line, _ = document.place(node.start)
        raise Refused(f"{document.path}: the block in line {line} is empty or sets its own indent", remedy=_BY_HAND)
    return first[: len(first) - len(first.lstrip(" "))], lines


def _is_verbatim(document: Document, node: Node) -> bool:
    return node.style == "'" and document.text[node.body + 1 : node.end - 1] == node.text
