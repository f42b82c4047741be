"""What `kubectl kustomize` makes of a folder, and from which file each DaemonSet came (by origin annotations)."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dscov.errors import BadInput, CouldNotLook
from dscov.patches.programs import run
from dscov.yamltext.document import read
from dscov.yamltext.meaning import resolved
from dscov.yamltext.words import written

_ORIGIN = "config.kubernetes.io/origin"


@dataclass(frozen=True, slots=True)
class Built:
    """A DaemonSet as kustomize puts it out, and the local file that it comes from, if it comes from one."""

    data: dict[str, Any]
    origin: Path | None

    @property
    def name(self) -> str:
        """The name with all prefixes and suffixes."""
        return str(self.data["metadata"]["name"])

    @property
    def namespace(self) -> str | None:
        """The namespace as put out."""
        return str(self.data["metadata"].get("namespace") or "") or None


def can_build() -> bool:
    """Whether there is a program that builds kustomizations."""
    return bool(os.environ.get("KUBECTL_PATH") or shutil.which("kubectl") or shutil.which("kustomize"))


def build(folder: Path) -> list[Built]:
    """The DaemonSets that the kustomization in `folder` puts out, or CouldNotLook with what kustomize said."""
    with tempfile.TemporaryDirectory(prefix="dscov-") as scratch:
        # An overlay of our own asks for the annotations, so that the user's files need not.
        root = Path(scratch).resolve()
        resource = written(os.path.relpath(folder.resolve(), root))
        overlay = f"resources:\n- {resource}\nbuildMetadata: [originAnnotations]\n"
        (root / "kustomization.yaml").write_text(overlay, encoding="utf-8")
        text = _run(root, folder)
        try:
            roots = read(text, path=str(folder)).roots
        except BadInput as error:
            raise CouldNotLook(f"{folder}: what kustomize puts out cannot be read: {error.problem}") from error
        return list(_daemonsets([resolved(node) for node in roots], root))


def _run(root: Path, folder: Path) -> str:
    kubectl = os.environ.get("KUBECTL_PATH") or shutil.which("kubectl")
    words = [kubectl, "kustomize"] if kubectl else [str(shutil.which("kustomize")), "build"]
    done = run([*words, str(root)])
    if done.code and "security; file" in done.said:
        # Some trees are built with files from beside them; looking at those is harmless.
        done = run([*words, "--load-restrictor", "LoadRestrictionsNone", str(root)])
    if done.code:
        told = re.search(r'err="(.*)"$', done.reason)
        mend = f"mend it until `kubectl kustomize {shlex.quote(str(folder))}` works"
        raise CouldNotLook(f"{folder}: kustomize failed: {told[1] if told else done.reason}; {mend}")
    return done.out


def _daemonsets(documents: list[Any], root: Path) -> Iterator[Built]:
    for data in documents:
        if not isinstance(data, dict) or data.get("kind") != "DaemonSet" or not isinstance(data.get("metadata"), dict):
            continue
        annotations = dict(data["metadata"].get("annotations") or {})
        told = resolved(read(str(annotations.pop(_ORIGIN, ""))).roots[0]) if _ORIGIN in annotations else None
        path = told.get("path") if isinstance(told, dict) and "repo" not in told else None
        metadata = {key: value for key, value in data["metadata"].items() if key != "annotations"}
        metadata |= {"annotations": annotations} if annotations else {}
        yield Built({**data, "metadata": metadata}, Path(os.path.normpath(root / path)) if path else None)
