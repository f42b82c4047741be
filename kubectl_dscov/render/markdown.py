"""The report as Markdown, for pull requests and job summaries."""

from __future__ import annotations

from collections.abc import Iterator

from dscov import Coverage, Diagnosis, Finding
from kubectl_dscov.render.findings import sentence, title
from kubectl_dscov.render.intent import exclusions, unused
from kubectl_dscov.render.marks import escaped
from kubectl_dscov.render.nodes import count, described
from kubectl_dscov.render.roots import Roots, is_whole

_FEW = 6


def document(diagnosis: Diagnosis) -> Iterator[str]:
    """The lines of the document."""
    s, roots = diagnosis.summary, Roots(diagnosis)
    yield "## DaemonSet coverage\n\n"
    yield f"{count(s.gaps, 'gap')}, {count(s.unwanted, 'unwanted placement')}; "
    yield f"{s.covered} of {count(s.expected, 'expected pod')} available on {count(s.nodes, 'node')}.\n"
    rows = [*_sick_nodes(roots, diagnosis)]
    rows += [row for one in roots.ordered() if one.troubled for row in _rows(one, roots, diagnosis)]
    if rows:
        yield "\n| DaemonSet | nodes | why | what to do |\n|---|---|---|---|\n"
    yield from rows
    for text in (*exclusions(diagnosis), *unused(diagnosis)):
        yield f"\n> {escaped(text)}\n"
    for missing in diagnosis.not_seen:
        detail = f" ({escaped(missing.detail)})" if missing.detail else ""
        yield f"\n> Not seen: {escaped(missing.resource)} ({escaped(missing.reason)}): {escaped(missing.meaning)}{detail}\n"


def _sick_nodes(roots: Roots, diagnosis: Diagnosis) -> Iterator[str]:
    """A row for nodes that are themselves in trouble, once for all DaemonSets that miss them."""
    for (_, daemonsets), nodes in roots.by_reason().items():
        finding = roots.finding[nodes[0]]
        named = ", ".join(daemonsets[:_FEW]) + (f", and {len(daemonsets) - _FEW} more" if daemonsets[_FEW:] else "")
        where = described(nodes, diagnosis.node_labels)
        yield _row(f"{count(len(daemonsets), 'DaemonSet')}: {named}", where, title(finding), finding)


def _rows(one: Coverage, roots: Roots, diagnosis: Diagnosis) -> Iterator[str]:
    """A row for each finding that nodes in trouble do not explain."""
    wrong = (pair for pair in one.pairs if pair.verdict.gap or pair.verdict.unwanted)
    bad = {pair.node for pair in wrong if pair.node not in roots.finding}
    explained: set[str] = set()
    for finding in one.findings:
        nodes = [name for name in finding.nodes if name in bad]
        hidden = roots.explains(finding) or roots.follows(finding, one)
        if finding.severity == "info" or hidden or (finding.nodes and not nodes and not is_whole(finding)):
            continue
        explained.update(nodes)
        named = nodes or finding.nodes
        where = described(named, diagnosis.node_labels) if named else "the whole DaemonSet"
        yield _row(one.daemonset.key, where, sentence(finding), finding)
    left = sorted(bad - explained)
    if left:
        yield _row(one.daemonset.key, described(left, diagnosis.node_labels), "unexplained", None)


def _row(name: str, where: str, why: str, finding: Finding | None) -> str:
    remedy = finding.remedy.summary if finding and finding.remedy else ""
    return f"| {' | '.join(map(escaped, (name, where, why, remedy)))} |\n"
