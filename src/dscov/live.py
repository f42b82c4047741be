"""A snapshot of a live cluster that accuses nobody on the strength of one look.

The lists of the first reading are of different moments, and may be a few seconds old: a node may have been tainted, or
a pod replaced, between them. What seems wrong is looked at again, in the order in which a cluster works: first the pods
that are bound to no node, then those on the suspect nodes, then what wants them there, nodes and DaemonSets. A pod that
was missing before its node was seen to want it was missing when the node began to; it must be missing in two readings
with a pause between, since the controller may be about to make it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from dscov.causes import cause_of, registry
from dscov.diagnosis import diagnose
from dscov.errors import CouldNotLook
from dscov.model.cluster import NotSeen, Snapshot, Source
from dscov.model.findings import Diagnosis, Pair
from dscov.model.openshift import is_openshift
from dscov.model.policy import DEFAULTS, Settings
from dscov.sources import asks
from dscov.sources.access import Access
from dscov.sources.asks import Ask
from dscov.sources.cluster import UNREACHABLE, Answer, Reader, Server, reader
from dscov.sources.gather import Gathering

#: So many nodes in trouble are read again one by one; beyond, all pods are.
ONE_BY_ONE = 120
#: Seconds before what is missing is read again, and how many times things are at the most.
PAUSE, READINGS = 1.0, 4
#: Clocks that differ by less are taken as one: a server tells its time in whole seconds.
TOLERANCE = timedelta(seconds=2)

#: The stages of causes that pods tell: scheduling, kubelet, run.
_OF_PODS = (3, 4, 5)

#: DaemonSet key and node.
_Names = tuple[str, str]


def _silent(_: str) -> None:
    """Report no progress."""


def read_cluster(
    access: Access,
    *,
    namespace: str,
    now: datetime | None = None,
    settings: Settings = DEFAULTS,
    progress: Callable[[str], None] = _silent,
) -> Snapshot:
    """The snapshot of what `access` leads to, in one namespace or (empty) in all.

    `now` and `settings` are the time and the intent to judge by, since that decides what to look at again; without a
    time it is the server's.
    `progress` is called with what was read, e.g. `1000 nodes`, from any thread. Raises CouldNotLook where nothing could
    be read at all; else what could not be read is in `not_seen`.
    """
    with reader(access, progress) as lists:
        look = _Look(lists, access, namespace, now=now, settings=settings)
        look.first()
        look.again()
        return look.snapshot()


def read_room(access: Access, snapshot: Snapshot, nodes: Sequence[str]) -> Snapshot:
    """The snapshot with every pod on `nodes` (at most ONE_BY_ONE of them) and the priority classes, read now.

    What was not read is missing from `bound`, which is not the same as an empty node.
    """
    wanted = [name for name in nodes if name not in snapshot.bound][:ONE_BY_ONE]
    if not wanted:
        return snapshot
    gathering = Gathering()
    with reader(access, _silent) as lists:
        for answer in lists.read([*asks.pods_on("", wanted), Ask(asks.PRIORITIES)]):
            if not answer.refusal:
                gathering.absorb(answer.found, answer.ask.kind.kind, forget=lambda _: False, node=answer.ask.node or "")
    found = gathering.snapshot(snapshot.source)
    classes = found.others["PriorityClass"] or snapshot.others.get("PriorityClass", ())
    return msgspec.structs.replace(
        snapshot, bound={**snapshot.bound, **found.bound}, others={**snapshot.others, "PriorityClass": classes}
    )


class _Look:
    """One look at a cluster, taken in several readings."""

    def __init__(
        self, reader: Reader, access: Access, namespace: str, *, now: datetime | None, settings: Settings
    ) -> None:
        self.reader, self.access, self.namespace, self.clock, self.settings = reader, access, namespace, now, settings
        self.gathering = Gathering()
        self.refusals: dict[Ask, NotSeen] = {}
        self.server = Server()
        self.unsettled: frozenset[_Names] = frozenset()

    def first(self) -> None:
        """Read what every answer rests on; within one namespace what the whole cluster is refused for.

        The causes are loaded while the answers are on their way.
        """
        about = self.reader.beside(self.reader.about)
        self.reader.beside(registry)
        answers = self._read(asks.first(self.namespace))
        self.server = about.result()
        refused = [answer.ask for answer in answers if answer.refusal and answer.ask.kind.namespaced]
        if refused and not self.namespace:
            self._within(self.access.namespace, refused)
        if not self.gathering.kinds_seen:
            raise CouldNotLook(_why(answers))
        if is_openshift(self.snapshot()):
            self._read([Ask(asks.NAMESPACES, quiet=True), Ask(asks.SCHEDULER, quiet=True)])

    def _within(self, namespace: str, refused: Sequence[Ask]) -> None:
        """Read in one namespace what was refused for all; where that are the DaemonSets there is no more to look at."""
        for answer in self._read([ask._replace(namespace=namespace) for ask in refused]):
            if not answer.refusal:
                whole = answer.ask._replace(namespace="")
                told = self.refusals[whole]
                self.refusals[whole] = msgspec.structs.replace(told, resource=f"{told.resource} outside {namespace}")
        if any(ask.kind is asks.DAEMONSETS for ask in refused):
            self.namespace = namespace

    def again(self) -> None:
        """Look again at what is accused until every node of it was looked at so, and what is missing was so twice."""
        found = diagnose(self.snapshot(), now=self.now(), settings=self.settings)
        doubtful, checked, lacking = _suspects(found), set[str](), frozenset[_Names]()
        if not doubtful and not found.summary.gaps and not found.summary.unwanted:
            return
        for reading in range(READINGS):
            self._reread(doubtful, [] if reading else asks.reasons(self.namespace))
            checked.update(doubtful)
            self.unsettled = frozenset()
            found = diagnose(self.snapshot(), now=self.now(), settings=self.settings)
            still = _missing(found)
            self.unsettled, lacking = still - lacking, still
            again = {node for _, node in self.unsettled}
            doubtful = [name for name in _suspects(found) if name not in checked or name in again]
            if not doubtful:
                return
            if self.unsettled:
                time.sleep(PAUSE)

    def _reread(self, suspects: Sequence[str], more: list[Ask]) -> None:
        """The pods, on the suspect nodes or all, and then what wants them: what made a pod go is seen on its node."""
        many = len(suspects) > ONE_BY_ONE
        if many:
            self._read([asks.all_pods(self.namespace)])
        if suspects:
            # Whole, which all pods are not; a pod that was bound since stays as it was among all.
            self._read([asks.unbound(self.namespace)._replace(adds=many)])
            self._read([*asks.pods_on(self.namespace, suspects[:ONE_BY_ONE]), *more])
            more = []
        self._read([*more, *asks.wanted(self.namespace)])

    def _read(self, wanted: Sequence[Ask]) -> list[Answer]:
        """Read lists and take in what came; what did not is remembered, and what was known of it kept."""
        answers = self.reader.read(wanted)
        for ask, found, refusal in answers:
            self.refusals.pop(ask, None)
            if refusal:
                self.refusals[ask] = refusal
            else:
                self.gathering.absorb(found, ask.kind.kind, forget=ask.renews, node=ask.node or "")
        return answers

    def now(self) -> datetime:
        """The time to judge by: as told, else ours, or the server's where that differs."""
        return self.clock or datetime.now(UTC) + (
            self.server.ahead if abs(self.server.ahead) > TOLERANCE else timedelta()
        )

    def snapshot(self) -> Snapshot:
        """All that was read so far."""
        seen = {(missing.resource, missing.reason): missing for missing in self.refusals.values()}
        made = self.gathering.snapshot(
            Source("cluster", context=self.access.context, version=self.server.version),
            not_seen=seen.values(),
            scope=self.namespace,
        )
        return msgspec.structs.replace(made, unsettled=self.unsettled, read_at=self.now())


def _suspects(diagnosis: Diagnosis) -> list[str]:
    """The nodes on which a pod is not as it should be; an exclusion rests on the node alone and asks for no pods."""
    found = {
        pair.node: None
        for one in diagnosis.coverage
        for pair in one.pairs
        if ((pair.verdict.gap or pair.verdict.unwanted) and pair.verdict.state != "excluded") or _surges_in_vain(pair)
    }
    return list(found)


def _surges_in_vain(pair: Pair) -> bool:
    """Whether an old pod serves the node, and the new one beside it does not get there."""
    return pair.verdict.state == "outdated" and any(cause_of(slug).stage in _OF_PODS for slug in pair.verdict.causes)


def _missing(diagnosis: Diagnosis) -> frozenset[_Names]:
    """The pairs that lack a pod, whatever may explain it."""
    return frozenset(
        (one.daemonset.key, pair.node)
        for one in diagnosis.coverage
        for pair in one.pairs
        if pair.verdict.state == "missing"
    )


def _why(answers: Iterable[Answer]) -> str:
    """Why nothing could be read: one reason is enough, they are nearly always the same."""
    refusal = next((answer.refusal for answer in answers if answer.refusal), None)
    if refusal is None:
        return "nothing could be read"
    return (
        refusal.detail
        if refusal.reason == UNREACHABLE
        else f"nothing could be read: {refusal.resource}: {refusal.detail}"
    )
