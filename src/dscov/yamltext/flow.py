"""Edits in flow style: JSON, and the bracketed lists and maps of YAML, on one line or on many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dscov.errors import Refused
from dscov.yamltext.document import Document, Node
from dscov.yamltext.lines import delete_lines, is_blank, line_end, line_start, newline_near, next_line
from dscov.yamltext.phrase import FlowHand, Value, common_quote, flow_hand, flow_value, pretty_value
from dscov.yamltext.splice import Splice
from dscov.yamltext.words import written

_BY_HAND = "Write this change by hand: a comment between the entries would be lost or moved."


def is_json(document: Document, node: Node) -> bool:
    """Whether the document that holds `node` is JSON: a flow map whose keys wear double quotes."""
    root = next((root for root in document.roots if root.start <= node.start <= root.end), node)
    return root.kind == "map" and root.flow and bool(root.keys) and all(key.style == '"' for key in root.keys)


def append_item(document: Document, node: Node, value: Value) -> list[Splice]:
    """A new last item for the flow list `node`, which is not empty."""
    text, last = document.text, node.items[-1]
    hand = flow_hand(text, node, json=is_json(document, node))
    return _insert(document, node, len(node.items) - 1, _shaped(text, value, hand, sample=last))


def insert_item(document: Document, node: Node, place: int, value: Value) -> list[Splice]:
    """A new item for the flow list `node`, right in front of the item number `place`."""
    text = document.text
    hand = flow_hand(text, node, json=is_json(document, node))
    return [_before(document, node, place, _shaped(text, value, hand, sample=node.items[place]))]


def first_entry(document: Document, node: Node, entry: tuple[str, Value]) -> list[Splice]:
    """A new first entry for the flow map `node`, which is not empty."""
    text, (key, value) = document.text, entry
    hand = flow_hand(text, node, json=is_json(document, node))
    quote = common_quote(node) if isinstance(value, str) else ""
    shaped = written(value, quote=quote) if quote else _shaped(text, value, hand, sample=None, parent=node)
    head = written(key, quote='"' if hand.json else "") + hand.colon
    return [_before(document, node, 0, head + shaped)]


def _before(document: Document, node: Node, place: int, entry: str) -> Splice:
    """An entry in front of another: on a line of its own if that one has one, else behind the gap that others have."""
    text = document.text
    start, _ = _span(node, place)
    indent = text[line_start(text, start) : start]
    if is_blank(indent):
        return Splice(start, start, entry + "," + newline_near(text, max(line_start(text, start) - 1, 0)) + indent)
    low = place or 1
    gap = text[_span(node, low - 1)[1] : _span(node, low)[0]] if len(node.items) > low else ""
    return Splice(start, start, entry + (gap if gap.strip(" ") == "," else flow_hand(text, node).comma))


def add_entry(document: Document, node: Node, entry: tuple[str, Value], *, after: int | None = None) -> list[Splice]:
    """A new entry for the flow map `node`, which is not empty: behind the entry number `after`, else at its end."""
    text, (key, value) = document.text, entry
    hand = flow_hand(text, node, json=is_json(document, node))
    sample = next((item for item in reversed(node.items) if item.flow and item.items), None)
    place = len(node.items) - 1 if after is None else after
    head = written(key, quote='"' if hand.json else "") + hand.colon
    quote = common_quote(node)
    if isinstance(value, str) and quote:
        return _insert(document, node, place, head + written(value, quote=quote))
    return _insert(document, node, place, head + _shaped(text, value, hand, sample=sample, parent=node))


def fill_empty(document: Document, parent: Node, old: Node, value: Value) -> list[Splice]:
    """`value` for `old`, which is an empty collection or null; `parent` is the map that it is in."""
    text = document.text
    hand = flow_hand(text, parent if parent.flow else old, json=is_json(document, old))
    sample = next((item for item in reversed(parent.items) if item.flow and item.items), None) if parent.flow else None
    new = _shaped(text, value, hand, sample=sample, parent=parent if parent.flow else None)
    kind = "map" if isinstance(value, Mapping) else "list"
    if old.kind == kind and "\n" not in new:
        inner = text[old.body + 1 : old.end - 1]
        return [Splice(old.body + 1, old.body + 1, (inner if inner.strip(" ") == "" else "") + new[1:-1])]
    if old.start == old.end:
        new = " " + new
    return [Splice(old.body, old.end, new)]


def remove(document: Document, node: Node, place: int) -> list[Splice]:
    """The entry number `place` of the flow list or map `node` goes, with its comma."""
    text = document.text
    start, end = _span(node, place)
    comma = _comma(document, node, place)
    if len(node.items) == 1:
        stop = comma or end
        inner = text[node.body + 1 : start] + text[stop : node.end - 1]
        return [Splice(node.body + 1, node.end - 1, "") if is_blank(inner) else Splice(start, stop, "")]
    if _on_own_lines(text, start, comma or end):
        changes = [delete_lines(text, line_start(text, start), next_line(text, comma or end))]
        before = _comma(document, node, place - 1) if place and not comma else None
        return [*changes, Splice(before - 1, before, "")] if before else changes
    low, high = (_span(node, place - 1)[1], end) if place else (start, _span(node, 1)[0])
    if "#" in text[low:start] + text[end:high]:
        raise Refused("a comment stands between the entries", remedy=_BY_HAND)
    return [Splice(low, high, "")]


def _insert(document: Document, node: Node, place: int, entry: str) -> list[Splice]:
    text = document.text
    start, end = _span(node, place)
    comma = _comma(document, node, place)
    indent = text[line_start(text, start) : start]
    last = place == len(node.items) - 1
    if not is_blank(indent):
        before = text[_span(node, place - 1)[1] : start] if place else ""
        gap = before if before.strip(" ") == "," else flow_hand(text, node).comma
        if comma and last:
            return [Splice(comma, comma, " " + entry + ",")]
        return [Splice(end, end, gap + entry)]
    newline = newline_near(text, max(line_start(text, start) - 1, 0))
    stop = line_end(text, comma or end)
    tail = text[comma or end : stop]
    if is_blank(tail) or not tail.lstrip(" \t").startswith("#"):
        at = comma or end
        return [Splice(at, at, newline + indent + entry + "," if comma else "," + newline + indent + entry)]
    if comma:
        return [Splice(stop, stop, newline + indent + entry + ",")]
    return [Splice(end, end, ","), Splice(stop, stop, newline + indent + entry)]


def _shaped(text: str, value: Value, hand: FlowHand, *, sample: Node | None, parent: Node | None = None) -> str:
    """`value` on one line or on many, as `sample` is; without a sample, on many when JSON `parent` is."""
    inner = _first_line_indent(text, sample) if sample else None
    if inner is not None and sample is not None:
        outer = _indent(text, sample.start)
    elif sample is None and parent is not None and hand.json and _first_line_indent(text, parent) is not None:
        outer, inner = _indent(text, parent.body), _first_line_indent(text, parent)
        outer, inner = str(inner), str(inner) + str(inner)[len(outer) :]
    else:
        return flow_value(value, hand)
    unit = str(inner)[len(outer) :]
    return pretty_value(value, replace(hand, unit=unit, newline=newline_near(text, 0), pad=""), outer)


def _first_line_indent(text: str, node: Node) -> str | None:
    """The indent of the first entry of a flow collection, if it starts a line of its own."""
    if not (node.flow and node.items):
        return None
    start = node.keys[0].start if node.keys else node.items[0].start
    indent = text[line_start(text, start) : start]
    return indent if is_blank(indent) and start > line_end(text, node.body) else None


def _indent(text: str, index: int) -> str:
    line = text[line_start(text, index) : line_end(text, index)]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _span(node: Node, place: int) -> tuple[int, int]:
    item = node.items[place]
    if not node.keys:
        return item.start, item.end
    return node.keys[place].start, max(node.keys[place].end, item.end)


def _comma(document: Document, node: Node, place: int) -> int | None:
    """Behind the comma of an entry; None where it has none."""
    end = _span(node, place)[1]
    limit = _span(node, place + 1)[0] if place + 1 < len(node.items) else node.end
    commas = document.between(end, limit, "FlowEntryToken")
    return commas[0].end if commas else None


def _on_own_lines(text: str, start: int, end: int) -> bool:
    tail = text[end : line_end(text, end)].lstrip(" \t")
    return is_blank(text[line_start(text, start) : start]) and (not tail or tail.startswith("#"))
