"""The table for people: DaemonSets with gaps first, nodes of one kind and one cause folded, healthy ones in one line."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from dscov import Coverage, Diagnosis, Finding, Pair, Remedy
from kubectl_dscov.render.findings import sentence
from kubectl_dscov.render.ink import ink, plain
from kubectl_dscov.render.nodes import described

_WORD = {"error": ("GAP", "red"), "warning": ("WAIT", "yellow"), "info": ("note", "dim")}
#: So many healthy DaemonSets are named; the others are counted.
_NAMED = 12


def table(diagnosis: Diagnosis, *, wide: bool = False, colour: bool = False) -> Iterator[str]:
    """The lines of the table."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    writer = _Writer(diagnosis, width, colour=colour)
    yield from writer.headline()
    troubled = [one for one in diagnosis.coverage if one.troubled or writer.worth_showing(one)]
    for one in troubled:
        yield "\n"
        yield from writer.daemonset(one)
        if wide:
            yield from writer.pairs(one)
    yield from writer.healthy([one for one in diagnosis.coverage if one not in troubled])
    yield from writer.not_seen()
    yield from writer.next_steps(troubled)


class _Writer:
    """Writes the parts of one report."""

    def __init__(self, diagnosis: Diagnosis, width: int, *, colour: bool) -> None:
        self.diagnosis, self.width, self.colour = diagnosis, width, colour

    def headline(self) -> Iterator[str]:
        """What the whole comes to, in one or two lines."""
        s = self.diagnosis.summary
        troubled = sum(one.troubled for one in self.diagnosis.coverage)
        if not s.daemonsets:
            yield from self._wrapped("No DaemonSets found.", "")
            return
        counts = [_count(s.gaps, "gap")] if s.gaps else []
        counts += [_count(s.unwanted, "unwanted placement")] if s.unwanted else []
        counts += [f"{_count(s.unknown, 'pair')} could not be judged"] if s.unknown else []
        what = f"{troubled} of {_count(s.daemonsets, 'DaemonSet')} in trouble" if troubled else "No gaps"
        listed = ": " + ", ".join(counts) if counts else ""
        text = f"{what}{listed}. {s.covered} of {s.expected} expected pods on {_count(s.nodes, 'node')} are available."
        yield from self._wrapped(text, "", style="bold")

    def worth_showing(self, one: Coverage) -> bool:
        """Whether a DaemonSet without a gap has something to tell all the same."""
        return any(finding.severity != "info" for finding in one.findings)

    def daemonset(self, one: Coverage) -> Iterator[str]:
        """One DaemonSet: its promise, and each finding with its nodes, its reason and what to do."""
        expected = sum(pair.verdict.expected for pair in one.pairs)
        gaps = sum(pair.verdict.gap for pair in one.pairs)
        unwanted = sum(pair.verdict.unwanted for pair in one.pairs)
        parts = [f"{expected - gaps} of {_count(expected, 'expected node')} covered"]
        parts += [_count(gaps, "gap")] if gaps else []
        parts += [f"{unwanted} unwanted"] if unwanted else []
        name = ink(plain(one.daemonset.key), "bold", colour=self.colour)
        yield f"{name}  {', '.join(parts)}\n"
        verdicts = {pair.node: pair for pair in one.pairs}
        labels = self._labels()
        for finding in one.findings:
            if finding.severity != "info":
                yield from self._finding(finding, verdicts, labels)
        yield from self._unexplained(one, labels)
        for d in one.disagreements[:2]:
            yield from self._wrapped(
                f"note  {d.counter} is not what .status says: {d.why}", "  ", "        ", style="dim"
            )

    def _finding(
        self, finding: Finding, pairs: Mapping[str, Pair], labels: Mapping[str, Mapping[str, str]]
    ) -> Iterator[str]:
        word, style = _WORD[finding.severity]
        nodes = [name for name in finding.nodes if pairs[name].verdict.gap or pairs[name].verdict.unwanted]
        if finding.nodes and not nodes:
            word, style, nodes = "WAIT", "yellow", list(finding.nodes)
        elif not finding.nodes:
            word, style = "NOTE", "yellow"
        elif any(pairs[name].verdict.unwanted for name in nodes):
            word, style = "UNWANTED", "red"
        where = described(nodes, labels) if nodes else "the whole DaemonSet"
        yield from self._wrapped(f"{word}  {where}", "  ", "        ", style=style)
        yield from self._wrapped(f"{plain(sentence(finding))} [{finding.cause}]", "        ", "          ")
        if finding.remedy:
            yield from self._remedy(finding.remedy)

    def _remedy(self, remedy: Remedy) -> Iterator[str]:
        word = {"patch": "patch", "no-patch": "do", "policy": "do elsewhere"}[remedy.kind]
        yield from self._wrapped(f"{word}: {plain(remedy.summary)}", "        ", "          ", style="green")
        for action in remedy.actions[:2]:
            yield f"          {plain(action)}\n"

    def _unexplained(self, one: Coverage, labels: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
        """Gaps that no cause speaks of stay visible."""
        states: dict[str, list[str]] = {}
        for pair in one.pairs:
            if pair.verdict.gap and not pair.verdict.causes:
                states.setdefault(pair.verdict.state, []).append(pair.node)
        for state, nodes in states.items():
            yield from self._wrapped(f"GAP  {described(nodes, labels)}", "  ", "        ", style="red")
            yield from self._wrapped(f"{state}, unexplained: no cause speaks of it", "        ", "          ")

    def pairs(self, one: Coverage) -> Iterator[str]:
        """Every pair that is not simply covered or meant to be excluded, one a line."""
        shown = [
            p
            for p in one.pairs
            if p.verdict.gap or p.verdict.unwanted or p.verdict.state not in {"covered", "excluded"}
        ]
        widths = [
            max((len(plain(text)) for text in column), default=0) for column in zip(*map(_cells, shown), strict=True)
        ]
        for pair in shown:
            cells = (plain(text).ljust(size) for text, size in zip(_cells(pair), widths, strict=True))
            yield f"    {'  '.join(cells).rstrip()}\n"

    def healthy(self, others: Sequence[Coverage]) -> Iterator[str]:
        """The others, in a line or two."""
        if not others:
            return
        yield "\n"
        names = [f"{plain(one.daemonset.key)} {sum(p.verdict.expected for p in one.pairs)}" for one in others[:_NAMED]]
        more = f", and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        yield from self._wrapped(f"Covered where expected (nodes): {', '.join(names)}{more}", "", "  ", style="dim")

    def not_seen(self) -> Iterator[str]:
        """What could not be looked at, and what that means."""
        for missing in self.diagnosis.not_seen:
            detail = f" ({plain(missing.detail)})" if missing.detail else ""
            text = f"NOT SEEN  {plain(missing.resource)}, {plain(missing.reason)}: {plain(missing.meaning)}{detail}"
            yield from self._wrapped(text, "", "  ", style="yellow" if missing.blinds else "dim")

    def next_steps(self, troubled: Sequence[Coverage]) -> Iterator[str]:
        """The command that shows one gap in full."""
        for one in troubled:
            gap = next((pair for pair in one.pairs if pair.verdict.gap), None)
            if gap:
                target = (
                    f"daemonset/{plain(one.daemonset.name)} node/{plain(gap.node)} -n {plain(one.daemonset.namespace)}"
                )
                yield f"\nStep by step: kubectl dscov explain {target}\n"
                return

    def _labels(self) -> Mapping[str, Mapping[str, str]]:
        return self.diagnosis.node_labels

    def _wrapped(self, text: str, indent: str, after: str = "", *, style: str = "") -> Iterator[str]:
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


def _cells(pair: Pair) -> tuple[str, ...]:
    verdict = pair.verdict
    return pair.node, verdict.state, ",".join(verdict.causes) or "-", ",".join(pair.pods) or "-"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
