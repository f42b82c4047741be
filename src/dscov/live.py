"""A snapshot of a live cluster that accuses nobody on the strength of one look.

The lists of the first reading are of different moments: a node may have been tainted, or a pod replaced, between them.
Where something seems wrong its pods are read again, whole, and the nodes after them; a pod that is missing must be
missing in two readings with a pause between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import msgspec

from dscov.diagnosis import diagnose
from dscov.errors import CouldNotLook
from dscov.model.cluster import NotSeen, Snapshot, Source
from dscov.model.findings import Diagnosis
from dscov.model.openshift import is_openshift
from dscov.sources import cluster
from dscov.sources.access import Access
from dscov.sources.access.transport import Transport
from dscov.sources.cluster import UNREACHABLE, Answer, Ask, Reader
from dscov.sources.gather import Gathering

#: So many nodes in trouble are read again one by one; beyond, all pods are.
ONE_BY_ONE = 60
#: Seconds before what is missing is read again, and how many times it is at the most.
PAUSE, READINGS = 1.0, 3


def _silent(_: str) -> None:
    """Report no progress."""


def read_cluster(
    access: Access, *, namespace: str, now: datetime, progress: Callable[[str], None] = _silent
) -> Snapshot:
    """The snapshot of what `access` leads to, in one namespace or (empty) in all, judged at `now` where it must be.

    Raises CouldNotLook where nothing could be read at all; else what could not be read is in `not_seen`.
    """
    with Transport(access) as transport:
        look = _Look(transport, access, namespace, progress)
        look.first()
        return look.again(now)


class _Look:
    """One look at a cluster, taken in several readings."""

    def __init__(self, transport: Transport, access: Access, namespace: str, progress: Callable[[str], None]) -> None:
        self.reader = Reader(transport, progress)
        self.access, self.namespace = access, namespace
        self.gathering = Gathering()
        self.refusals: dict[Ask, NotSeen | None] = {}
        self.version = ""
        self.unsettled: frozenset[tuple[str, str]] = frozenset()

    def first(self) -> None:
        """Read what every answer rests on; within one namespace where the whole cluster is refused."""
        answers = self._read(cluster.first(self.namespace))
        refused = [answer.ask for answer in answers if answer.refusal and answer.ask.kind.namespaced]
        if refused and not self.namespace and any(ask.kind is cluster.DAEMONSETS for ask in refused):
            self.namespace = self.access.namespace
            self._read([ask._replace(namespace=self.namespace) for ask in refused])
        if not self.gathering.kinds_seen:
            raise CouldNotLook(_why(answers))
        self.version = self.reader.version()
        if is_openshift(self.snapshot()):
            self._read([Ask(cluster.NAMESPACES, quiet=True), Ask(cluster.SCHEDULER, quiet=True)])

    def again(self, now: datetime) -> Snapshot:
        """Read again what seems wrong; what is missing without a reason must be missing after a pause as well."""
        suspects = _suspects(diagnose(self.snapshot(), now=now))
        if not suspects:
            return self.snapshot()
        self._reread(suspects, cluster.reasons(self.namespace))
        lacking = _unexplained(diagnose(self.snapshot(), now=now))
        for _ in range(READINGS):
            if not lacking:
                break
            time.sleep(PAUSE)
            self._reread(sorted({node for _, node in lacking}), [])
            still = _unexplained(diagnose(self.snapshot(), now=now))
            self.unsettled, lacking = still - lacking, still
            if not self.unsettled:
                break
        return self.snapshot()

    def _reread(self, suspects: Sequence[str], more: list[Ask]) -> None:
        """The pods on the suspect nodes and the nodes after them: what made a pod go is then seen on its node."""
        if len(suspects) > ONE_BY_ONE:
            self.gathering.forget_pods(lambda _: True)
            self._read([Ask(cluster.PODS, self.namespace, (cluster.MADE_BY_CONTROLLER,)), *more])
        one_by_one = set(suspects[:ONE_BY_ONE])
        self.gathering.forget_pods(lambda pod: not pod.node_name or pod.node_name in one_by_one)
        self._read([*cluster.second(self.namespace, one_by_one), *(more if len(suspects) <= ONE_BY_ONE else [])])
        self.gathering.found["Node"].clear()
        self._read([Ask(cluster.NODES), Ask(cluster.DAEMONSETS, self.namespace)])

    def _read(self, asks: Sequence[Ask]) -> list[Answer]:
        answers = self.reader.read(self.gathering, asks)
        for ask, refusal in answers:
            self.refusals[ask] = refusal
        return answers

    def snapshot(self) -> Snapshot:
        """All that was read so far."""
        seen = {(missing.resource, missing.reason): missing for missing in self.refusals.values() if missing}
        made = self.gathering.snapshot(
            Source("cluster", context=self.access.context, version=self.version),
            not_seen=seen.values(),
            scope=self.namespace,
        )
        return msgspec.structs.replace(made, unsettled=self.unsettled)


def _suspects(diagnosis: Diagnosis) -> list[str]:
    """The nodes on which a pod is not as it should be; exclusions rest on the node alone and need no second look."""
    found = {
        pair.node: None
        for one in diagnosis.coverage
        for pair in one.pairs
        if (pair.verdict.gap or pair.verdict.unwanted) and pair.verdict.state != "excluded"
    }
    return list(found)


def _unexplained(diagnosis: Diagnosis) -> frozenset[tuple[str, str]]:
    """The pairs that lack a pod for no reason that was found."""
    return frozenset(
        (one.daemonset.key, pair.node)
        for one in diagnosis.coverage
        for pair in one.pairs
        if pair.verdict.state == "missing" and not pair.verdict.causes
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
