"""Lines of a report for people: texts fitted to the terminal, and a finding with its reason, its time and its remedy."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator

from dscov import Diagnosis, Finding, Remedy
from kubectl_dscov.render import since
from kubectl_dscov.render.commands import fixing
from kubectl_dscov.render.findings import sentence
from kubectl_dscov.render.ink import ink, plain

#: No report is wider, and none narrower, whatever the terminal.
_WIDEST, _NARROWEST = 120, 20
_WORDS = {"patch": "patch", "no-patch": "do", "policy": "do, outside the DaemonSet"}


class Paper:
    """Writes about a diagnosis for a terminal of some width."""

    def __init__(self, diagnosis: Diagnosis, *, colour: bool) -> None:
        self.diagnosis, self.clock, self.colour = diagnosis, diagnosis.clock, colour
        self.width = max(_NARROWEST, min(shutil.get_terminal_size((80, 24)).columns, _WIDEST))

    def wrapped(self, text: str, indent: str, after: str = "", *, style: str = "") -> Iterator[str]:
        """A text in lines; all but the first begin with `after`."""
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=indent,
            subsequent_indent=after or indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines:
            yield ink(line, *([style] if style else []), colour=self.colour) + "\n"

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

    def remedy(self, remedy: Remedy, indent: str, *, most: int = 2) -> Iterator[str]:
        """What to do, and so many of the commands for it; commands are never broken."""
        text = f"{_WORDS[remedy.kind]}: {plain(remedy.summary)}"
        yield from self.wrapped(text, indent, f"{indent}  ", style="green")
        command = fixing(remedy, self.diagnosis.source) if most else ""
        for action in (*((command,) if command else ()), *remedy.actions[:most]):
            yield f"{indent}  {plain(action)}\n"
