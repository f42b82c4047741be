"""The only home of wording: what a finding says, from its cause's sentence and its facts."""

from __future__ import annotations

from dscov import Finding, cause_of


def sentence(finding: Finding) -> str:
    """The finding in one sentence, with the texts of the cluster as they are (escape before a terminal sees it)."""
    return cause_of(finding.cause).says.format_map(dict(finding.facts))


def title(finding: Finding) -> str:
    """The title of its cause."""
    return cause_of(finding.cause).title


def code(finding: Finding) -> str:
    """The code of its cause, e.g. DSC101."""
    return cause_of(finding.cause).code
