"""One operation on one document of a text: found in the tree, checked to be unambiguous, and spliced in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dscov.errors import Refused
from dscov.yamltext import block, flow
from dscov.yamltext.document import Document, Node
from dscov.yamltext.meaning import END, Add, Data, Operation, Path, Remove, Replace
from dscov.yamltext.splice import Splice, splice
from dscov.yamltext.words import written

_WRITE_OUT = "Write the shared part out in full in this place, then run the command again."


@dataclass(frozen=True, slots=True)
class Spot:
    """How far a path leads: `trail` is the nodes from the root on, `rest` the steps that are not there yet."""

    trail: tuple[Node, ...]
    rest: Path

    @property
    def node(self) -> Node:
        """The last node that is there."""
        return self.trail[-1]


def operate(document: Document, root: Node, operation: Operation) -> str:
    """The text of `document` after `operation` on the tree `root`, or Refused with the reason and the way out."""
    match operation:
        case Add(path):
            changes = _add(document, root, operation)
        case Replace(path, value):
            changes = _replace(document, root, path, value)
        case Remove(path):
            changes = _remove(document, find(document, root, path, whole=True), path[-1])
    return splice(document.text, changes)


def find(document: Document, root: Node, path: Path, *, whole: bool = False) -> Spot:
    """Follow `path` from `root` as far as it goes, refusing where another place would change with it.

    With `whole` the last node is not looked into: it may be an alias, which is nothing but a name.
    """
    shared = {node.text for node in root.walk() if node.kind == "alias"}
    trail = [root]
    for depth, step in enumerate(path):
        node = trail[-1]
        _check(document, node, shared, str(path[depth - 1]) if depth else "the document")
        child = _child(document, root, node, step)
        if child is None:
            return Spot(tuple(trail), path[depth:])
        trail.append(child)
    if not whole:
        _check(document, trail[-1], shared, str(path[-1]))
    return Spot(tuple(trail), ())


def _check(document: Document, node: Node, shared: set[str], name: str) -> None:
    line, _ = document.place(node.start)
    if node.kind == "alias":
        reason = (
            f"{name} in line {line} is the alias *{node.text}: an edit would change every place that uses the anchor"
        )
        raise Refused(reason, remedy=_WRITE_OUT)
    if node.anchor in shared:
        reason = f"{name} in line {line} has the anchor &{node.anchor}, and an alias elsewhere would change with it"
        raise Refused(reason, remedy=_WRITE_OUT)


def _child(document: Document, root: Node, node: Node, step: str | int) -> Node | None:
    if isinstance(step, int) or step == END:
        return node.items[int(step)] if isinstance(step, int) and node.kind == "list" else None
    if node.kind != "map":
        return None
    places = node.named(step)
    if len(places) > 1:
        lines = " and ".join(str(document.place(node.keys[place].start)[0]) for place in places)
        remedy = "Readers disagree which of them counts: keep one and run the command again."
        raise Refused(f"the key {step} is there more than once, in lines {lines}", remedy=remedy)
    for merged in _merged(root, node):
        if merged.named(step):
            line, _ = document.place(node.start)
            raise Refused(f"{step} comes in through a merge key (<<) of the map in line {line}", remedy=_WRITE_OUT)
    return node.items[places[0]] if places else None


def _merged(root: Node, node: Node, depth: int = 0) -> Iterator[Node]:
    """The maps that reach `node` through merge keys."""
    for place in node.named("<<"):
        value = node.items[place]
        for source in value.items if value.kind == "list" else [value]:
            name = source.text if source.kind == "alias" else None
            for target in [source] if name is None else [n for n in root.walk() if n.anchor == name]:
                yield target
                if depth < 8:
                    yield from _merged(root, target, depth + 1)


def _add(document: Document, root: Node, operation: Add) -> list[Splice]:
    path, value = operation.path, operation.value
    if isinstance(path[-1], int):
        return _insert(document, find(document, root, path[:-1]), path[-1], value)
    spot = find(document, root, path)
    node, rest = spot.node, spot.rest
    whole = _wrapped(rest, value)
    if not node.items:
        return _fill(document, spot, whole)
    if node.kind == "list" and rest == (END,):
        return flow.append_item(document, node, value) if node.flow else block.append_item(document, node, value)
    if node.kind != "map" or not rest or not isinstance(rest[0], str) or rest[0] == END:
        raise Refused(
            _unexpected(document, node, rest), remedy="Put the part in order by hand and run the command again."
        )
    entry = (rest[0], _wrapped(rest[1:], value))
    if operation.first and rest == path[-1:]:
        return flow.first_entry(document, node, entry) if node.flow else block.first_entry(document, node, entry)
    places = node.named(operation.after) if operation.after else []
    add = flow.add_entry if node.flow else block.add_entry
    return add(document, node, entry, after=places[0] if places else None)


def _insert(document: Document, spot: Spot, place: int, value: Data) -> list[Splice]:
    """A new item in front of the one that is the number `place` of a list."""
    node = spot.node
    if spot.rest or node.kind != "list" or not 0 <= place < len(node.items):
        reason = _unexpected(document, node, spot.rest)
        raise Refused(reason, remedy="Put the part in order by hand and run the command again.")
    return (flow.insert_item if node.flow else block.insert_item)(document, node, place, value)


def _fill(document: Document, spot: Spot, whole: Data) -> list[Splice]:
    node = spot.node
    parent = spot.trail[-2] if len(spot.trail) > 1 else None
    if parent is None or parent.kind != "map" or not (node.is_null or node.kind in ("map", "list")):
        reason = _unexpected(document, node, spot.rest)
        raise Refused(reason, remedy="Put the part in order by hand and run the command again.")
    if node.is_null and not parent.flow:
        return block.fill_null(document, parent, parent.items.index(node), whole)
    return flow.fill_empty(document, parent, node, whole)


def _replace(document: Document, root: Node, path: Path, value: Data) -> list[Splice]:
    spot = find(document, root, path)
    node = spot.node
    if node.is_null and not spot.rest:
        return _fill(document, spot, value)
    if spot.rest or node.kind != "scalar" or node.style in ("|", ">"):
        raise Refused(_unexpected(document, node, spot.rest), remedy="Change this value by hand.")
    quote = '"' if flow.is_json(document, node) else node.style
    return [Splice(node.body, node.end, written(value, quote=quote))]


def _remove(document: Document, spot: Spot, step: str | int) -> list[Splice]:
    if spot.rest:
        raise Refused(_unexpected(document, spot.node, spot.rest), remedy="Remove this part by hand.")
    node, parent = spot.node, spot.trail[-2]
    place = parent.items.index(node)
    inside = {n.anchor for n in node.walk() if n.anchor}
    aliases = {n.text for n in spot.trail[0].walk() if n.kind == "alias"}
    if inside & aliases:
        raise Refused(f"{step} holds the anchor &{min(inside & aliases)} that is used elsewhere", remedy=_WRITE_OUT)
    if parent.flow:
        return flow.remove(document, parent, place)
    if len(parent.items) > 1:
        return (block.remove_item if parent.kind == "list" else block.remove_entry)(document, parent, place)
    above = spot.trail[-3] if len(spot.trail) > 2 else None
    if above is None or above.kind != "map":
        raise Refused(f"{step} is all there is in its place", remedy="Remove it by hand.")
    return block.empty_out(document, above, above.items.index(parent))


def _wrapped(rest: Path, value: Data) -> Data:
    for step in reversed(rest):
        value = [value] if step == END or isinstance(step, int) else {step: value}
    return value


def _unexpected(document: Document, node: Node, rest: Path) -> str:
    line, _ = document.place(node.start)
    kind = {"map": "a map", "list": "a list", "scalar": "a single value", "alias": "an alias"}[node.kind]
    what = "/".join(str(step) for step in rest)
    return f"line {line} holds {kind}" + (
        f", which has no place for {what}" if what else " of another form than expected"
    )
