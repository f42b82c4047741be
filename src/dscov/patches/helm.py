"""Helm values: the same edits at the path that feeds the DaemonSet. Helm replaces lists, so they are written whole."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from dscov.errors import NotFound, Refused
from dscov.model.edits import Edit, Plan, RemoveToleration, TextEdit, UnsetNodeSelector
from dscov.patches.change import Change
from dscov.patches.chart import feeding_path
from dscov.patches.fields import Field, field_of, value_at
from dscov.patches.manifest import Place, Surgeon, naming
from dscov.patches.notes import not_there, notes_of
from dscov.patches.operations import operations
from dscov.patches.search import load, parse
from dscov.patches.source import Source
from dscov.patches.witness import check
from dscov.yamltext.document import Node, read
from dscov.yamltext.lines import column, insert_lines, newline_near
from dscov.yamltext.meaning import Add, Data, Operation, Replace, applied, meaning, resolved
from dscov.yamltext.meaning import Path as Steps
from dscov.yamltext.splice import Splice, splice

FIELDS = ("tolerations", "nodeSelector", "affinity", "priorityClassName", "updateStrategy")
_LIST_NOTE = "Helm replaces lists, it never merges them: the list in this file is the whole list that the chart gets"
_REPLACED = (
    "if the chart has values of its own there, these replace them; with --chart DIR they are written out as well"
)
_UNSEEN = "--offline: the templates were read, helm was not asked to render them"


def change_values(
    plan: Plan, *, values: str | None, path: str | None, chart: str | None, offline: bool = False
) -> Change:
    """Carry out `plan` in a values file; the path is found in the templates of `chart` where none is given.

    Without `values` the values.yaml of the chart itself is edited. Unless `offline`, helm says whether the chart renders
    what was planned.
    """
    file = Path(values) if values else Path(chart or ".") / "values.yaml"
    source = load(file)
    parse(source)
    layout = _Layout(plan, path, chart)
    defaults = _defaults(file, chart)
    values_file = _Values(source, layout, defaults)
    new = source.encoded(values_file.edited(plan.edits))
    notes = [_LIST_NOTE] if any(field_of(edit) == "tolerations" for edit in plan.edits) else []
    notes += values_file.notes
    if chart and new != source.raw:
        notes += (_UNSEEN,) if offline else check(plan, Path(chart), file, old=source.raw, new=new)
    return Change(
        plan.target.name or source.path, (TextEdit(source.path, source.raw, new, (*notes,)),), notes=(*notes,)
    )


class _Layout:
    """Where each scheduling field lies in the values: beside the one that was named, or as the templates show."""

    def __init__(self, plan: Plan, path: str | None, chart: str | None) -> None:
        self.plan, self.chart = plan, chart
        # As with `helm --set`, a backslash keeps a dot inside a key.
        self.path = tuple(key.replace("\\.", ".") for key in re.split(r"(?<!\\)\.", path)) if path else None
        if self.path and not all(self.path):
            raise NotFound(f"--values-path {path}: a key is empty; write it as a.b.tolerations")

    def __call__(self, field: Field) -> Steps:
        if isinstance(field, tuple):
            return self._given(field)
        if self.path is None:
            if self.chart is None:
                raise NotFound("--values needs --values-path PATH, or --chart DIR to find it")
            return feeding_path(Path(self.chart), field, self.plan.target)
        if self.path[-1] in FIELDS and self.path[-1] != field:
            return (*self.path[:-1], field)
        return self.path

    def _given(self, field: tuple[str, ...]) -> Steps:
        """The path that was named, if it is for this very field: no other value is known to feed it."""
        if self.path and self.path[-1] == field[-1]:
            return self.path
        reason = f"which value feeds {'.'.join(field)} of the DaemonSet is not known"
        raise Refused(reason, remedy=f"Name it with --values-path, as in a.b.{field[-1]}.")


class _Values:
    """A values file under edit, with the chart's own values behind it."""

    def __init__(self, source: Source, layout: _Layout, defaults: Data) -> None:
        self.source, self.layout, self.defaults = source, layout, defaults
        self.place = Place(source, 0, (), {}, 1)
        self.notes: list[str] = []

    def edited(self, edits: Sequence[Edit]) -> str:
        """The new text, proved."""
        text = self.source.text
        document = read(text, path=self.source.path)
        if not document.roots or _holds_nothing(document.roots[0], text):
            return self._from_nothing(text, next(iter(document.roots), None), edits)
        surgeon = Surgeon(text, self.source.path)
        for edit in edits:
            path = self.layout(field_of(edit))
            if isinstance(edit, UnsetNodeSelector) and self._unset(surgeon, edit.key, path):
                continue
            with naming(self.source.path):
                inherited, needed = self._inherited(surgeon.text, edit, path)
                surgeon.perform(0, inherited)
                data = resolved(read(surgeon.text, path=self.source.path).roots[0])
                if needed:
                    self.notes += notes_of([edit], data, self.layout)
                elif isinstance(edit, RemoveToleration):
                    self.notes.append(not_there(edit))
            if needed:
                surgeon.edit(self.place, [edit], layout=self.layout, keep_empty=True)
        return surgeon.proved()

    def _unset(self, surgeon: Surgeon, key: str, path: Steps) -> bool:
        """Take a label out that the chart has too; helm merges maps, and only null takes an entry of the chart out.

        False where the chart is known not to have it, or not known: then taking it out of the file is all there is.
        """
        with naming(self.source.path):
            there = value_at(resolved(read(surgeon.text, path=self.source.path).roots[0]), path)
            in_file = there if isinstance(there, dict) else {}
            in_chart = value_at(self.defaults, path)
            what = ".".join(map(str, path))
            if self.defaults is None:
                if key not in in_file:
                    raise _unknown(f"label {key} in {what}")
                self.notes.append(f"if the chart has {key} in {what} too, that is left; --chart DIR shows it")
                return False
            if not isinstance(in_chart, dict) or in_chart.get(key) is None:
                return False
            if in_file.get(key, "") is not None:
                surgeon.perform(0, [Replace((*path, key), None) if key in in_file else Add((*path, key), None)])
                self.notes.append(f"the chart has {key} in {what}: null takes it out, since helm merges maps")
        return True

    def _inherited(self, text: str, edit: Edit, path: Steps) -> tuple[list[Operation], bool]:
        """The chart's whole list, where the file does not have it yet, and whether anything is to be done at all."""
        data = resolved(read(text, path=self.source.path).roots[0])
        if field_of(edit) not in ("tolerations", "affinity") or _is_set(data, path):
            return [], True
        if self.defaults is None:
            what = ".".join(map(str, path))
            if not operations(edit, data, self.layout):
                raise _unknown(what)
            self.notes.append(f"{self.source.path} had no {what}: {_REPLACED}")
            return [], True
        default = value_at(self.defaults, path)
        if not default:
            return [], True
        inherit = Add(path, default)
        needed = bool(operations(edit, applied(data, inherit), self.layout))
        return ([inherit] if needed else []), needed

    def _from_nothing(self, text: str, root: Node | None, edits: Sequence[Edit]) -> str:
        """A file that holds no value yet: comments at most, or a `{}` or null in their stead, which goes."""
        filled = _Values(Source(self.source.path, b"made: here\n"), self.layout, self.defaults)
        scratch = filled.edited(edits)
        self.notes = filled.notes
        wanted = {key: value for key, value in meaning(read(scratch).roots[0]).items() if key != "made"}
        if not wanted:
            return text
        lines = scratch.splitlines()[1:] if Path(self.source.path).suffix != ".json" else [json.dumps(wanted)]
        new = splice(text, [_in_place_of(root, text, lines)])
        if meaning(read(new).roots[0]) != wanted:
            reason = (
                f"{self.source.path}: the first document, which is the one that helm reads, holds nothing, and what "
            )
            raise Refused(f"{reason}stands around it leaves no place for values", remedy="Write the values by hand.")
        return new


def _unknown(what: str) -> Refused:
    """That the file lacks what is to be changed, and whether the chart has it cannot be seen."""
    reason = f"has no {what}, and what the chart has there is not known"
    return Refused(reason, remedy="Give the chart with --chart DIR.")


def _in_place_of(root: Node | None, text: str, lines: list[str]) -> Splice:
    """The lines in place of a value that stands for nothing, or where there is none behind all else."""
    if root is None or root.start == root.end:
        return insert_lines(text, len(text), lines)
    newline = newline_near(text, root.start)
    fresh = newline if column(text, root.start) else ""
    return Splice(root.start, root.end, fresh + newline.join(lines))


def _holds_nothing(root: Node, text: str) -> bool:
    """Whether it can go for the first value: a plain null, or a map without entries that hides no comment."""
    empty = root.is_null or (root.kind == "map" and not root.items)
    return empty and root.anchor is None and root.tag is None and "#" not in text[root.start : root.end]


def _is_set(data: Data, path: Steps) -> bool:
    above = value_at(data, path[:-1]) if len(path) > 1 else data
    return isinstance(above, dict) and path[-1] in above


def _defaults(file: Path, chart: str | None) -> Data:
    """The chart's own values; {} for the values file of the chart itself, None where the chart is not known."""
    folder = Path(chart) if chart else file.parent
    if not (folder / "Chart.yaml").is_file():
        return None
    own = folder / "values.yaml"
    if not own.is_file() or own.resolve() == file.resolve():
        return {}
    document = parse(load(own))
    return resolved(document.roots[0]) if document.roots else {}
