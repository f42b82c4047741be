"""The status counters of a DaemonSet, recomputed.

Rules: updateDaemonSetStatus in pkg/controller/daemon/daemon_controller.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import msgspec

from dscov.kube.pods import DaemonPod, oldest_first
from dscov.kube.versions import KubernetesVersion


class Counters(msgspec.Struct, frozen=True, rename="camel"):
    """The seven counters, named as in `.status`; each counts nodes."""

    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_misscheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_unavailable: int = 0


class Rules(msgspec.Struct, frozen=True):
    """What counting needs beside the pods: the DaemonSet's minReadySeconds, the clock and the server's version."""

    min_ready_seconds: int
    now: datetime
    version: KubernetesVersion
    updated: Callable[[DaemonPod], bool]


def count(nodes: Iterable[tuple[bool, Sequence[DaemonPod]]], rules: Rules) -> Counters:
    """The counters over all nodes, each given as (should run, the pods in play that are meant for it)."""
    desired = current = misscheduled = ready = updated = available = 0
    for should_run, pods in nodes:
        if not should_run:
            misscheduled += bool(pods)
            continue
        desired += 1
        if not pods:
            continue
        current += 1
        # Exactly one pod of a node is looked at.
        pod = pods[0] if len(pods) == 1 else oldest_first(pods)[0]
        if pod.ready:
            ready += 1
            available += pod.available(rules.min_ready_seconds, rules.now, rules.version)
        updated += rules.updated(pod)
    return Counters(desired, current, misscheduled, ready, updated, available, desired - available)
