"""The table for people: DaemonSets with gaps first, nodes of one kind and one cause folded, healthy ones in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dscov import Coverage, Diagnosis, Finding, Pair, cause_of
from kubectl_dscov.render import intent
from kubectl_dscov.render.commands import explaining
from kubectl_dscov.render.findings import title
from kubectl_dscov.render.ink import ink, plain
from kubectl_dscov.render.nodes import count, described
from kubectl_dscov.render.paper import Paper
from kubectl_dscov.render.roots import Roots, is_whole

#: So many healthy DaemonSets are named, and so many that miss one node; the others are counted.
_NAMED, _FEW = 12, 6

_LEGEND = (
    ("GAP", "no pod is available where one is meant to be"),
    ("UNWANTED", "a pod where none is meant to be"),
    ("WAIT", "no gap, or none yet"),
    ("NOTE", "about the DaemonSet as a whole"),
)


def table(diagnosis: Diagnosis, *, wide: bool = False, colour: bool = False) -> Iterator[str]:
    """The lines of the table."""
    writer = _Writer(diagnosis, colour=colour)
    yield from writer.headline()
    yield from writer.nodes_in_trouble()
    shown = [one for one in writer.roots.ordered() if writer.worth_showing(one)]
    for one in shown:
        yield "\n"
        yield from writer.daemonset(one)
        if wide:
            yield from writer.pairs(one)
    yield from writer.healthy([one for one in diagnosis.coverage if one not in shown])
    yield from writer.accepted()
    yield from writer.unused()
    yield from writer.not_seen(diagnosis)
    yield from writer.legend()
    yield from writer.next_steps(shown)


class _Writer(Paper):
    """Writes the parts of one report."""

    def __init__(self, diagnosis: Diagnosis, *, colour: bool) -> None:
        super().__init__(diagnosis, colour=colour)
        self.roots = Roots(diagnosis)
        self.words: set[str] = set()

    def headline(self) -> Iterator[str]:
        """What the whole comes to, in one or two lines."""
        s = self.diagnosis.summary
        troubled = sum(one.troubled for one in self.diagnosis.coverage)
        blind = [missing.resource for missing in self.diagnosis.not_seen if missing.blinds]
        if not s.daemonsets:
            yield from self.wrapped("No DaemonSets were seen." if blind else "No DaemonSets found.", "")
            return
        counts = [count(s.gaps, "gap")] if s.gaps else []
        counts += [count(s.unwanted, "unwanted placement")] if s.unwanted else []
        counts += [f"{count(s.unknown, 'pair')} could not be judged"] if s.unknown else []
        fine = f"Not judged in full, since not seen: {', '.join(map(plain, blind))}" if blind else "No gaps"
        what = f"{troubled} of {count(s.daemonsets, 'DaemonSet')} in trouble" if troubled else fine
        listed = ": " + ", ".join(counts) if counts else ""
        text = f"{what}{listed}. {s.covered} of {s.expected} expected pods on {count(s.nodes, 'node')} are available."
        yield from self.wrapped(f"{text} Intent: {intent.sources(self.diagnosis)}.", "", style="bold")

    def worth_showing(self, one: Coverage) -> bool:
        """Whether a DaemonSet has something to tell that the nodes in trouble do not explain."""
        loud = one.troubled or any(finding.severity != "info" for finding in one.findings)
        return loud and not self.roots.explains_all(one)

    def nodes_in_trouble(self) -> Iterator[str]:
        """The nodes that are themselves at fault, once for all DaemonSets that miss them."""
        for (_, daemonsets), nodes in self.roots.by_reason().items():
            finding = self.roots.finding[nodes[0]]
            yield "\n"
            yield from self.wrapped(f"NODE  {described(nodes, self._labels())}", "", "      ", style="red")
            yield from self.wrapped(f"{title(finding)} [{finding.cause}]", "      ", "        ")
            named = ", ".join(map(plain, daemonsets[:_FEW]))
            more = f", and {len(daemonsets) - _FEW} more" if len(daemonsets) > _FEW else ""
            missed = f"missed by {count(len(daemonsets), 'DaemonSet')}: {named}{more}"
            yield from self.wrapped(missed, "      ", "        ")
            if finding.remedy:
                yield from self.remedy(finding.remedy, "      ")

    def daemonset(self, one: Coverage) -> Iterator[str]:
        """One DaemonSet: its promise, and each finding with its nodes, its reason and what to do."""
        expected = sum(pair.verdict.expected for pair in one.pairs)
        gaps = sum(pair.verdict.gap for pair in one.pairs)
        unwanted = sum(pair.verdict.unwanted for pair in one.pairs)
        parts = [f"{_covered(one)} of {count(expected, 'expected node')} covered"]
        parts += [count(gaps, "gap")] if gaps else []
        parts += [f"{unwanted} unwanted"] if unwanted else []
        elsewhere = sum(pair.verdict.gap and pair.node in self.roots.finding for pair in one.pairs)
        parts += [f"{elsewhere} of them on nodes in trouble, see above"] if elsewhere else []
        name = ink(plain(one.daemonset.key), "bold", colour=self.colour)
        head, *rest = self.wrapped(f"{plain(one.daemonset.key)}  {', '.join(parts)}", "", "  ")
        yield head.replace(plain(one.daemonset.key), name, 1)
        yield from rest
        if one.intent.source != "inferred":
            yield from self.wrapped(plain(f"meant: {one.intent.text} ({one.intent.source})"), "  ", "    ", style="dim")
        pairs = {pair.node: pair for pair in one.pairs}
        for finding in one.findings:
            hidden = self.roots.explains(finding) or self.roots.follows(finding, one)
            if finding.severity != "info" and not hidden:
                yield from self._finding(finding, pairs)
        for d in one.disagreements[:2]:
            yield from self.wrapped(
                f"note  {d.counter} is not what .status says: {d.why}", "  ", "        ", style="dim"
            )

    def _finding(self, finding: Finding, pairs: Mapping[str, Pair]) -> Iterator[str]:
        # A survey may name nodes that --nodes does not show.
        shown = [pairs[name] for name in finding.nodes if name in pairs and name not in self.roots.finding]
        bad = [pair.node for pair in shown if pair.verdict.gap or pair.verdict.unwanted]
        # What was asked of each node, and holds on one that lacks its daemon, is why.
        if is_whole(finding) and not (bad and cause_of(finding.cause).find):
            word, style, nodes = "NOTE", "yellow", list(finding.nodes)
        elif not bad:
            word, style, nodes = "WAIT", "yellow", list(finding.nodes)
        else:
            unwanted = any(pair.verdict.unwanted for pair in shown)
            word, style, nodes = "UNWANTED" if unwanted else "GAP", "red", bad
        self.words.add(word)
        where = described(nodes, self._labels()) if nodes else "the whole DaemonSet"
        yield from self.wrapped(f"{word}  {where}", "  ", "        ", style=style)
        yield from self.reason(finding, "        ", opened=bool(bad))
        if finding.remedy:
            # `fix` plans for what is wrong, not for what may yet be.
            yield from self.remedy(finding.remedy, "        ", offered=word != "WAIT")

    def pairs(self, one: Coverage) -> Iterator[str]:
        """Every pair that is not simply covered or meant to be excluded, one a line."""
        shown = [
            p
            for p in one.pairs
            if p.verdict.gap or p.verdict.unwanted or p.verdict.state not in {"covered", "excluded"}
        ]
        rows = [_cells(pair) for pair in shown]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        if rows and sum(widths) + 10 > self.width:
            # The names of the pods come below.
            widths[2] = 0
        for row in rows:
            cells = [text.ljust(size) for text, size in zip(row, widths, strict=True)]
            if widths[2]:
                yield f"    {'  '.join(cells).rstrip()}\n"
                continue
            head = f"    {cells[0]}  {cells[1]}  "
            after = " " * min(len(head), self.width // 2)
            yield from self.wrapped(row[2].replace(",", ", "), head, after)
            if row[3] != "-":
                yield from self.wrapped(row[3].replace(",", ", "), after)

    def healthy(self, others: Sequence[Coverage]) -> Iterator[str]:
        """The others, in a line or two."""
        if not others:
            return
        yield "\n"
        sick = " but for nodes in trouble" if self.roots.finding else ""
        meant, starting, idle = list[str](), list[str](), list[str]()
        for one in others:
            name, covered = plain(one.daemonset.key), _covered(one)
            if covered:
                meant.append(f"{name} {covered}")
            else:
                (starting if any(pair.verdict.expected for pair in one.pairs) else idle).append(name)
        for head, names in (
            (f"Covered where expected{sick} (nodes)", meant),
            ("Starting, on no node yet", starting),
            ("Meant for no node shown", idle),
        ):
            more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            if names:
                yield from self.wrapped(f"{head}: {', '.join(names[:_NAMED])}{more}", "", "  ", style="dim")

    def accepted(self) -> Iterator[str]:
        """Gaps that somebody accepts, and those that nobody does any more."""
        for text in intent.exclusions(self.diagnosis):
            yield from self.wrapped(plain(text), "", "  ", style="dim")

    def unused(self) -> Iterator[str]:
        """Entries of the policy that do nothing."""
        for text in intent.unused(self.diagnosis):
            yield from self.wrapped(plain(text), "", "  ", style="yellow")

    def legend(self) -> Iterator[str]:
        """What the words before the nodes mean, as far as they were used; of gaps alone the heads tell."""
        used = [f"{word}: {meaning}" for word, meaning in _LEGEND if word in self.words]
        if self.words - {"GAP"}:
            yield "\n"
            yield from self.wrapped("; ".join(used), "", "  ", style="dim")

    def next_steps(self, coverage: Sequence[Coverage]) -> Iterator[str]:
        """The command that shows one gap in full."""
        for one in coverage:
            gaps = (pair for pair in one.pairs if pair.verdict.gap and pair.node not in self.roots.finding)
            gap = next(gaps, None)
            if gap:
                yield f"\nStep by step: {plain(explaining(one.daemonset, gap.node, self.diagnosis.source))}\n"
                return

    def _labels(self) -> Mapping[str, Mapping[str, str]]:
        return self.diagnosis.node_labels


def _covered(one: Coverage) -> int:
    fine = {"covered", "outdated"}
    return sum(pair.verdict.expected and not pair.verdict.gap and pair.verdict.state in fine for pair in one.pairs)


def _cells(pair: Pair) -> tuple[str, str, str, str]:
    verdict = pair.verdict
    causes, pods = ",".join(verdict.causes) or "-", ",".join(pair.pods) or "-"
    return plain(pair.node), verdict.state, causes, plain(pods)
