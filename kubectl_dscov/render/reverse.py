"""The table turned round: for each node the daemons that it lacks, why, and what that breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dscov import ROLES, Coverage, Diagnosis, Finding, Pair, cause_of, role_of
from kubectl_dscov.render.ink import plain
from kubectl_dscov.render.paper import Paper
from kubectl_dscov.render.roles import breaks, known_by
from kubectl_dscov.render.roots import NODE

_Row = tuple[Coverage, Pair]


def by_node(diagnosis: Diagnosis, *, colour: bool = False) -> Iterator[str]:
    """The lines, node by node; daemons whose absence hurts most come first."""
    writer = _Writer(diagnosis, colour=colour)
    for number, node in enumerate(diagnosis.node_labels):
        rows = [(one, pair) for one in diagnosis.coverage for pair in one.pairs if pair.node == node]
        yield "\n" if number else ""
        yield from writer.node(node, rows)
    yield from writer.not_seen(diagnosis)


class _Writer(Paper):
    """Writes the parts of one node."""

    def node(self, node: str, rows: Sequence[_Row]) -> Iterator[str]:
        """All that is to say of one node."""
        missing = sorted((row for row in rows if row[1].verdict.gap), key=_by_weight)
        unwanted = [row for row in rows if row[1].verdict.unwanted]
        expected = sum(pair.verdict.expected for _, pair in rows)
        gaps = f"{len(missing)} gap{'' if len(missing) == 1 else 's'}" if missing else "no gaps"
        text = f"node/{plain(node)}  {gaps} among {expected} expected daemon{'' if expected == 1 else 's'}"
        text += f", {len(unwanted)} unwanted" if unwanted else ""
        yield from self.wrapped(text, "", "  ", style="bold")
        root = next((finding for row in missing for finding in _told(row) if _of_node(finding)), None)
        if root:
            yield from self.wrapped("NODE  it is itself in trouble", "  ", "        ", style="red")
            yield from self.finding(root)
        for row in missing:
            yield from self.daemon(row, "GAP", root)
        for row in unwanted:
            yield from self.daemon(row, "UNWANTED", None)
        rest = [row for row in rows if not (row[1].verdict.gap or row[1].verdict.unwanted)]
        meant = [row for row in rest if row[1].verdict.expected]
        yield from self.listed("there", [row for row in meant if row[1].pods])
        yield from self.listed("awaited, no pod yet", [row for row in meant if not row[1].pods])
        yield from self.listed("accepted", [row for row in rest if row[1].verdict.accepted is not None])
        yield from self.listed(
            "not meant for it",
            [row for row in rest if not row[1].verdict.expected and row[1].verdict.accepted is None],
        )

    def daemon(self, row: _Row, word: str, root: Finding | None) -> Iterator[str]:
        """One daemon that is missing, or is there and should not be; what follows from the `root` is not told again."""
        one, pair = row
        head = f"{word}  {plain(one.daemonset.key)}  {pair.verdict.state}"
        yield from self.wrapped(head, "  ", "        ", style="red")
        findings = _told(row)
        follows = root is not None and any(_of_node(finding) for finding in findings)
        for finding in findings if not follows else ():
            yield from self.finding(finding)
        if not findings:
            yield from self.wrapped("unexplained: no cause speaks of it", "        ", "          ")
        if word == "GAP":
            role = role_of(one.daemonset)
            text = f"breaks: {breaks(role)} {known_by(role)}"
            yield from self.wrapped(plain(text.strip()), "        ", "          ", style="yellow")

    def finding(self, finding: Finding) -> Iterator[str]:
        """Why, since when, and what to do."""
        yield from self.reason(finding, "        ")
        if finding.remedy:
            yield from self.remedy(finding.remedy, "        ", most=0)

    def listed(self, word: str, rows: Sequence[_Row]) -> Iterator[str]:
        """The others in a line."""
        if rows:
            names = ", ".join(plain(one.daemonset.key) for one, _ in rows)
            yield from self.wrapped(f"{word}: {names}", "  ", "    ", style="dim")


def _told(row: _Row) -> list[Finding]:
    """What is worth telling of a daemon on a node."""
    return [finding for finding in row[0].findings if row[1].node in finding.nodes and finding.severity != "info"]


def _of_node(finding: Finding) -> bool:
    return cause_of(finding.cause).stage == NODE and finding.severity == "error"


def _by_weight(row: _Row) -> tuple[int, str]:
    return ROLES.index(role_of(row[0].daemonset).kind), row[0].daemonset.key
