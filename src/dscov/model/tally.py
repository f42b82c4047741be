"""A report counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dscov.model.findings import Coverage, Summary, Verdict

#: States with an available pod.
WELL = frozenset({"covered", "outdated"})


def summary(coverage: Sequence[Coverage], nodes: int) -> Summary:
    """The counts over all pairs of a report about so many nodes."""
    counts: Counter[str] = Counter()
    for one in coverage:
        tally = Counter(id(pair.verdict) for pair in one.pairs)
        for verdict in {id(pair.verdict): pair.verdict for pair in one.pairs}.values():
            for name in _counted(verdict):
                counts[name] += tally[id(verdict)]
    return Summary(len(coverage), nodes, *(counts[name] for name in Summary.__struct_fields__[2:]))


def _counted(verdict: Verdict) -> Iterator[str]:
    if verdict.expected:
        yield "expected"
        if not verdict.gap and verdict.state in WELL:
            yield "covered"
    if verdict.gap:
        yield "gaps"
    if verdict.unwanted:
        yield "unwanted"
    if verdict.state == "unknown":
        yield "unknown"
