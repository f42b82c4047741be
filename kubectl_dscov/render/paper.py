"""Lines of a report for people: a finding with its reason, its time and its remedy, and what was not seen."""

from __future__ import annotations

from collections.abc import Iterator

from dscov import Diagnosis, Finding, Remedy
from kubectl_dscov.render import since
from kubectl_dscov.render.commands import fixing
from kubectl_dscov.render.findings import sentence
from kubectl_dscov.render.ink import plain
from kubectl_dscov.render.sheet import Sheet

_WORDS = {"patch": "patch", "no-patch": "do", "policy": "do, outside the DaemonSet"}


class Paper(Sheet):
    """Writes about a diagnosis for a terminal of some width."""

    def __init__(self, diagnosis: Diagnosis, *, colour: bool) -> None:
        super().__init__(colour=colour)
        self.diagnosis, self.clock = diagnosis, diagnosis.clock

    def reason(self, finding: Finding, indent: str, *, opened: bool = True) -> Iterator[str]:
        """Why, and since when where that is news; the first line begins with `indent`, the others with as many blanks."""
        blank = " " * len(indent)
        yield from self.wrapped(f"{plain(sentence(finding))} [{finding.cause}]", indent, f"{blank}  ")
        if opened and finding.since and since.is_news(finding.since, self.clock):
            yield from self.wrapped(plain(since.sentence(finding.since, self.clock)), blank, f"{blank}  ")

    def not_seen(self, diagnosis: Diagnosis) -> Iterator[str]:
        """What could not be looked at, and what that means."""
        for missing in diagnosis.not_seen:
            detail = f" ({plain(missing.detail)})" if missing.detail else ""
            text = f"NOT SEEN  {plain(missing.resource)}, {plain(missing.reason)}: {plain(missing.meaning)}{detail}"
            yield from self.wrapped(text, "", "  ", style="yellow" if missing.blinds else "dim")

    def remedy(self, remedy: Remedy, indent: str, *, most: int = 2, offered: bool = True) -> Iterator[str]:
        """What to do, and so many of the commands for it, with `fix` if `offered`; commands are never broken."""
        text = f"{_WORDS[remedy.kind]}: {plain(remedy.summary)}"
        yield from self.wrapped(text, indent, f"{indent}  ", style="green")
        command = fixing(remedy, self.diagnosis.source) if most and offered else ""
        for action in (*((command,) if command else ()), *remedy.actions[:most]):
            yield f"{indent}  {plain(action)}\n"
