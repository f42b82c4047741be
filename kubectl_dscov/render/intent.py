"""The wording of intent: what is declared, and which gaps are accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dscov import Accepted, Diagnosis, Unused
from kubectl_dscov.render.nodes import described

_ORDER = ("flag", "annotation", "policy", "inferred")


#: kind -> what is wrong with an entry of the policy that does nothing.
_UNUSED = {
    "daemonset": "speaks of nothing: no DaemonSet is {about}",
    "pool": "means no node: none has the labels {about}",
    "expect": "expects nothing: no node has the labels {about}",
    "nodes": "accepts nothing: no node has the labels {about}",
    "name": "accepts nothing: no node is named {about}",
    "taint": "accepts nothing: none of its nodes has the taint {about}",
    "cause": "accepts nothing: no gap there is because of {about}",
    "gap": "accepts nothing: there is no such gap",
    "over": "accepts nothing: its end, {about}, is over, and there is no gap",
}
#: Of a policy for another cluster every entry does nothing.
_MOST = 10


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
            yield f"{_word(accepted)}  {one.daemonset.key} on {nodes}: {reason_of(accepted)}"


def _word(accepted: Accepted) -> str:
    return "LAPSED" if accepted.over else "ACCEPTED"


def reason_of(accepted: Accepted) -> str:
    """Why the gaps are accepted, and how long."""
    if accepted.over:
        return f"accepted until {accepted.until} only ({accepted.reason}), these are gaps again"
    return accepted.reason + (f" (until {accepted.until})" if accepted.until else "")


def unused(diagnosis: Diagnosis) -> Iterator[str]:
    """One text for each entry of the policy that does nothing; of very many some, and how many more."""
    for one in diagnosis.unused[:_MOST]:
        yield f"UNUSED  {one.place} {useless(one)}"
    if len(diagnosis.unused) > _MOST:
        yield f"UNUSED  {len(diagnosis.unused) - _MOST} more entries of the policy do nothing; -o json lists all"


def useless(one: Unused) -> str:
    """What is wrong with an entry that does nothing, and what to do."""
    cure = f"did you mean {one.near}?" if one.near else "remove it or mend what it names"
    if one.kind in {"gap", "over"}:
        cure = "remove it"
    return f"{_UNUSED[one.kind].format(about=one.about)}; {cure}"
