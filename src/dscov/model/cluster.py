"""The frozen nouns of a cluster: what was read, in Kubernetes' own terms, and nothing derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from dscov.kube import objects
from dscov.kube.counters import Counters
from dscov.kube.placement import Template
from dscov.kube.pods import DaemonPod
from dscov.kube.revisions import Strategy
from dscov.kube.selectors import Selector
from dscov.kube.taints import Taint
from dscov.kube.versions import NEWEST, KubernetesVersion

#: A plain API object, as read from JSON.
Object = objects.Object


class Condition(msgspec.Struct, frozen=True, gc=False):
    """A condition of a node or pod."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None


class NodeInfo(msgspec.Struct, frozen=True, gc=False):
    """What the kubelet says of its machine; empty where it said nothing."""

    os: str = ""
    architecture: str = ""
    kubelet: str = ""
    kernel: str = ""
    image: str = ""
    runtime: str = ""


class Node(msgspec.Struct, frozen=True):
    """A node, as far as anyone asks of it. `allocatable` holds quantities as written."""

    name: str
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    #: When each of the taints was put, as far as the API keeps it; empty where it keeps none.
    taint_times: tuple[datetime | None, ...] = ()
    unschedulable: bool = False
    conditions: tuple[Condition, ...] = ()
    created: datetime | None = None
    deleted: datetime | None = None
    info: NodeInfo = NodeInfo()
    allocatable: Mapping[str, str] = {}
    provider_id: str = ""
    #: The newest sign of life that its status keeps; its lease is newer.
    heartbeat: datetime | None = None

    @property
    def ready(self) -> Condition | None:
        """Its Ready condition, or None where the kubelet never gave one."""
        return next((c for c in self.conditions if c.type == "Ready"), None)


class DaemonSet(msgspec.Struct, frozen=True):
    """A DaemonSet. `obj` is the whole API object, `selector` selects nothing where the controller cannot read it."""

    namespace: str
    name: str
    uid: str
    template: Template
    selector: Selector
    strategy: Strategy
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    min_ready_seconds: int = 0
    generation: int = 0
    created: datetime | None = None
    deleted: datetime | None = None
    observed_generation: int = 0
    reported: Counters = Counters()
    obj: Object = {}

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"

    @property
    def pod_spec(self) -> Object:
        """The spec of the pod template as it stands, a plain API object."""
        return objects.part(self.obj, "spec", "template", "spec")

    @property
    def identity(self) -> str:
        """What its pods and revisions know it by: its uid; where nothing that was read tells it, its key."""
        return self.uid or self.key


class ContainerState(msgspec.Struct, frozen=True, gc=False):
    """What the kubelet last said of one container.

    `state` is waiting, running, terminated or empty; `reason`, `message` and `exit_code` belong to it, the `last_` ones to how it
    ended before. Times of the ends are not kept.
    """

    name: str
    init: bool = False
    ready: bool = False
    restarts: int = 0
    state: str = ""
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    last_reason: str = ""
    last_message: str = ""
    last_exit_code: int | None = None


class Pod(DaemonPod, frozen=True, kw_only=True, gc=False):
    """A pod that a DaemonSet owns or may adopt. `conditions` and `containers` are kept only where it is not ready."""

    namespace: str
    uid: str = ""
    #: The controlling owner (see DaemonSet.identity), or empty.
    owner_uid: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    containers: tuple[ContainerState, ...] = ()
    #: The whole object as JSON, kept only where the pod is not ready; see World.object_of.
    raw: Any = b""

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"

    def condition(self, kind: str) -> Condition | None:
        """The condition of that type, or None."""
        return next((c for c in self.conditions if c.type == kind), None)


class Revision(msgspec.Struct, frozen=True):
    """A ControllerRevision: `template` is the pod template it stands for, without the `$patch` directive."""

    namespace: str
    name: str
    owner_uid: str
    revision: int
    hash: str
    template: Object = {}
    created: datetime | None = None


class Event(msgspec.Struct, frozen=True, gc=False):
    """An event about an object; `last` is the newest time it tells of."""

    namespace: str
    kind: str
    name: str
    uid: str
    reason: str
    message: str
    type: str = ""
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None
    #: The component that reported it.
    source: str = ""
    event_name: str = ""


class NotSeen(msgspec.Struct, frozen=True):
    """Something we could not look at, why, and what that means for the answer."""

    resource: str
    verb: str
    reason: str
    meaning: str
    #: Whether nothing can be said of some pairs because of it.
    blinds: bool = True
    #: What the server or the file said, for people.
    detail: str = ""


class Source(msgspec.Struct, frozen=True):
    """Where a snapshot came from: `kind` is cluster or saved. `version` is the server's own text, or empty."""

    kind: str
    context: str = ""
    path: str = ""
    version: str = ""


class Snapshot(msgspec.Struct, frozen=True):
    """Everything that was read, once. `others` holds further objects by kind, as plain API objects.

    `scope` is the one namespace that was looked at, or empty for all; `read_at` the time, by the server's clock, at
    which a live cluster was read.
    """

    source: Source
    nodes: tuple[Node, ...] = ()
    daemonsets: tuple[DaemonSet, ...] = ()
    pods: tuple[Pod, ...] = ()
    revisions: tuple[Revision, ...] = ()
    events: tuple[Event, ...] = ()
    others: Mapping[str, tuple[Object, ...]] = {}
    #: Every pod bound to a node, of whatever owner, as JSON by the node's name; see World.occupants. In a live snapshot
    #: only for nodes on which a daemon pod waits for room.
    bound: Mapping[str, Sequence[Any]] = {}
    not_seen: tuple[NotSeen, ...] = ()
    version: KubernetesVersion = NEWEST
    scope: str = ""
    read_at: datetime | None = None
    #: Pairs (DaemonSet key, node) that lacked a pod in the last reading only: the controller may be at it this moment.
    unsettled: frozenset[tuple[str, str]] = frozenset()
    #: Files or objects that were of no use and left out, as (what, how many).
    skipped: tuple[tuple[str, int], ...] = ()
