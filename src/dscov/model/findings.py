"""The frozen nouns of an answer: hits of a cause, findings, remedies, and the verdict on every pair."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from dscov.kube.counters import Counters
from dscov.model.cluster import DaemonSet, NotSeen, Source

STATES = (
    "covered",
    "outdated",
    "starting",
    "unhealthy",
    "pending",
    "missing",
    "terminating",
    "excluded",
    "misscheduled",
    "unknown",
)

#: One fact of a finding by its name in the cause's sentence, e.g. ("taint", "dedicated=db:NoSchedule").
Facts = tuple[tuple[str, str], ...]


class Evidence(msgspec.Struct, frozen=True):
    """A claim that can be checked: this field of this object (`Kind/name` or `Kind/namespace/name`) holds this value."""

    object: str
    field: str
    value: str


class Effect(msgspec.Struct, frozen=True):
    """What a patch does: nodes gained and lost, pods restarted (None: not computed)."""

    gains: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    restarts: int | None = None


class Remedy(msgspec.Struct, frozen=True):
    """What to do. `kind` is patch (of the DaemonSet), no-patch, or policy (the right change is elsewhere).

    `patch` is RFC 6902 on the DaemonSet `target` (`namespace/name`).
    """

    kind: str
    summary: str
    why: str = ""
    actions: tuple[str, ...] = ()
    target: str = ""
    patch: tuple[Mapping[str, Any], ...] = ()
    effect: Effect = Effect()


class Hit(msgspec.Struct, frozen=True):
    """A cause speaks of one DaemonSet on one node. Hits of one cause with equal facts fold into one finding.

    `meant` says that the exclusion is one the owner meant, as far as the objects tell; `wants_none` that no daemon
    should be on that node at all; `breaks` that coverage does not last although a pod may be available at this moment;
    `transient` that it passes by itself. `severity` overrules the cause's; `nodes` are those a survey speaks of.
    """

    facts: Facts = ()
    evidence: tuple[Evidence, ...] = ()
    meant: bool = False
    wants_none: bool = False
    breaks: bool = False
    transient: bool = False
    confidence: str = "observed"
    severity: str = ""
    nodes: tuple[str, ...] = ()


class Finding(msgspec.Struct, frozen=True):
    """One cause, with one set of facts, over all nodes where it holds (none for a cause of the whole DaemonSet)."""

    cause: str
    severity: str
    nodes: tuple[str, ...]
    facts: Facts = ()
    evidence: tuple[Evidence, ...] = ()
    confidence: str = "observed"
    remedy: Remedy | None = None
    since: Since | None = None


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What is the case for one DaemonSet on one node, but for the names of its pods.

    The controller's two answers are None where the node could not be looked at.
    """

    state: str
    should_run: bool | None
    should_continue_running: bool | None
    expected: bool
    gap: bool = False
    unwanted: bool = False
    causes: tuple[str, ...] = ()
    #: Which of the accepted exclusions makes this no gap, by its place; None where it is none of them.
    accepted: int | None = None


class Pair(msgspec.Struct, frozen=True, gc=False):
    """One DaemonSet on one node."""

    node: str
    verdict: Verdict
    pods: tuple[str, ...] = ()


class Intent(msgspec.Struct, frozen=True):
    """Which nodes a DaemonSet is meant to cover, in words, and how we know: flag, annotation, policy or inferred."""

    source: str
    text: str


class Accepted(msgspec.Struct, frozen=True):
    """An accepted exclusion and the nodes that would be gaps without it; where it is `over` they are gaps again.

    `until` is its end as it was written, or empty; `place` says where it stands.
    """

    nodes: tuple[str, ...]
    reason: str
    until: str
    over: bool
    place: str


#: In what way an entry of the policy does nothing.
UNUSED = ("daemonset", "pool", "expect", "nodes", "name", "taint", "cause", "gap", "over")


class Unused(msgspec.Struct, frozen=True):
    """An entry of the policy that does nothing, and where it stands.

    `kind` is one of UNUSED: what it names is not there (`about`; `near` is what was meant, if anything is like it), its
    gaps have another `cause`, there is no `gap`, or its time is `over` and there is none either.
    """

    place: str
    kind: str
    about: str
    near: str = ""


class Since(msgspec.Struct, frozen=True):
    """Since when there is a gap, by what is known, on the node where it opened first, and what changed then.

    `change` is one of model.timeline.CHANGES, `about` its detail (a taint, a pod, a revision). `after` is a change that
    came shortly before, or empty. Where the time is not `exact`, the gap may have opened at any later moment.
    """

    time: datetime
    change: str
    about: str
    node: str
    exact: bool = True
    after: str = ""
    evidence: tuple[Evidence, ...] = ()


class Disagreement(msgspec.Struct, frozen=True):
    """A counter whose reported value is not the computed one, and the likeliest reason."""

    counter: str
    why: str


class Coverage(msgspec.Struct, frozen=True):
    """The answer for one DaemonSet; `computed` is None where its pods were not seen."""

    daemonset: DaemonSet
    intent: Intent
    computed: Counters | None
    disagreements: tuple[Disagreement, ...]
    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...]
    accepted: tuple[Accepted, ...] = ()

    @property
    def troubled(self) -> bool:
        """Whether there is a gap or an unwanted placement."""
        return any(pair.verdict.gap or pair.verdict.unwanted for pair in self.pairs)


class Summary(msgspec.Struct, frozen=True):
    """Counts over the whole report; `covered` counts expected pairs with an available pod."""

    daemonsets: int
    nodes: int
    expected: int
    covered: int
    gaps: int
    unwanted: int
    unknown: int


class Diagnosis(msgspec.Struct, frozen=True):
    """The whole answer. `clock` is the time it was judged at."""

    source: Source
    clock: datetime
    not_seen: tuple[NotSeen, ...]
    summary: Summary
    coverage: tuple[Coverage, ...]
    #: The labels of the nodes that are shown, by name.
    node_labels: Mapping[str, Mapping[str, str]] = {}
    skipped: tuple[tuple[str, int], ...] = ()
    #: What of the policy does nothing.
    unused: tuple[Unused, ...] = ()
