"""A value in the handwriting of a file: how far its lists and maps are indented, and how its brackets look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dscov.yamltext.document import Document, Node
from dscov.yamltext.lines import column, line_start
from dscov.yamltext.words import written

Value = Mapping[str, Any] | Sequence[Any] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class BlockHand:
    """Block style: the step of nested maps, the dash's offset from its key and its width, and the quotes of strings."""

    step: int = 2
    offset: int = 0
    width: int = 2
    dash_alone: bool = False
    quote: str = ""


@dataclass(frozen=True, slots=True)
class FlowHand:
    """Flow style: quotes as in JSON, the text between key and value, between entries, in the braces, one indent."""

    json: bool = False
    colon: str = ": "
    comma: str = ", "
    pad: str = ""
    unit: str = ""
    newline: str = "\n"


def block_hand(document: Document, scope: Node) -> BlockHand:
    """The hand that `scope` writes most lists and maps in; what it does not show is taken from the whole text."""
    hand = BlockHand()
    for nodes in (document.roots, [scope]):
        lists, steps = _habits(document.text, nodes)
        if lists:
            (offset, width), _ = lists.most_common(1)[0]
            hand = replace(hand, offset=offset, width=width)
        if steps:
            hand = replace(hand, step=steps.most_common(1)[0][0])
    return hand


def _habits(text: str, roots: Sequence[Node]) -> tuple[Counter[tuple[int, int]], Counter[int]]:
    lists: Counter[tuple[int, int]] = Counter()
    steps: Counter[int] = Counter()
    for node in (node for root in roots for node in root.walk() if node.kind == "map" and not node.flow):
        for key, value in zip(node.keys, node.items, strict=True):
            if value.flow or not value.items or value.kind not in ("list", "map"):
                continue
            offset = column(text, value.body) - column(text, key.start)
            if value.kind == "map":
                steps[offset] += 1
            else:
                lists[offset, item_width(text, value.items[0])] += 1
    return lists, steps


def item_width(text: str, item: Node) -> int:
    """From the dash to the text of an item, in columns; 2 where the dash stands alone."""
    before = text[line_start(text, item.start) : item.start]
    dash = before.rstrip(" ")
    return len(before) - len(dash) + 1 if dash.endswith("-") else 2


def flow_hand(text: str, node: Node, *, json: bool = False) -> FlowHand:
    """The hand of a flow collection, from its last entry; `json` says how it is where it has none."""
    sample = node.items[-1] if node.kind == "list" and node.items else node
    quotes = sample.keys if sample.kind == "map" and sample.keys else [sample] if sample.kind == "scalar" else []
    json = all(key.style == '"' for key in quotes) if quotes else json
    hand = FlowHand(json=json)
    if sample.kind == "map" and sample.flow and sample.keys:
        opening = text[sample.body + 1 : sample.keys[0].start]
        colon = text[sample.keys[0].end : sample.items[0].start]
        hand = replace(hand, pad=opening if opening.strip(" ") == "" else "")
        hand = replace(hand, colon=colon if colon.strip(" ") == ":" and (json or colon[-1] == " ") else ": ")
    return replace(hand, comma="," if hand.colon == ":" else ", ")


def common_quote(node: Node) -> str:
    """The quotes that every string of a map wears; none where they differ or where there are none."""
    styles = {item.style for item in node.items if item.kind == "scalar" and isinstance(item.value, str)}
    return styles.pop() if styles in ({"'"}, {'"'}) else ""


def block_entry(key: str, value: Value, *, col: int, hand: BlockHand) -> list[str]:
    """The lines of `key: value` with the key at column `col`."""
    head = f"{' ' * col}{written(key)}:"
    if isinstance(value, Mapping) and value:
        return [head] + [
            line for name, item in value.items() for line in block_entry(name, item, col=col + hand.step, hand=hand)
        ]
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return [head] + [line for item in value for line in block_item(item, col=col + hand.offset, hand=hand)]
    return [f"{head} {written(value, quote=hand.quote) if isinstance(value, str) else flow_value(value)}"]


def block_item(value: Value, *, col: int, hand: BlockHand) -> list[str]:
    """The lines of a list item with the dash at column `col`."""
    dash = " " * col + "-"
    if not isinstance(value, Mapping) or not value:
        return [dash + " " * (hand.width - 1) + flow_value(value)]
    inner = col + hand.width
    lines = [line for name, item in value.items() for line in block_entry(name, item, col=inner, hand=hand)]
    if hand.dash_alone:
        return [dash, *lines]
    return [dash + lines[0][col + 1 :], *lines[1:]]


def flow_value(value: Value, hand: FlowHand | None = None) -> str:
    """`value` on one line."""
    hand = hand or FlowHand()
    if isinstance(value, Mapping):
        entries = hand.comma.join(flow_pair(key, item, hand) for key, item in value.items())
        return f"{{{hand.pad}{entries}{hand.pad}}}" if value else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + hand.comma.join(flow_value(item, hand) for item in value) + "]"
    return written(value, quote='"' if hand.json else "")


def flow_pair(key: str, value: Value, hand: FlowHand) -> str:
    """`key: value` of a flow map, on one line."""
    return written(key, quote='"' if hand.json else "") + hand.colon + flow_value(value, hand)


def pretty_value(value: Value, hand: FlowHand, indent: str) -> str:
    """`value` over several lines, as formatters write JSON; `indent` is that of the line where it starts."""
    if not isinstance(value, Mapping | Sequence) or isinstance(value, str) or not value:
        return flow_value(value, hand)
    inner = indent + hand.unit
    if isinstance(value, Mapping):
        entries = [
            written(key, quote='"' if hand.json else "") + hand.colon + pretty_value(item, hand, inner)
            for key, item in value.items()
        ]
        opening, closing = "{", "}"
    else:
        entries = [pretty_value(item, hand, inner) for item in value]
        opening, closing = "[", "]"
    body = f",{hand.newline}".join(inner + entry for entry in entries)
    return f"{opening}{hand.newline}{body}{hand.newline}{indent}{closing}"
