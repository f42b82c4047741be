"""The counters in the status are not those that the controller would write now; the likeliest reason is told with them.

Dashboards and alerts read the status. A controller that is behind or stopped, a change that does not wake it, or a
clock that differs leaves old numbers there.
"""

from collections.abc import Iterator

import msgspec

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.reconcile import computed, disagreements
from dscov.model.world import World


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """Counters that differ, those with the same reason together."""
    fresh = computed(world, daemonset)
    numbers = msgspec.to_builtins(fresh)
    reported = msgspec.to_builtins(daemonset.reported)
    written = daemonset.obj.get("status") or {}
    by_why: dict[str, list[str]] = {}
    for one in disagreements(world, daemonset, fresh):
        by_why.setdefault(one.why, []).append(one.counter)
    for why, counters in by_why.items():
        words = ", ".join(f"{name} {reported[name]}, computed {numbers[name]}" for name in counters)
        shown = [
            Evidence(f"DaemonSet/{daemonset.key}", f"status.{name}", str(written[name]))
            for name in counters
            if name in written
        ]
        yield Hit((("words", words), ("why", why)), tuple(shown), confidence="inferred")


def cure(_world: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Go by the computed ones."""
    return Remedy(
        "no-patch",
        "go by the computed counters; any change of a pod or of the DaemonSet refreshes the status",
        why="the status is only as fresh as the controller's last look",
        actions=(f"kubectl -n {daemonset.namespace} get daemonset {daemonset.name} -o jsonpath='{{.status}}'",),
    )


CAUSE = Cause(
    code="DSC709",
    slug="stale-counters",
    title="the counters in the status are old",
    says="the status says {words}: {why}",
    survey=survey,
    cure=cure,
    severity="info",
)
