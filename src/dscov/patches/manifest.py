"""DaemonSets in plain manifests: found by kind, namespace and name, and edited where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dscov.errors import BadInput, Refused
from dscov.model.edits import Edit, RemoveToleration, Target, UnsetNodeSelector
from dscov.patches.fields import Layout, in_daemonset, moved, value_at
from dscov.patches.operations import operations
from dscov.patches.prove import prove
from dscov.patches.source import Source
from dscov.yamltext.document import Document, Node, read
from dscov.yamltext.meaning import Data, Operation, Path, resolved
from dscov.yamltext.surgery import operate


@dataclass(frozen=True, slots=True)
class Place:
    """A DaemonSet in a file: the number of its document, its path in there, and its data with aliases followed."""

    source: Source
    number: int
    base: Path
    data: dict[str, Any]
    line: int

    @property
    def name(self) -> str:
        """metadata.name, empty where there is none."""
        return str(_metadata(self.data).get("name") or "")

    @property
    def namespace(self) -> str | None:
        """metadata.namespace; an empty one is none, as for the API server."""
        return str(_metadata(self.data).get("namespace") or "") or None

    @property
    def is_partial(self) -> bool:
        """Whether this looks like a strategic merge patch: no container with an image."""
        return is_partial(self.data)

    def __str__(self) -> str:
        """`path:line: daemonset/name`, for lists to choose from."""
        where = f" -n {self.namespace}" if self.namespace else ""
        return f"{self.source.path}:{self.line}: daemonset/{self.name}{where}"


def pod_spec(data: dict[str, Any]) -> dict[str, Any] | None:
    """The pod template's spec of a DaemonSet."""
    found: Data = data
    for step in ("spec", "template", "spec"):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def is_partial(data: Mapping[str, Any]) -> bool:
    """Whether no container of a DaemonSet has an image, as in a strategic merge patch."""
    spec = pod_spec(dict(data))
    containers = spec.get("containers") if spec else None
    return not any(isinstance(c, dict) and c.get("image") for c in (containers if isinstance(containers, list) else []))


def daemonsets(source: Source, document: Document) -> Iterator[Place]:
    """Every DaemonSet of a file, in lists too, in the order of the text."""
    for number, root in enumerate(document.roots):
        found = list(_objects(root, ()))
        whole = resolved(root) if found else None
        for base, node in found:
            data = value_at(whole, base)
            if isinstance(data, dict):
                yield Place(source, number, base, data, document.place(node.start)[0])


def _objects(node: Node, base: Path, depth: int = 0) -> Iterator[tuple[Path, Node]]:
    kind = node.get("kind")
    if node.kind != "map" or kind is None or depth > 3:
        return
    items = node.get("items")
    if kind.text == "DaemonSet":
        yield base, node
    elif kind.text.endswith("List") and items is not None and items.kind == "list":
        for i, item in enumerate(items.items):
            yield from _objects(item, (*base, "items", i), depth + 1)


def _at(node: Node, base: Path) -> Node:
    for step in base:
        node = _step(node, step) or node
    return node


def matches(place: Place, target: Target) -> bool:
    """Whether `target` names this DaemonSet; a manifest without namespace is in any."""
    same_name = target.name is None or place.name == target.name
    return same_name and (target.namespace is None or place.namespace in (None, target.namespace))


def edit_text(place: Place, edits: Sequence[Edit]) -> str:
    """The text of the file of `place` with `edits` done to its DaemonSet and proved, or Refused."""
    source = place.source
    document = read(source.text, path=source.path)
    if pod_spec(place.data) is None:
        reason = f"{source.path}: daemonset/{place.name} in line {place.line} has no pod template (spec.template.spec)"
        raise Refused(reason, remedy="Write the template first, or name the file that holds it.")
    check_keys(document, _at(document.roots[place.number], place.base), source.path)
    return Surgeon(source.text, source.path).edit(place, edits, layout=in_daemonset)


class Surgeon:
    """A text on which edits are done one after another; the proof at the end covers them all."""

    def __init__(self, text: str, path: str) -> None:
        self.old = self.text = text
        self.path = path
        self.changes: list[tuple[int, Operation]] = []

    def edit(self, place: Place, edits: Sequence[Edit], *, layout: Layout, keep_empty: bool = False) -> str:
        """Do `edits` to the object at `place` and prove the result."""
        for edit in edits:
            root = read(self.text, path=self.path).roots[place.number]
            data = resolved(root)
            for step in place.base:
                data = data[step]
            with naming(self.path):
                keep = keep_empty or _has_brackets(_at(root, place.base), edit, layout)
                todo = operations(edit, data, layout, keep_empty=keep)
                self.perform(place.number, [moved(operation, place.base) for operation in todo])
        return self.proved()

    def perform(self, number: int, todo: Sequence[Operation]) -> None:
        """Do operations on the document `number`."""
        for operation in todo:
            try:
                document = read(self.text, path=self.path)
            except BadInput as error:
                raise Refused(f"a step broke the text ({error.problem})", remedy="Make this change by hand.") from error
            self.text = operate(document, document.roots[number], operation)
            self.changes.append((number, operation))

    def proved(self) -> str:
        """The new text, once it is proved."""
        if self.text != self.old:
            prove(self.old, self.text, self.changes, path=self.path)
        return self.text


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Refusals of what happens within name the file."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{path}: {error.reason}", remedy=error.remedy) from error


def _has_brackets(node: Node, edit: Edit, layout: Layout) -> bool:
    """Whether what may lose its last entry stands in brackets below a block key: there `[]` is the custom."""
    field = {RemoveToleration: "tolerations", UnsetNodeSelector: "nodeSelector"}.get(type(edit))
    if field is None:
        return False
    *above, last = layout(field)
    parent: Node | None = node
    for step in above:
        parent = _step(parent, step)
    found = _step(parent, last)
    return parent is not None and found is not None and found.flow and not parent.flow


def _step(node: Node | None, step: str | int) -> Node | None:
    if node is None:
        return None
    if isinstance(step, str):
        return node.get(step)
    return node.items[step] if node.kind == "list" and step < len(node.items) else None


def check_keys(document: Document, node: Node, path: str) -> None:
    """A key that is there twice makes it a matter of the reader what the object is."""
    for part in node.walk():
        seen: set[str] = set()
        for key in part.keys:
            if key.kind == "scalar" and key.text in seen and key.text != "<<":
                line, _ = document.place(key.start)
                reason = f"{path}: the key {key.text} in line {line} is there a second time in the same map"
                raise Refused(reason, remedy="Readers disagree which one counts: keep one and run the command again.")
            seen.add(key.text)


def _metadata(data: dict[str, Any]) -> dict[str, Any]:
    found = data.get("metadata")
    return found if isinstance(found, dict) else {}
