"""Files that a template engine still has to fill in: told apart from YAML that is merely broken."""

from __future__ import annotations

import re

from dscov.errors import Refused
from dscov.patterns import pattern

_GO = pattern(r"\{\{.*?\}\}", re.DOTALL)
_JINJA = pattern(r"^\s*\{%.*?%\}", re.MULTILINE | re.DOTALL)


def is_template(text: str) -> bool:
    """Whether the text holds actions of a Go template (Helm) or of Jinja."""
    return bool(_GO.search(text) or _JINJA.search(text))


def template_refusal(path: str) -> Refused:
    """The refusal, with the place where the change belongs."""
    remedy = (
        "The change belongs where the template gets its values: for a Helm chart use "
        "--values values.yaml with --values-path PATH, or --chart DIR; else edit the template by hand."
    )
    return Refused(f"{path}: a template, not YAML", remedy=remedy)
