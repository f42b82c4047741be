"""From the API's shapes to the model's nouns. What does not fit raises msgspec.ValidationError, which names the field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from dscov.kube.affinity import Affinity, Term, read_node_selector, read_term
from dscov.kube.counters import Counters
from dscov.kube.placement import Template
from dscov.kube.pods import target_node
from dscov.kube.revisions import HASH_LABEL, Strategy
from dscov.kube.selectors import Expression, Selector, from_label_selector
from dscov.kube.taints import Taint, Toleration, effective
from dscov.model.cluster import Condition, ContainerState, DaemonSet, Event, Node, NodeInfo, Object, Pod, Revision
from dscov.sources import wire, wire_event

NO_LABELS: Mapping[str, str] = {}

#: Pods of one DaemonSet carry equal labels by the thousand: one mapping is kept of each.
_Interned = dict[tuple[tuple[str, str], ...], Mapping[str, str]]


def node(raw: wire.Node) -> Node:
    """A node."""
    spec, status = raw.spec or wire.NodeSpec(), raw.status or wire.NodeStatus()
    info = status.node_info or wire.NodeInfo()
    return Node(
        name=_named(raw.metadata),
        labels=raw.metadata.labels or NO_LABELS,
        taints=tuple(Taint(t.key or "", t.value or "", t.effect or "") for t in spec.taints or ()),
        taint_times=_times(spec.taints or ()),
        unschedulable=bool(spec.unschedulable),
        conditions=_conditions(status.conditions),
        created=raw.metadata.creation_timestamp,
        deleted=raw.metadata.deletion_timestamp,
        info=NodeInfo(*(getattr(info, field) or "" for field in _INFO)),
        allocatable={name: str(amount) for name, amount in (status.allocatable or {}).items()},
        provider_id=spec.provider_id or "",
        heartbeat=max((c.last_heartbeat_time for c in status.conditions or () if c.last_heartbeat_time), default=None),
    )


#: The fields of wire.NodeInfo in the order of NodeInfo's.
_INFO = (
    "operating_system",
    "architecture",
    "kubelet_version",
    "kernel_version",
    "os_image",
    "container_runtime_version",
)


def daemonset(raw: wire.DaemonSet, obj: Object) -> DaemonSet:
    """A DaemonSet; `obj` is the same as a plain API object."""
    meta, spec, status = raw.metadata, raw.spec or wire.DaemonSetSpec(), raw.status or wire.DaemonSetStatus()
    return DaemonSet(
        namespace=meta.namespace or "default",
        name=_named(meta),
        uid=meta.uid or "",
        template=template((spec.template or wire.Template()).spec or wire.TemplateSpec()),
        selector=_selector(spec.selector),
        strategy=_strategy(spec.update_strategy),
        labels=meta.labels or NO_LABELS,
        annotations=meta.annotations or NO_LABELS,
        min_ready_seconds=spec.min_ready_seconds or 0,
        generation=meta.generation or 0,
        created=meta.creation_timestamp,
        deleted=meta.deletion_timestamp,
        observed_generation=status.observed_generation or 0,
        reported=Counters(*(getattr(status, field) or 0 for field in Counters.__struct_fields__)),
        obj=obj,
    )


def template(spec: wire.TemplateSpec) -> Template:
    """What the controller decides on."""
    own = tuple(
        Toleration(t.key or "", t.operator or "", t.value or "", t.effect or "", t.toleration_seconds)
        for t in spec.tolerations or ()
    )
    required = _required(spec.affinity)
    return Template(
        node_name=spec.node_name or "",
        node_selector=read_node_selector(spec.node_selector),
        affinity=None if required is None else Affinity(tuple(_term(t) for t in required.node_selector_terms or ())),
        tolerations=effective(own, host_network=bool(spec.host_network)),
        own_tolerations=own,
        host_network=bool(spec.host_network),
    )


def pod(raw: wire.Pod, interned: _Interned, whole: Any = b"") -> Pod:
    """A pod; its conditions, containers and the `whole` object are kept only where it is not ready."""
    meta, spec, status = raw.metadata, raw.spec or wire.PodSpec(), raw.status or wire.PodStatus()
    owner = controller(meta)
    ready = next((c for c in status.conditions or () if c.type == "Ready"), None)
    well = ready is not None and ready.status == "True"
    return Pod(
        namespace=meta.namespace or "default",
        name=_named(meta),
        uid=meta.uid or "",
        owner_uid=_identity(owner, meta) if owner else "",
        node_name=spec.node_name or "",
        target=spec.node_name or _aimed_at(spec),
        phase=status.phase or "",
        labels=interned.setdefault(tuple(meta.labels.items()), meta.labels) if meta.labels else NO_LABELS,
        created=meta.creation_timestamp,
        deleted=meta.deletion_timestamp,
        ready=well,
        ready_since=ready.last_transition_time if ready else None,
        reason=status.reason or "",
        message=status.message or "",
        conditions=() if well else _conditions(status.conditions),
        containers=() if well else _containers(status),
        raw=b"" if well else whole,
    )


def controller(meta: wire.Meta) -> wire.Owner | None:
    """The ownerReference of the controlling owner, or None."""
    return next((owner for owner in meta.owner_references or () if owner.controller), None)


def _identity(owner: wire.Owner, meta: wire.Meta) -> str:
    """The owner's uid; where the reference lacks it, which no API server allows, its key."""
    return owner.uid or (f"{meta.namespace or 'default'}/{owner.name}" if owner.name else "")


def revision(raw: wire.Revision) -> Revision:
    """A ControllerRevision."""
    owner = controller(raw.metadata)
    data: Any = raw.data if isinstance(raw.data, dict) else {}
    kept = (data.get("spec") or {}).get("template") or {} if isinstance(data.get("spec") or {}, dict) else {}
    return Revision(
        namespace=raw.metadata.namespace or "default",
        name=_named(raw.metadata),
        owner_uid=_identity(owner, raw.metadata) if owner else "",
        revision=raw.revision or 0,
        hash=(raw.metadata.labels or {}).get(HASH_LABEL, ""),
        template={key: value for key, value in kept.items() if key != "$patch"} if isinstance(kept, dict) else {},
        created=raw.metadata.creation_timestamp,
    )


def event(raw: wire_event.Event) -> Event:
    """An event, of either API group."""
    about = raw.involved_object or raw.regarding or wire_event.Reference()
    series = raw.series or wire_event.Series()
    source = raw.source or raw.deprecated_source or wire_event.Component()
    first = raw.first_timestamp or raw.deprecated_first_timestamp or raw.event_time
    ends = (raw.last_timestamp, raw.deprecated_last_timestamp, series.last_observed_time, raw.event_time, first)
    return Event(
        namespace=about.namespace or raw.metadata.namespace or "",
        kind=about.kind or "",
        name=about.name or "",
        uid=about.uid or "",
        reason=raw.reason or "",
        message=raw.message or raw.note or "",
        type=raw.type or "",
        count=series.count or raw.count or raw.deprecated_count or 1,
        first=first,
        last=next((end for end in ends if end), raw.metadata.creation_timestamp),
        source=source.component or raw.reporting_component or raw.reporting_controller or "",
        event_name=raw.metadata.name or "",
    )


def _named(meta: wire.Meta) -> str:
    if not meta.name:
        raise msgspec.ValidationError("Object missing a name - at `$.metadata.name`")
    return meta.name


def _times(taints: Sequence[wire.Taint]) -> tuple[datetime | None, ...]:
    times = tuple(taint.time_added for taint in taints)
    return times if any(times) else ()


def _conditions(raw: Iterable[wire.Condition] | None) -> tuple[Condition, ...]:
    return tuple(
        Condition(c.type or "", c.status or "", c.reason or "", c.message or "", c.last_transition_time)
        for c in raw or ()
    )


def _containers(status: wire.PodStatus) -> tuple[ContainerState, ...]:
    kinds = ((status.init_container_statuses, True), (status.container_statuses, False))
    return tuple(_container(one, init=init) for many, init in kinds for one in many or ())


def _container(raw: wire.ContainerStatus, *, init: bool) -> ContainerState:
    kind, now = _present(raw.state)
    _, before = _present(raw.last_state)
    return ContainerState(
        name=raw.name or "",
        init=init,
        ready=bool(raw.ready),
        restarts=raw.restart_count or 0,
        state=kind,
        reason=now.reason or "",
        message=now.message or "",
        exit_code=now.exit_code,
        last_reason=before.reason or "",
        last_message=before.message or "",
        last_exit_code=before.exit_code,
    )


def _present(state: wire.State | None) -> tuple[str, wire.Ended]:
    for kind in ("waiting", "running", "terminated"):
        found = getattr(state, kind) if state else None
        if found is not None:
            return kind, found
    return "", wire.Ended()


def _required(affinity: wire.Affinity | None) -> wire.Required | None:
    node_affinity = affinity.node_affinity if affinity else None
    return node_affinity.required_during_scheduling_ignored_during_execution if node_affinity else None


def _aimed_at(spec: wire.PodSpec) -> str:
    required = _required(spec.affinity)
    terms = (required.node_selector_terms if required else None) or ()
    return target_node("", (_expressions(term.match_fields) for term in terms))


def _term(raw: wire.Term) -> Term:
    return read_term(_expressions(raw.match_expressions), _expressions(raw.match_fields))


def _expressions(raw: Iterable[wire.Expression] | None) -> list[Expression]:
    return [Expression(e.key or "", e.operator or "", tuple(e.values or ())) for e in raw or ()]


def _selector(raw: wire.LabelSelector | None) -> Selector:
    """A selector that the controller cannot read, or an empty one (which it refuses to act on), selects nothing."""
    if raw is None:
        return Selector(nothing=True)
    try:
        selector = from_label_selector(raw.match_labels, _expressions(raw.match_expressions))
    except ValueError:
        return Selector(nothing=True)
    return selector if selector.requirements else Selector(nothing=True)


def _strategy(raw: wire.Strategy | None) -> Strategy:
    if raw is None or raw.rolling_update is None:
        return Strategy(raw.type or "RollingUpdate" if raw else "RollingUpdate", None, None, bounded=False)
    return Strategy(raw.type or "RollingUpdate", raw.rolling_update.max_unavailable, raw.rolling_update.max_surge)


#: What a kind is decoded as: (the shape, the function). DaemonSets are apart, since their whole object is kept.
SHAPES: dict[str, tuple[type[wire.Wire], Callable[..., Any]]] = {
    "Node": (wire.Node, node),
    "ControllerRevision": (wire.Revision, revision),
    "Event": (wire_event.Event, event),
}
