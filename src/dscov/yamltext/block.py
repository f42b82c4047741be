"""Edits in block style: whole lines put in, taken out, or moved up to a dash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dscov.errors import Refused
from dscov.yamltext.document import Document, Node
from dscov.yamltext.lines import (
    behind_comments,
    column,
    delete_lines,
    insert_lines,
    is_blank,
    line_end,
    line_start,
    newline_near,
    next_line,
)
from dscov.yamltext.phrase import (
    BlockHand,
    Value,
    block_entry,
    block_hand,
    block_item,
    common_quote,
    flow_hand,
    flow_value,
    item_width,
)
from dscov.yamltext.splice import Splice

_BY_HAND = "Write this change by hand: the lines around it are arranged in a way that is not safe to edit."


def append_item(document: Document, node: Node, value: Value) -> list[Splice]:
    """A new last item for the block list `node`, in the hand of the item before it."""
    text, last = document.text, node.items[-1]
    dash = _dash(document, last)
    at = behind_comments(text, max(last.end, dash + 1), column(text, dash) + 1, over_blanks=False)
    return [insert_lines(text, at, _item_lines(document, node, last, value))]


def insert_item(document: Document, node: Node, place: int, value: Value) -> list[Splice]:
    """A new item for the block list `node`, right in front of the item number `place` and in its hand."""
    text, item = document.text, node.items[place]
    dash = _dash(document, item)
    start = line_start(text, dash)
    lines = _item_lines(document, node, item, value)
    if is_blank(text[start:dash]):
        return [insert_lines(text, start, lines)]
    raise Refused("the list item shares its line with what stands before it", remedy=_BY_HAND)


def _item_lines(document: Document, node: Node, sample: Node, value: Value) -> list[str]:
    text, dash = document.text, _dash(document, sample)
    col = column(text, dash)
    if sample.kind == "map" and sample.flow and isinstance(value, Mapping):
        return [" " * col + "-" + " " * (item_width(text, sample) - 1) + flow_value(value, flow_hand(text, sample))]
    return block_item(value, col=col, hand=_item_hand(document, node, sample, dash=dash))


def first_entry(document: Document, node: Node, entry: tuple[str, Value]) -> list[Splice]:
    """A new first entry for the block map `node`, which may begin behind a dash."""
    text, start = document.text, node.keys[0].start
    col = column(text, start)
    hand = replace(block_hand(document, node), quote=common_quote(node) if isinstance(entry[1], str) else "")
    lines = block_entry(*entry, col=col, hand=hand)
    if is_blank(text[line_start(text, start) : start]):
        return [insert_lines(text, line_start(text, start), lines)]
    newline = newline_near(text, start)
    return [Splice(start, start, newline.join([lines[0].lstrip(" "), *lines[1:], " " * col]))]


def add_entry(document: Document, node: Node, entry: tuple[str, Value], *, after: int | None = None) -> list[Splice]:
    """A new entry for the block map `node`: behind the entry number `after`, else at its end."""
    text = document.text
    col = column(text, node.body)
    hand = replace(block_hand(document, node), quote=common_quote(node) if isinstance(entry[1], str) else "")
    lines = block_entry(*entry, col=col, hand=hand)
    if after is None:
        at = behind_comments(text, node.end, col, over_blanks=True)
    else:
        at = behind_comments(text, _entry_end(node, after), col + 1, over_blanks=False)
    return [insert_lines(text, at, lines)]


def fill_null(document: Document, node: Node, place: int, value: Value) -> list[Splice]:
    """`value` for the entry number `place` of the block map `node`, whose value is null."""
    text, old = document.text, node.items[place]
    if old.anchor or old.tag:
        raise Refused("the empty value has an anchor or a tag", remedy=_BY_HAND)
    col = column(text, node.keys[place].start)
    head, *lines = block_entry("x", value, col=col, hand=block_hand(document, node))
    colon = _colon(document, node, place)
    if not lines:
        return [Splice(colon, max(old.end, colon), head[col + 2 :])]
    gone = [Splice(colon, old.end, "")] if old.end > colon else []
    return [*gone, insert_lines(text, next_line(text, max(old.end, colon)), lines)]


def empty_out(document: Document, node: Node, place: int) -> list[Splice]:
    """The block list or map at the entry number `place` of the block map `node` becomes `[]` or `{}`."""
    text, old, colon = document.text, node.items[place], _colon(document, node, place)
    if not is_blank(text[colon : line_end(text, colon)].split(" #")[0]):
        raise Refused("the value starts on the line of its key", remedy=_BY_HAND)
    start = next_line(text, colon)
    return [
        Splice(colon, colon, " []" if old.kind == "list" else " {}"),
        delete_lines(text, start, next_line(text, old.end)),
    ]


def remove_item(document: Document, node: Node, place: int) -> list[Splice]:
    """The item number `place` of the block list `node` goes, with the comments that belong to it."""
    text, item = document.text, node.items[place]
    dash = _dash(document, item)
    start = line_start(text, dash)
    if not is_blank(text[start:dash]):
        raise Refused("the list item shares its line with what stands before it", remedy=_BY_HAND)
    end = behind_comments(text, max(item.end, dash + 1), column(text, dash) + 1, over_blanks=False)
    return [delete_lines(text, start, end)]


def remove_entry(document: Document, node: Node, place: int) -> list[Splice]:
    """The entry number `place` of the block map `node` goes, with the comments that belong to it."""
    text, key = document.text, node.keys[place]
    start = line_start(text, key.start)
    if not is_blank(text[start : key.start]):
        return [_move_up(document, node, place)]
    end = behind_comments(text, _entry_end(node, place), column(text, key.start) + 1, over_blanks=False)
    return [delete_lines(text, start, end)]


def _move_up(document: Document, node: Node, place: int) -> Splice:
    """The first entry stands behind a dash: the next one takes its place there."""
    text, key = document.text, node.keys[place]
    before = text[line_start(text, key.start) : key.start]
    following = node.keys[place + 1].start if place + 1 < len(node.keys) else len(text)
    between = text[line_end(text, _entry_end(node, place)) : following]
    if before.strip(" -") or not is_blank(between):
        raise Refused("the entry shares its line with what stands before it", remedy=_BY_HAND)
    return Splice(key.start, following, "")


def _item_hand(document: Document, node: Node, last: Node, *, dash: int) -> BlockHand:
    text = document.text
    hand = block_hand(document, node)
    rest = text[dash + 1 : line_end(text, dash)]
    if last.kind == "map" and not last.flow:
        alone = is_blank(rest)
        width = column(text, last.body) - column(text, dash)
        return replace(hand, width=width, dash_alone=alone)
    same_line = last.end > last.start and not is_blank(rest)
    return replace(hand, width=item_width(text, last) if same_line else 2)


def _dash(document: Document, item: Node) -> int:
    token = document.before(item.start, "BlockEntryToken")
    if token is None:
        raise Refused("the dash of a list item was not found", remedy=_BY_HAND)
    return token.start


def _colon(document: Document, node: Node, place: int) -> int:
    """Behind the colon of an entry."""
    start = node.keys[place].end
    tokens = document.between(start, node.items[place].start + 1, "ValueToken")
    if not tokens:
        raise Refused("a key has no colon", remedy=_BY_HAND)
    return tokens[0].end


def _entry_end(node: Node, place: int) -> int:
    return max(node.keys[place].end, node.items[place].end)
