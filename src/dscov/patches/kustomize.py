"""Kustomizations: a patch that is there is edited, a source in the folder too; else a guarded patch is added."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from dscov.errors import CouldNotLook, NotFound, Refused
from dscov.model.edits import Plan, Target, TextEdit
from dscov.patches import direct, inline
from dscov.patches.build import Built, build, can_build
from dscov.patches.change import Change, on_object
from dscov.patches.fields import Field, field_of, in_daemonset, value_at
from dscov.patches.forms import json_patch, patch_lines, target_of
from dscov.patches.home import Home
from dscov.patches.manifest import Place, Surgeon, check_keys, daemonsets, edit_text
from dscov.patches.notes import notes_of
from dscov.patches.search import Several, load, parse
from dscov.patches.source import Source
from dscov.patches.strategy import check_strategy
from dscov.yamltext.document import Document
from dscov.yamltext.meaning import END, Add, Data, Remove, resolved


def change_kustomization(plan: Plan, folder: str, *, offline: bool = False) -> Change:
    """Carry out `plan` in the kustomization in `folder`; nothing outside of the folder is touched.

    If `offline`, no kustomize is run: only what this very folder shows by itself can be edited then.
    """
    root = Path(folder)
    file = next((root / name for name in inline.FILE_NAMES if (root / name).is_file()), None)
    if file is None:
        raise NotFound(f"{folder}: no kustomization.yaml")
    owner = load(file)
    home = Home(root, owner, parse(owner))
    if not home.document.roots or home.document.roots[0].kind != "map" or not home.document.roots[0].items:
        raise Refused(f"{owner.path}: no kustomization", remedy="Write at least its resources, then run it again.")
    check_keys(home.document, home.document.roots[0], owner.path)
    if _kind(home.document) == "Component":
        return _unseen(plan, home) or _refuse_component(owner)
    if offline or not can_build():
        return (
            _unseen(plan, home) or direct.change(plan, home, offline=offline) or _refuse_unbuilt(home, offline=offline)
        )
    try:
        found = build(root)
    except CouldNotLook:
        if change := _unseen(plan, home):
            return change
        raise
    target = _choose(plan.target, found)
    done, after = on_object(target.data, plan.edits)
    check_strategy(after, plan.edits)
    notes = notes_of(plan.edits, target.data, in_daemonset)
    if not done:
        return Change(target.name, (), target.data, done, after, notes)
    edit = _in_patches(plan, home, target) or _in_source(plan, home, target)
    own = _own_name(home.document, target)
    edits = (edit,) if edit else _new_patch(home, own, json_patch(target.data, done))
    return Change(target.name, edits, target.data, done, after, notes, patched_as=own)


def put_out(folder: Path) -> Iterator[Target]:
    """The DaemonSets of a kustomization, under every name that `change_kustomization` takes; none if it cannot be built."""
    if not can_build():
        return
    with contextlib.suppress(CouldNotLook):
        for one in build(folder):
            for name in dict.fromkeys((one.name, *_names_in(one))):
                yield Target(name, one.namespace)


def _choose(wanted: Target, found: list[Built]) -> Built:
    named = [one for one in found if wanted.name in (None, one.name) or wanted.name in _names_in(one)]
    exact = [one for one in named if one.name == wanted.name] or named
    here = [one for one in exact if wanted.namespace in (None, one.namespace)]
    if len(here) == 1:
        return here[0]
    if here:
        raise Several(wanted, [f"daemonset/{one.name} -n {one.namespace or 'default'}" for one in here])
    names = ", ".join(f"daemonset/{one.name}" for one in found[:5])
    raise NotFound(f"{wanted} is not in this kustomization" + (f"; there is {names}" if names else ""))


def _names_in(built: Built) -> list[str]:
    """The names that the origin file gives to the DaemonSets that may have become this one."""
    place = _source_place(built)
    return [place.name] if place else []


def _source_place(built: Built) -> Place | None:
    if built.origin is None or not built.origin.is_file():
        return None
    try:
        source = load(built.origin)
        places = [place for place in daemonsets(source, parse(source)) if place.name and place.name in built.name]
    except Refused:
        return None
    longest = max((len(place.name) for place in places), default=0)
    best = [place for place in places if len(place.name) == longest]
    return best[0] if len(best) == 1 else None


def _in_patches(plan: Plan, home: Home, built: Built) -> TextEdit | None:
    """An edit of the last patch of this kustomization that sets the field already."""
    names = {built.name, _own_name(home.document, built), *_names_in(built)}
    owner = home.owner
    for found in reversed(list(inline.patches(owner, home.document))):
        if any(found.targets(Target(name)) for name in names) and _sets_fields(found, plan):
            return TextEdit(owner.path, owner.raw, owner.encoded(found.edited(plan.edits)))
    for source in reversed(list(_patch_files(home, names))):
        if edit := _in_patch_file(plan, source, names):
            return edit
    return None


def _holds_all(data: dict[str, Data], plan: Plan) -> bool:
    """Whether a strategic patch sets all fields of the plan, and still does afterwards: what is taken out of such a
    patch comes back from the base.
    """
    if not all(value_at(data, in_daemonset(name)) not in (None, [], {}) for name in _fields(plan)):
        return False
    try:
        done, _ = on_object(data, plan.edits)
    except NotFound:
        return False
    uncovered = (isinstance(step, Remove) and all(isinstance(key, str) for key in step.path) for step in done)
    return bool(done) and not any(uncovered)


def _sets_fields(found: inline.InlinePatch, plan: Plan) -> bool:
    if found.inner:
        return _holds_all(found.inner.data, plan)
    try:
        return bool(found.edited(plan.edits))
    except Refused:
        return False


def _fields(plan: Plan) -> set[Field]:
    """The scheduling fields that a plan is about."""
    return {field_of(edit) for edit in plan.edits}


def _patch_files(home: Home, names: set[str]) -> Iterator[Source]:
    """The files inside the folder that this kustomization uses as patches, of the DaemonSet or of what they name."""
    for field in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        listed = resolved(home.document.roots[0]).get(field)
        for entry in listed if isinstance(listed, list) else []:
            target = entry.get("target") if isinstance(entry, dict) else None
            name = entry.get("path") if isinstance(entry, dict) else entry
            path = home.root / str(name)
            if path.is_file() and home.holds(path) and (target is None or _meant(target, names)):
                yield load(path)


def _meant(target: object, names: set[str]) -> bool:
    if not isinstance(target, dict) or target.get("kind") != "DaemonSet" or not target.get("name"):
        return False
    try:
        return any(re.fullmatch(str(target["name"]), name) for name in names)
    except re.error:
        return False


def _in_patch_file(plan: Plan, source: Source, names: set[str]) -> TextEdit | None:
    try:
        document = parse(source)
        if document.roots and document.roots[0].kind == "list":
            new = inline.edit_json_patch(source.text, plan.edits, source.path)
            return TextEdit(source.path, source.raw, source.encoded(new))
    except Refused:
        return None
    for place in daemonsets(source, document):
        if place.name in names and _holds_all(place.data, plan):
            return TextEdit(source.path, source.raw, source.encoded(edit_text(place, plan.edits)))
    return None


def _in_source(plan: Plan, home: Home, built: Built) -> TextEdit | None:
    """An edit of the manifest itself, if it lies in this very folder and what it says is what is put out."""
    place = _source_place(built)
    if place is None or built.origin is None or not home.holds(built.origin):
        return None
    paths = [in_daemonset(name) for name in _fields(plan)]
    if any(value_at(place.data, path) != value_at(built.data, path) for path in paths):
        return None
    patches = (found.inner.data for found in inline.patches(home.owner, home.document) if found.inner)
    if any(value_at(data, path) is not None for data in patches for path in paths):
        return None
    root = home.root
    listed = resolved(home.document.roots[0]).get("resources") or []
    if not any((root / str(name)).resolve() == built.origin.resolve() for name in listed):
        return None
    shown = Source(str(root / built.origin.resolve().relative_to(root.resolve())), place.source.raw)
    new = edit_text(Place(shown, place.number, place.base, place.data, place.line), plan.edits)
    return TextEdit(shown.path, shown.raw, shown.encoded(new))


def _new_patch(home: Home, own: str, patch: list[dict[str, Data]]) -> tuple[TextEdit, TextEdit]:
    """A patch file and its entry in the kustomization; `own` is the DaemonSet's name as patches meet it."""
    owner, stem = home.owner, "dscov-" + re.sub(r"[^A-Za-z0-9.-]", "-", own)
    name = next(f"{stem}{end}.yaml" for end in _numbers() if not (home.root / f"{stem}{end}.yaml").exists())
    newline = "\r\n" if b"\r\n" in owner.raw else "\n"
    body = newline.join([*patch_lines(patch), ""])
    target = target_of({"metadata": {"name": own}})
    surgeon = Surgeon(owner.text, owner.path)
    surgeon.perform(0, [Add(("patches", END), {"path": name, "target": target})])
    entry = TextEdit(owner.path, owner.raw, owner.encoded(surgeon.proved()))
    return TextEdit(str(home.root / name), None, body.encode()), entry


def _numbers() -> Iterator[str]:
    yield ""
    for number in range(2, 1000):
        yield f"-{number}"


def _own_name(document: Document, built: Built) -> str:
    """The name that patches of this kustomization meet: its own prefix and suffix come only after them."""
    data = resolved(document.roots[0])
    prefix, suffix = str(data.get("namePrefix") or ""), str(data.get("nameSuffix") or "")
    return built.name.removeprefix(prefix).removesuffix(suffix) if suffix else built.name.removeprefix(prefix)


def _unseen(plan: Plan, home: Home) -> Change | None:
    """Where nothing can be built (a component, a base that is not here): what is patched here already can be edited."""
    owner = home.owner
    found = [one for one in inline.patches(owner, home.document) if one.targets(plan.target)]
    for one in reversed(found):
        if _sets_fields(one, plan):
            edit = TextEdit(owner.path, owner.raw, owner.encoded(one.edited(plan.edits)))
            return Change(plan.target.name or one.name, (edit,))
    names = {plan.target.name} if plan.target.name else set()
    for source in reversed(list(_patch_files(home, names))):
        if patched := _in_patch_file(plan, source, names):
            return Change(plan.target.name or "", (patched,))
    return None


def _refuse_unbuilt(home: Home, *, offline: bool) -> NoReturn:
    why = "--offline runs no kustomize" if offline else "there is neither kubectl nor kustomize on the PATH"
    reason = f"{home.owner.path}: {why}, and without it what reaches the DaemonSet is not known"
    way = "leave --offline out" if offline else "let kubectl be found"
    raise Refused(reason, remedy=f"Name the manifest itself with -f, or {way}.")


def _refuse_component(owner: Source) -> NoReturn:
    reason = f"{owner.path}: a component that does not set this field, so the list that it meets is not known"
    raise Refused(reason, remedy="Use -k with the overlay that takes the component in.")


def _kind(document: Document) -> str:
    node = document.roots[0].get("kind") if document.roots else None
    return node.text if node else "Kustomization"
