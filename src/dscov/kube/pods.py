"""What the DaemonSet controller sees of a pod: whose it is, which node it is meant for, ready, available, its order.

Rules: pkg/controller/daemon/{daemon_controller,update}.go, pkg/controller/daemon/util/daemonset_util.go,
pkg/controller/{controller_ref_manager,controller_utils}.go and pkg/api/v1/pod/util.go, Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from dscov.kube.selectors import Expression, Selector
from dscov.kube.versions import KubernetesVersion

_NEVER = datetime.max.replace(tzinfo=UTC)


class DaemonPod(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The facts of a pod that decide what the controller does with it. Times are aware; None where the object has none."""

    name: str
    #: The node the pod is bound to, or empty.
    node_name: str = ""
    #: The node the pod is meant for: bound to, or named by its affinity; empty where the controller cannot tell.
    target: str = ""
    phase: str = ""
    labels: Mapping[str, str] = {}
    created: datetime | None = None
    deleted: datetime | None = None
    ready: bool = False
    #: When the Ready condition last changed.
    ready_since: datetime | None = None

    @property
    def finished(self) -> bool:
        """Failed or Succeeded: the pod runs nothing any more."""
        return self.phase in {"Failed", "Succeeded"}

    def available(self, min_ready_seconds: int, now: datetime, version: KubernetesVersion) -> bool:
        """Ready, and for long enough by the clock `now`."""
        if not self.ready:
            return False
        if min_ready_seconds == 0:
            return True
        if self.ready_since is None:
            return False
        try:
            since = self.ready_since + timedelta(seconds=min_ready_seconds)
        except OverflowError:
            return False
        return since <= now if version.availability_inclusive else since < now


def oldest_first(pods: Iterable[DaemonPod]) -> list[DaemonPod]:
    """The controller's order on one node: bound before unbound, then by creation, then by name."""
    return sorted(pods, key=lambda pod: (not pod.node_name, pod.created or _NEVER, pod.name))


def target_node(node_name: str, terms: Iterable[Iterable[Expression]]) -> str:
    """The node a pod is meant for, from `spec.nodeName` or the matchFields of its required affinity terms.

    The first entry on metadata.name with operator In decides; with other than one value the controller cannot tell,
    which is given as the empty string.
    """
    if node_name:
        return node_name
    for fields in terms:
        for field in fields:
            if field.key == "metadata.name" and field.operator == "In":
                return field.values[0] if len(field.values) == 1 else ""
    return ""


def belongs(
    *,
    owner_uid: str,
    daemonset_uid: str,
    labels: Mapping[str, str],
    selector: Selector,
    pod_deleting: bool,
    daemonset_deleting: bool,
) -> bool:
    """Whether the controller counts a pod of the same namespace as its own: claimed, or about to be adopted."""
    if not selector.matches(labels):
        return False
    if owner_uid:
        return owner_uid == daemonset_uid
    return not pod_deleting and not daemonset_deleting


def in_play(pod: DaemonPod, version: KubernetesVersion) -> bool:
    """Whether the pod is in the controller's map from node to pods."""
    finished_and_going = pod.finished and pod.deleted is not None
    return bool(pod.target) and not (finished_and_going and version.ignores_finished_deleting_pods)
