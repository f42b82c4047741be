"""What files hold where no DaemonSet is in them, for the message that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dscov.errors import BadInput, NotFound, Refused
from dscov.patches.source import Source
from dscov.yamltext.document import Node, read

#: So many objects are named, and so many files looked at for them.
_NAMED, _FILES = 3, 20


def no_daemonset(found: Sequence[Source]) -> NotFound:
    """That there is no DaemonSet in these files, and what there is instead."""
    objects = [text for source in found[:_FILES] for text in _objects(source)]
    one = len(found) == 1
    head = f"{found[0].path} holds no DaemonSet" if one else f"these {len(found)} files hold no DaemonSet"
    if not found:
        head = "there is no file of YAML or JSON here, and so no DaemonSet"
    if not objects:
        return NotFound(head)
    more = " and more" if len(objects) > _NAMED else ""
    return NotFound(f"{head}; {'it holds' if one else 'they hold'} {', '.join(objects[:_NAMED])}{more}")


def _objects(source: Source) -> Iterator[str]:
    try:
        roots = read(source.text, path=source.path).roots
    except (BadInput, Refused):
        return
    for root in roots:
        yield from _named(root)


def _named(root: Node) -> Iterator[str]:
    kind = root.get("kind") if root.kind == "map" else None
    if kind is None or kind.kind != "scalar":
        return
    items = root.get("items")
    if kind.text.endswith("List") and items is not None and items.kind == "list":
        for item in items.items:
            if item.kind == "map" and item.get("items") is None:
                yield from _named(item)
        return
    metadata = root.get("metadata")
    name = metadata.get("name") if metadata is not None and metadata.kind == "map" else None
    yield f"{kind.text} {name.text}" if name is not None and name.kind == "scalar" else kind.text
