"""Why the controller makes no pod: the newest refusal, whether it still holds, and whether the controller works."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from dscov.kube.denials import Denial, Refuser, read_denial
from dscov.kube.objects import name_of, text, time
from dscov.model.cluster import DaemonSet, Event, Node, Object
from dscov.model.findings import Evidence
from dscov.model.world import World, once

#: The states in which creation is asked about: no pod, or only pods that are going (with surge these do not count).
NO_POD = frozenset({"missing", "terminating"})

#: One sync makes several pods at once and its events have whole seconds: a success this close undoes no failure.
_SAME_SYNC = timedelta(seconds=5)

#: A lease of 15 s that was not renewed for so long is nobody's.
_STALE = timedelta(minutes=2)


class Refused(msgspec.Struct, frozen=True):
    """A refusal that still holds."""

    denial: Denial
    event: Event

    @property
    def told(self) -> Evidence:
        """Where the words stand."""
        return Evidence(f"Event/{self.event.namespace}/{self.event.event_name}", "message", self.event.message)


def refused(world: World, daemonset: DaemonSet, node: Node) -> Refused | None:
    """The newest refusal of the DaemonSet's pods, where the node waits for one and no later success undoes it."""
    if not awaits_a_pod(world, daemonset, node):
        return None
    return once(world, ("refused", daemonset.key), lambda: _refused(world, daemonset))


def awaits_a_pod(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the controller would make a pod for the node now: none is there, or all are going and there is surge."""
    pods = world.pods(daemonset, node.name)
    surge = daemonset.strategy.type == "RollingUpdate" and daemonset.strategy.max_surge not in {None, 0, "0%"}
    return not pods or (surge and all(pod.deleted for pod in pods))


def _refused(world: World, daemonset: DaemonSet) -> Refused | None:
    failure = next(iter(_events(world, daemonset, "FailedCreate")), None)
    success = next(iter(_events(world, daemonset, "SuccessfulCreate")), None)
    if failure is None or _later(success, failure):
        return None
    return Refused(read_denial(failure.message), failure)


def _later(success: Event | None, failure: Event) -> bool:
    if success is None or success.last is None or failure.last is None:
        return False
    return success.last > failure.last + _SAME_SYNC


def _events(world: World, daemonset: DaemonSet, reason: str) -> Iterator[Event]:
    for event in world.events("DaemonSet", daemonset.namespace, daemonset.name):
        if event.reason == reason and (not daemonset.uid or event.uid in {"", daemonset.uid}):
            yield event


def refused_by(world: World, daemonset: DaemonSet, node: Node, refuser: Refuser) -> Iterator[Refused]:
    """The refusal, if it is of this refuser."""
    found = refused(world, daemonset, node)
    if found and found.denial.refuser is refuser:
        yield found


def has_tried(world: World, daemonset: DaemonSet) -> bool:
    """Whether any event tells that the controller tried to make a pod of the DaemonSet."""
    return any(any(_events(world, daemonset, reason)) for reason in ("FailedCreate", "SuccessfulCreate"))


def silent(world: World, daemonset: DaemonSet, node: Node) -> bool:
    """Whether the node waits for a pod and no refusal says why: the ground on which objects are asked instead."""
    return awaits_a_pod(world, daemonset, node) and refused(world, daemonset, node) is None


def in_namespace(world: World, kind: str, namespace: str) -> Iterator[Object]:
    """The objects of a kind in a namespace."""
    for obj in world.snapshot.others.get(kind, ()):
        if text(obj, "metadata", "namespace") == namespace:
            yield obj


def namespace_of(world: World, daemonset: DaemonSet) -> Object:
    """The Namespace of a DaemonSet, or an empty object where it was not seen."""
    found = (obj for obj in world.snapshot.others.get("Namespace", ()) if name_of(obj) == daemonset.namespace)
    return next(found, {})


def service_account_of(daemonset: DaemonSet) -> str:
    """The service account that the pods run as."""
    spec = ("spec", "template", "spec")
    return text(daemonset.obj, *spec, "serviceAccountName") or text(daemonset.obj, *spec, "serviceAccount") or "default"


# -- leases -----------------------------------------------------------------------------------------------------


class StaleLease(msgspec.Struct, frozen=True):
    """A leader's lease that nobody renews, and the last time it was."""

    key: str
    renewed: datetime
    written: str


def stale_lease(world: World, name: str) -> StaleLease | None:
    """The lease of a component of the control plane, where it has not been renewed for minutes.

    In a live cluster the clock tells. A saved one may be old: there it is what else was seen at a later time that
    tells or, where all that was seen is older than the lease, the clock within a day.
    """
    for lease in world.snapshot.others.get("Lease", ()):
        renewed, namespace = time(lease, "spec", "renewTime"), text(lease, "metadata", "namespace")
        if name_of(lease) != name or namespace != "kube-system" or renewed is None:
            continue
        if _clock(world, name, renewed) - renewed > _STALE:
            return StaleLease(f"{namespace}/{name}", renewed, text(lease, "spec", "renewTime"))
    return None


def _clock(world: World, name: str, renewed: datetime) -> datetime:
    if world.snapshot.source.kind == "cluster":
        return world.now
    seen = once(world, ("newest time", name), lambda: _newest(world, name))
    if seen is None or seen < renewed - _STALE:
        return world.now if world.now - renewed < timedelta(days=1) else renewed
    return min(seen, world.now)


def _newest(world: World, name: str) -> datetime | None:
    """The latest time that anything but the lease of that name tells of."""
    snapshot = world.snapshot
    leases = [lease for lease in snapshot.others.get("Lease", ()) if name_of(lease) != name]
    times = [event.last for event in snapshot.events]
    times += [thing.created for many in (snapshot.nodes, snapshot.pods, snapshot.daemonsets) for thing in many]
    times += [condition.since for node in snapshot.nodes for condition in node.conditions]
    times += [time(lease, "spec", "renewTime") for lease in leases]
    return max((found for found in times if found is not None), default=None)
