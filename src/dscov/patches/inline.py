"""Patches written inside a kustomization.yaml: strategic merge and JSON 6902, in `patches` and its two older names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dscov.errors import BadInput, Refused
from dscov.model.edits import AddToleration, Edit, Target
from dscov.patches.fields import Field, field_of, in_daemonset, value_at
from dscov.patches.manifest import Place, Surgeon, check_keys, daemonsets, edit_text, matches
from dscov.patches.prove import prove
from dscov.patches.source import Source
from dscov.yamltext.document import Document, Node, read
from dscov.yamltext.embed import inner_text, with_inner
from dscov.yamltext.meaning import END, Add, Data, Replace, meaning, resolved
from dscov.yamltext.meaning import Path as Steps

FILE_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("patches", "patchesStrategicMerge", "patchesJson6902")
_USE_K = "Use -k with the folder of the kustomization: it looks at the base first and writes a patch that fits."


@dataclass(frozen=True, slots=True)
class InlinePatch:
    """A patch in a scalar of a kustomization: the path to the scalar, and what it is a patch of."""

    source: Source
    number: int
    path: Steps
    name: str
    namespace: str | None
    is_json: bool
    line: int
    inner: Place | None = None

    def __str__(self) -> str:
        """`path:line: patch of daemonset/name`."""
        return f"{self.source.path}:{self.line}: patch of daemonset/{self.name}"

    def targets(self, target: Target) -> bool:
        """Whether this patch is for the DaemonSet that `target` means; names of kustomize targets are expressions."""
        if self.inner:
            return matches(self.inner, target)
        try:
            same = target.name is None or bool(re.fullmatch(self.name or ".*", target.name))
        except re.error:
            return False
        return same and (target.namespace is None or self.namespace in (None, target.namespace))

    def edited(self, edits: Sequence[Edit]) -> str:
        """The text of the kustomization with `edits` done inside the patch and proved, or Refused."""
        document = read(self.source.text, path=self.source.path)
        check_keys(document, document.roots[self.number], self.source.path)
        node = _at(document.roots[self.number], self.path)
        old = inner_text(document, node)
        label = f"{self.source.path} (patch in line {self.line})"
        if self.inner:
            check_lists(self.inner.data, edits, label)
            place = next(p for p in daemonsets(Source(label, old.encode()), read(old)) if p.base == self.inner.base)
            new = edit_text(place, edits)
        else:
            new = edit_json_patch(old, edits, label)
        return self._back(document, node, new)

    def _back(self, document: Document, node: Node, inner: str) -> str:
        text = with_inner(document, node, inner)
        # What the scalar holds now, by its chomping: the blank ends of a block are its own affair.
        value = inner if node.text.endswith("\n") else inner.rstrip("\n")
        tail = node.text[len(node.text.rstrip("\n")) :]
        value = value.rstrip("\n") + tail
        prove(document.text, text, [(self.number, Replace(self.path, value.replace("\r\n", "\n")))], path=document.path)
        return text


def patches(source: Source, document: Document) -> Iterator[InlinePatch]:
    """The patches of DaemonSets that are written in the kustomizations of a file."""
    for number, root in enumerate(document.roots):
        kind = root.get("kind")
        named = Path(source.path).name in FILE_NAMES
        if not (named if kind is None else kind.text in ("Kustomization", "Component")):
            continue
        for name in _LISTS:
            entries = root.get(name)
            for i, entry in enumerate(entries.items if entries is not None and entries.kind == "list" else []):
                yield from _entry(source, document, number, ((name, i), entry))


def _entry(source: Source, document: Document, number: int, found: tuple[Steps, Node]) -> Iterator[InlinePatch]:
    path, entry = found
    held = entry if entry.kind == "scalar" else entry.get("patch")
    if held is None or held.kind != "scalar" or ("\n" not in held.text.strip() and held.text[:1] not in "[{"):
        return
    steps = path if entry.kind == "scalar" else (*path, "patch")
    line, _ = document.place(held.start)
    try:
        inner = read(held.text)
    except BadInput:
        return
    if inner.roots and inner.roots[0].kind == "list":
        target = resolved(entry).get("target") if entry.kind == "map" else None
        if isinstance(target, dict) and target.get("kind", "DaemonSet") == "DaemonSet":
            name, namespace = str(target.get("name") or ""), target.get("namespace")
            yield InlinePatch(source, number, steps, name, namespace, is_json=True, line=line)
    else:
        for place in daemonsets(Source(source.path, held.text.encode()), inner):
            yield InlinePatch(source, number, steps, place.name, place.namespace, is_json=False, line=line, inner=place)


def edit_json_patch(text: str, edits: Sequence[Edit], label: str) -> str:
    """A JSON 6902 patch with `edits` done to the values it sets; what it does not set has no place in it."""
    surgeon = Surgeon(text, label)
    for edit in edits:
        steps = meaning(read(surgeon.text, path=label).roots[0])
        single = _appended(steps, edit)
        if single is not None:
            surgeon.perform(0, single)
            continue

        def layout(field: Field, steps: Data = steps) -> Steps:
            wanted = "/" + "/".join(str(step) for step in in_daemonset(field))
            places = [i for i, step in enumerate(steps) if _sets(step, wanted)]
            if len(places) != 1:
                count = "more than once" if places else "nowhere"
                raise Refused(f"{label}: the JSON patch sets {wanted} {count}", remedy=_USE_K)
            return (places[0], "value")

        surgeon.edit(Place(Source(label, b""), 0, (), {}, 1), [edit], layout=layout)
    return surgeon.proved()


def _sets(step: Data, wanted: str) -> bool:
    return isinstance(step, dict) and step.get("op") in ("add", "replace") and step.get("path") == wanted


def _appended(steps: Data, edit: Edit) -> list[Add] | None:
    """A toleration for a patch that appends single ones: one more of the same kind."""
    if not isinstance(edit, AddToleration) or not isinstance(steps, list):
        return None
    path = "/spec/template/spec/tolerations/-"
    present = [step.get("value") for step in steps if isinstance(step, dict) and step.get("path") == path]
    if not present:
        return None
    fields = edit.toleration.fields()
    return [] if fields in present else [Add((END,), {"op": "add", "path": path, "value": fields})]


def check_lists(data: dict[str, Any], edits: Sequence[Edit], label: str) -> None:
    """Refuse to put a new list into a strategic merge patch: it would replace the whole list of the base."""
    for edit in edits:
        field = field_of(edit)
        if field in ("tolerations", "affinity") and not value_at(data, in_daemonset(field)):
            raise Refused(
                f"{label}: this patch has no {field}; a new one would replace that of the base", remedy=_USE_K
            )


def refers_to_patch(kustomization: Path, name: str) -> bool:
    """Whether a kustomization uses the file `name` as a patch."""
    try:
        document = read(Source(str(kustomization), kustomization.read_bytes()).text)
    except (BadInput, Refused, OSError):
        return False
    for root in document.roots:
        for field in _LISTS:
            entries = root.get(field)
            for entry in entries.items if entries is not None else []:
                path = entry if entry.kind == "scalar" else entry.get("path")
                if path is not None and path.text.removeprefix("./") == name:
                    return True
    return False


def _at(node: Node, path: Steps) -> Node:
    for step in path:
        found = node.items[step] if isinstance(step, int) else node.get(step)
        if found is None:
            raise Refused("the place is not there any more", remedy="Run the command again.")
        node = found
    return node
