"""The report as Markdown, for pull requests and job summaries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from dscov import Coverage, Diagnosis
from kubectl_dscov.render.findings import sentence
from kubectl_dscov.render.ink import plain
from kubectl_dscov.render.intent import exclusions, unused
from kubectl_dscov.render.nodes import described

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~@])")


def document(diagnosis: Diagnosis) -> Iterator[str]:
    """The lines of the document."""
    s = diagnosis.summary
    yield "## DaemonSet coverage\n\n"
    yield f"{s.gaps} gaps, {s.unwanted} unwanted placements; "
    yield f"{s.covered} of {s.expected} expected pods available on {s.nodes} nodes.\n"
    troubled = [one for one in diagnosis.coverage if one.troubled]
    if troubled:
        yield "\n| DaemonSet | nodes | why | what to do |\n|---|---|---|---|\n"
    for one in troubled:
        yield from _rows(one, diagnosis)
    for text in (*exclusions(diagnosis), *unused(diagnosis)):
        yield f"\n> {_text(text)}\n"
    for missing in diagnosis.not_seen:
        yield f"\n> Not seen: {_text(missing.resource)} ({_text(missing.reason)}): {_text(missing.meaning)}\n"


def _rows(one: Coverage, diagnosis: Diagnosis) -> Iterator[str]:
    bad = {pair.node for pair in one.pairs if pair.verdict.gap or pair.verdict.unwanted}
    explained: set[str] = set()
    for finding in one.findings:
        nodes = [name for name in finding.nodes if name in bad]
        if finding.severity == "info" or (finding.nodes and not nodes):
            continue
        explained.update(nodes)
        where = described(nodes, diagnosis.node_labels) if nodes else "the whole DaemonSet"
        remedy = finding.remedy.summary if finding.remedy else ""
        yield f"| {_text(one.daemonset.key)} | {_text(where)} | {_text(sentence(finding))} | {_text(remedy)} |\n"
    left = sorted(bad - explained)
    if left:
        yield f"| {_text(one.daemonset.key)} | {_text(described(left, diagnosis.node_labels))} | unexplained | |\n"


def _text(text: str) -> str:
    """Text of the cluster with nothing left that Markdown or HTML would act on."""
    return html.escape(_SPECIAL.sub(r"\\\1", plain(text)), quote=False)
