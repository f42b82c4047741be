"""The folder of a kustomization: its file, and what lies in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dscov.patches.source import Source
from dscov.yamltext.document import Document


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of a kustomization, its file, and what that holds."""

    root: Path
    owner: Source
    document: Document

    def holds(self, path: Path) -> bool:
        """Whether a path lies in the folder, links followed."""
        return path.resolve().is_relative_to(self.root.resolve())
