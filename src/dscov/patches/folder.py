"""A change as a text in one of the other forms, and as a folder of files for a pull request."""

from __future__ import annotations

from pathlib import Path

from dscov.errors import CouldNotLook, Refused
from dscov.model.edits import Plan, TextEdit
from dscov.patches.change import Change, effective
from dscov.patches.diff import for_git
from dscov.patches.forms import json_patch, json_text, kustomize_entry, strategic, yaml_lines
from dscov.patches.wording import sentence


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
    return kustomize_entry(change.before, change.operations).encode()


def folder_edits(change: Change, plan: Plan, folder: str) -> list[TextEdit]:
    """The files to write into `folder`: the patch for git, a body for the pull request, and the forms that fit."""
    stem = "".join(char if char.isalnum() or char in "-._" else "-" for char in change.name) or "daemonset"
    files = {f"{stem}.md": _body(change, plan, stem).encode()}
    if change.edits:
        files[f"{stem}.patch"] = rendered(change, "diff")
    if change.before is not None and change.operations:
        files[f"{stem}.json-patch.json"] = rendered(change, "json-patch")
        files[f"{stem}.strategic.yaml"] = rendered(change, "strategic")
        files[f"{stem}.kustomize.yaml"] = rendered(change, "kustomize")
    edits = [TextEdit(str(Path(folder, name)), _existing(Path(folder, name)), raw) for name, raw in files.items()]
    return [edit for edit in edits if edit.old != edit.new]


def _existing(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.exists() else None
    except OSError as error:
        raise CouldNotLook(f"{path}: {error.strerror}") from error


def _body(change: Change, plan: Plan, stem: str) -> str:
    done = plan.edits if change.before is None else effective(change.before, plan.edits)
    files = [edit for edit in change.edits if edit.old != edit.new]
    diff = b"".join(for_git(edit) for edit in files).decode("utf-8", "replace")
    fence = "```" if "```" not in diff else "`````"
    lines = [f"# Scheduling of daemonset/{change.name}", "", *[f"- {sentence(edit)}" for edit in done], ""]
    if files:
        lines += [
            "Every byte that is not in this diff stays as it is:",
            "",
            f"{fence}diff",
            diff.rstrip("\n"),
            fence,
            "",
        ]
        lines += [f"Apply with `git apply {stem}.patch`.", ""]
    else:
        lines += ["The patch for the kustomization, or for the live object, is in the files beside this one.", ""]
    lines += [
        "A change of the pod template restarts the Pods of the DaemonSet, node by node, within its update strategy.",
        "",
    ]
    return "\n".join(lines + [f"Note: {note}." for note in change.notes]).rstrip("\n") + "\n"
