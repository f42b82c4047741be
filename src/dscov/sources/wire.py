"""The JSON of the API as far as it is read: one struct a shape, every field optional as in Go.

The only module, with decode.py, that knows the field names of Kubernetes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

Labels = dict[str, str] | None
#: A time with its zone, as the API always gives it.
Time = Annotated[datetime, msgspec.Meta(tz=True)]


class Wire(msgspec.Struct, rename="camel", gc=False):
    """The root of all shapes; an absent or null field is None."""


class Owner(Wire):
    """An ownerReference."""

    uid: str | None = None
    kind: str | None = None
    name: str | None = None
    controller: bool | None = None


class Meta(Wire):
    """ObjectMeta."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    labels: Labels = None
    annotations: Labels = None
    generation: int | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    owner_references: list[Owner] | None = None
    resource_version: str | None = None


class Expression(Wire):
    """A matchExpressions or matchFields entry."""

    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class Term(Wire):
    """A nodeSelectorTerm."""

    match_expressions: list[Expression] | None = None
    match_fields: list[Expression] | None = None


class Required(Wire):
    """A NodeSelector."""

    node_selector_terms: list[Term] | None = None


class NodeAffinity(Wire):
    """The part of nodeAffinity that decides."""

    required_during_scheduling_ignored_during_execution: Required | None = None


class Affinity(Wire):
    """The part of affinity that decides."""

    node_affinity: NodeAffinity | None = None


class Toleration(Wire):
    """A toleration."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: int | None = None


class Taint(Wire):
    """A taint."""

    key: str | None = None
    value: str | None = None
    effect: str | None = None
    time_added: Time | None = None


class Condition(Wire):
    """A condition of a node or pod."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: str | None = None
    last_transition_time: Time | None = None
    #: Of a node's condition only.
    last_heartbeat_time: Time | None = None


class NodeSpec(Wire):
    """The spec of a node."""

    taints: list[Taint] | None = None
    unschedulable: bool | None = None
    provider_id: str | None = msgspec.field(default=None, name="providerID")


class NodeInfo(Wire):
    """What the kubelet says of its machine."""

    operating_system: str | None = None
    architecture: str | None = None
    kubelet_version: str | None = None
    kernel_version: str | None = None
    os_image: str | None = None
    container_runtime_version: str | None = None


class NodeStatus(Wire):
    """The status of a node; its images, addresses and volumes are passed over."""

    conditions: list[Condition] | None = None
    allocatable: dict[str, str | int] | None = None
    node_info: NodeInfo | None = None


class Node(Wire):
    """A node."""

    metadata: Meta
    spec: NodeSpec | None = None
    status: NodeStatus | None = None


class TemplateSpec(Wire):
    """What the controller reads of a pod template's spec."""

    node_name: str | None = None
    node_selector: Labels = None
    affinity: Affinity | None = None
    tolerations: list[Toleration] | None = None
    host_network: bool | None = None


class Template(Wire):
    """A pod template."""

    spec: TemplateSpec | None = None


class LabelSelector(Wire):
    """A metav1.LabelSelector."""

    match_labels: Labels = None
    match_expressions: list[Expression] | None = None


class RollingUpdate(Wire):
    """The numbers of a rolling update."""

    max_unavailable: int | str | None = None
    max_surge: int | str | None = None


class Strategy(Wire):
    """An updateStrategy."""

    type: str | None = None
    rolling_update: RollingUpdate | None = None


class DaemonSetSpec(Wire):
    """The spec of a DaemonSet."""

    selector: LabelSelector | None = None
    template: Template | None = None
    update_strategy: Strategy | None = None
    min_ready_seconds: int | None = None


class DaemonSetStatus(Wire):
    """The status of a DaemonSet; an absent counter is 0."""

    desired_number_scheduled: int | None = None
    current_number_scheduled: int | None = None
    number_misscheduled: int | None = None
    number_ready: int | None = None
    updated_number_scheduled: int | None = None
    number_available: int | None = None
    number_unavailable: int | None = None
    observed_generation: int | None = None


class DaemonSet(Wire):
    """A DaemonSet."""

    metadata: Meta
    spec: DaemonSetSpec | None = None
    status: DaemonSetStatus | None = None


class PodSpec(Wire):
    """The part of a pod's spec that tells its node."""

    node_name: str | None = None
    affinity: Affinity | None = None


class Ended(Wire):
    """A waiting, running or terminated state."""

    reason: str | None = None
    message: str | None = None
    exit_code: int | None = None


class State(Wire):
    """A container state; at most one part is there."""

    waiting: Ended | None = None
    running: Ended | None = None
    terminated: Ended | None = None


class ContainerStatus(Wire):
    """A containerStatus."""

    name: str | None = None
    ready: bool | None = None
    restart_count: int | None = None
    state: State | None = None
    last_state: State | None = None


class PodStatus(Wire):
    """The status of a pod."""

    phase: str | None = None
    reason: str | None = None
    message: str | None = None
    conditions: list[Condition] | None = None
    container_statuses: list[ContainerStatus] | None = None
    init_container_statuses: list[ContainerStatus] | None = None


class Pod(Wire):
    """A pod."""

    metadata: Meta
    spec: PodSpec | None = None
    status: PodStatus | None = None


class Revision(Wire):
    """A ControllerRevision."""

    metadata: Meta
    revision: int | None = None
    data: Any = None


class Head(Wire):
    """The first facts of any document."""

    api_version: str | None = None
    kind: str | None = None
    items: list[msgspec.Raw] | None = None


class VersionInfo(Wire):
    """`/version`, alone or as `kubectl version -o json` and support bundles wrap it."""

    git_version: str | None = None
    server_version: VersionInfo | None = None
    info: VersionInfo | None = None
