"""A change as a text in one of the other forms, and as a folder of files for a pull request."""

from __future__ import annotations

from pathlib import Path

from dscov.errors import CouldNotLook, Refused
from dscov.model.edits import TextEdit
from dscov.patches.change import Change
from dscov.patches.diff import for_git
from dscov.patches.forms import json_patch, json_text, kustomize_entry, strategic, target_of, yaml_lines


def rendered(change: Change, form: str) -> bytes:
    """The bytes of `form`: diff, json-patch, strategic, kustomize, or yaml (the file as it would be)."""
    if form == "diff":
        return b"".join(for_git(edit) for edit in change.edits)
    if form == "yaml":
        return b"---\n".join(edit.new for edit in change.edits)
    if change.before is None or change.after is None:
        remedy = "Use -o diff here; the other forms need the manifest (-f) or the kustomization (-k)."
        raise Refused(f"the form {form} needs the whole DaemonSet, and this file holds only a part", remedy=remedy)
    if form == "json-patch":
        return json_text(json_patch(change.before, change.operations)).encode()
    if form == "strategic":
        return ("\n".join(yaml_lines(strategic(change.before, change.after))) + "\n").encode()
    met = {"metadata": {"name": change.patched_as}} if change.patched_as else change.before
    return kustomize_entry(change.before, change.operations, target=target_of(met)).encode()


def folder_edits(change: Change, folder: str, *, body: str) -> list[TextEdit]:
    """The files to write into `folder`: the patch for git, the body of the pull request, and the forms that fit."""
    stem = stem_of(change)
    files = {f"{stem}.md": body.encode()}
    if change.edits:
        files[f"{stem}.patch"] = rendered(change, "diff")
    if change.before is not None and change.operations:
        files[f"{stem}.json-patch.json"] = rendered(change, "json-patch")
        files[f"{stem}.strategic.yaml"] = rendered(change, "strategic")
        files[f"{stem}.kustomize.yaml"] = rendered(change, "kustomize")
    edits = [TextEdit(str(Path(folder, name)), _existing(Path(folder, name)), raw) for name, raw in files.items()]
    return [edit for edit in edits if edit.old != edit.new]


def stem_of(change: Change) -> str:
    """What the names of its files begin with."""
    return "".join(char if char.isalnum() or char in "-._" else "-" for char in change.name) or "daemonset"


def _existing(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.exists() else None
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error
