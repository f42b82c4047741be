"""The ways into this room: a plan and the user's files in, proved text edits out; nothing is written here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dscov.errors import NotFound, Refused
from dscov.model.edits import Plan, Target, TextEdit
from dscov.patches import inline
from dscov.patches.change import Change, on_object
from dscov.patches.fields import field_of, in_daemonset
from dscov.patches.helm import change_values
from dscov.patches.kustomize import change_kustomization, put_out
from dscov.patches.manifest import Place, edit_text, matches, pod_spec
from dscov.patches.notes import notes_of
from dscov.patches.search import Found, Search, Several, choose, load, parse, search, sources
from dscov.patches.strategy import check_strategy
from dscov.yamltext.document import read

__all__ = [
    "Several",
    "change",
    "change_at",
    "change_kustomization",
    "change_values",
    "check_sources",
    "document_text",
    "locate",
    "patch",
    "targets_in",
]


def patch(plan: Plan, paths: Sequence[str]) -> list[TextEdit]:
    """The text edits that carry out `plan` in the files or folders `paths`: none where all is as planned already.

    Raises NotFound, Several where more than one DaemonSet is meant, and Refused where an edit is not safe.
    """
    return [edit for edit in change(plan, paths).edits if edit.old != edit.new]


def change(plan: Plan, paths: Sequence[str]) -> Change:
    """The same with everything that is known about the change."""
    return change_at(locate(plan.target, paths), plan)


def locate(target: Target, paths: Sequence[str]) -> Found:
    """The one manifest or inline patch that `target` means."""
    result = _searched(paths)
    matching: list[Found] = [place for place in result.places if isinstance(place, Place) and matches(place, target)]
    if not matching:
        matching = [found for found in _inline(result) if found.targets(target)]
    return choose(result, target, matching)


def check_sources(paths: Sequence[str], *, kustomization: str | None = None, values: str | None = None) -> None:
    """Raise what stands against editing any DaemonSet in these sources, whichever is meant.

    NotFound where files hold none, or a folder no kustomization; Refused where they cannot be parsed, CouldNotLook.
    """
    if kustomization and not any(Path(kustomization, name).is_file() for name in inline.FILE_NAMES):
        raise NotFound(f"{kustomization}: no kustomization.yaml")
    if values:
        parse(load(Path(values)))
    result = _searched(paths) if paths else None
    if result and not result.places and not any(_inline(result)):
        choose(result, Target(), ())


def _searched(paths: Sequence[str]) -> Search:
    sole = len(paths) == 1 and not Path(paths[0]).is_dir()
    return search(list(sources(paths)), sole=sole)


def _inline(result: Search) -> Iterator[inline.InlinePatch]:
    return (found for source, document in result.texts for found in inline.patches(source, document))


def targets_in(paths: Sequence[str], kustomization: str | None = None) -> tuple[Target, ...]:
    """The DaemonSets of the manifests in files or folders, without those in files that cannot be read.

    With those that the kustomization in a folder puts out, by the names it gives them and by those of their sources;
    none of one that cannot be built here.
    """
    result = search(list(sources(paths)), sole=False) if paths else None
    named = [Target(place.name, place.namespace) for place in result.places] if result else []
    return (*named, *(put_out(Path(kustomization)) if kustomization else ()))


def change_at(found: object, plan: Plan) -> Change:
    """Carry out the edits of `plan` at a place that was found."""
    if isinstance(found, inline.InlinePatch):
        new = found.edited(plan.edits)
        return Change(found.name, (TextEdit(found.source.path, found.source.raw, found.source.encoded(new)),))
    if not isinstance(found, Place):
        raise TypeError("not a place in a file")
    notes = (*_warnings(found, plan), *notes_of(plan.edits, found.data, in_daemonset))
    new = edit_text(found, plan.edits)
    edit = TextEdit(found.source.path, found.source.raw, found.source.encoded(new), notes)
    done, after = on_object(found.data, plan.edits)
    check_strategy(after, plan.edits)
    return Change(found.name, (edit,), found.data, done, after, notes)


def document_text(found: Place, text: str) -> str:
    """The document of `found` alone, out of the whole `text` of its file."""
    root = read(text, path=found.source.path).roots[found.number]
    return text[root.start : root.end] + "\n"


def _warnings(found: Place, plan: Plan) -> tuple[str, ...]:
    """A strategic merge patch replaces lists that are atomic: a list that it does not have yet is a trap."""
    spec = pod_spec(found.data) or {}
    absent = [name for name in ("tolerations", "affinity") if not spec.get(name)]
    if (
        not found.is_partial
        or not absent
        or not any(field_of(edit) in ("tolerations", "affinity") for edit in plan.edits)
    ):
        return ()
    folder = Path(found.source.path).resolve().parent
    owner = next((folder / name for name in inline.FILE_NAMES if (folder / name).is_file()), None)
    if owner and inline.refers_to_patch(owner, Path(found.source.path).name):
        reason = (
            f"{found.source.path}: a strategic merge patch without this list: a new one would replace that of the base"
        )
        raise Refused(reason, remedy=f"Use -k {folder} instead of -f, which writes a patch that appends.")
    return (
        "this looks like a strategic merge patch: a list written here replaces that of its base, it is not appended",
    )
