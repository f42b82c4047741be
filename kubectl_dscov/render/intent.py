"""The wording of intent: what is declared, and which gaps are accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dscov import Accepted, Diagnosis
from kubectl_dscov.render.nodes import described

_ORDER = ("flag", "annotation", "policy", "inferred")


def sources(diagnosis: Diagnosis) -> str:
    """How we know what is expected: `inferred`, or counts such as `policy 2, inferred 10`."""
    counts = Counter(one.intent.source for one in diagnosis.coverage)
    if len(counts) < 2:
        return next(iter(counts), "inferred")
    return ", ".join(f"{source} {counts[source]}" for source in _ORDER if counts[source])


def exclusions(diagnosis: Diagnosis) -> Iterator[str]:
    """One text for each accepted exclusion that took gaps away, or no longer does."""
    for one in diagnosis.coverage:
        for accepted in one.accepted:
            nodes = described(accepted.nodes, diagnosis.node_labels)
            yield f"{_word(accepted)}  {one.daemonset.key} on {nodes}: {_why(accepted)}"


def _word(accepted: Accepted) -> str:
    return "LAPSED" if accepted.over else "ACCEPTED"


def _why(accepted: Accepted) -> str:
    if accepted.over:
        return f"accepted until {accepted.until} only ({accepted.reason}), these are gaps again"
    return accepted.reason + (f" (until {accepted.until})" if accepted.until else "")
