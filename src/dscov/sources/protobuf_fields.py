"""Which fields of the API's protobuf messages are read, under which numbers, and message types with only these fields.

Field numbers: generated.proto of k8s.io/api core/v1 and k8s.io/apimachinery pkg/apis/meta/v1, v0.37.2 (numbers never
change).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from dscov.sources import wire

_TEXT, _FLAG, _INT, _TIME, _TEXTS, _MAP, _QUANTITIES = "text", "flag", "int", "time", "texts", "map", "quantities"
_ONE, _MANY = "one", "many"

#: shape -> field -> (number, kind, the shape of what is inside).
FIELDS: dict[type[wire.Wire], dict[str, tuple[int, str, type[wire.Wire] | None]]] = {
    wire.Pod: {"metadata": (1, _ONE, wire.Meta), "spec": (2, _ONE, wire.PodSpec), "status": (3, _ONE, wire.PodStatus)},
    wire.Node: {
        "metadata": (1, _ONE, wire.Meta),
        "spec": (2, _ONE, wire.NodeSpec),
        "status": (3, _ONE, wire.NodeStatus),
    },
    wire.Meta: {
        "name": (1, _TEXT, None),
        "namespace": (3, _TEXT, None),
        "uid": (5, _TEXT, None),
        "creation_timestamp": (8, _TIME, None),
        "deletion_timestamp": (9, _TIME, None),
        "labels": (11, _MAP, None),
        "owner_references": (13, _MANY, wire.Owner),
    },
    wire.Owner: {
        "kind": (1, _TEXT, None),
        "name": (3, _TEXT, None),
        "uid": (4, _TEXT, None),
        "controller": (6, _FLAG, None),
    },
    wire.PodSpec: {"node_name": (10, _TEXT, None), "affinity": (18, _ONE, wire.Affinity)},
    wire.Affinity: {"node_affinity": (1, _ONE, wire.NodeAffinity)},
    wire.NodeAffinity: {"required_during_scheduling_ignored_during_execution": (1, _ONE, wire.Required)},
    wire.Required: {"node_selector_terms": (1, _MANY, wire.Term)},
    wire.Term: {"match_fields": (2, _MANY, wire.Expression)},
    wire.Expression: {"key": (1, _TEXT, None), "operator": (2, _TEXT, None), "values": (3, _TEXTS, None)},
    wire.PodStatus: {
        "phase": (1, _TEXT, None),
        "conditions": (2, _MANY, wire.Condition),
        "message": (3, _TEXT, None),
        "reason": (4, _TEXT, None),
        "container_statuses": (8, _MANY, wire.ContainerStatus),
        "init_container_statuses": (10, _MANY, wire.ContainerStatus),
    },
    wire.Condition: {
        "type": (1, _TEXT, None),
        "status": (2, _TEXT, None),
        # Of a pod's condition that is its last probe, which nobody sets.
        "last_heartbeat_time": (3, _TIME, None),
        "last_transition_time": (4, _TIME, None),
        "reason": (5, _TEXT, None),
        "message": (6, _TEXT, None),
    },
    wire.ContainerStatus: {
        "name": (1, _TEXT, None),
        "state": (2, _ONE, wire.State),
        "last_state": (3, _ONE, wire.State),
        "ready": (4, _FLAG, None),
        "restart_count": (5, _INT, None),
    },
    wire.NodeSpec: {
        "provider_id": (3, _TEXT, None),
        "unschedulable": (4, _FLAG, None),
        "taints": (5, _MANY, wire.Taint),
    },
    wire.Taint: {
        "key": (1, _TEXT, None),
        "value": (2, _TEXT, None),
        "effect": (3, _TEXT, None),
        "time_added": (4, _TIME, None),
    },
    wire.NodeStatus: {
        "allocatable": (2, _QUANTITIES, None),
        "conditions": (4, _MANY, wire.Condition),
        "node_info": (7, _ONE, wire.NodeInfo),
    },
    wire.NodeInfo: {
        "kernel_version": (4, _TEXT, None),
        "os_image": (5, _TEXT, None),
        "container_runtime_version": (6, _TEXT, None),
        "kubelet_version": (7, _TEXT, None),
        "operating_system": (9, _TEXT, None),
        "architecture": (10, _TEXT, None),
    },
}


class Waiting(wire.Ended):
    """A waiting state: its numbers differ from those of an ended one."""


class Running(wire.Ended):
    """A running state, of which only the presence matters."""


FIELDS |= {
    wire.State: {
        "waiting": (1, _ONE, Waiting),
        "running": (2, _ONE, Running),
        "terminated": (3, _ONE, wire.Ended),
    },
    Waiting: {"reason": (1, _TEXT, None), "message": (2, _TEXT, None)},
    Running: {},
    wire.Ended: {"exit_code": (1, _INT, None), "reason": (3, _TEXT, None), "message": (4, _TEXT, None)},
}


class ListMeta(wire.Wire):
    """The metadata of a list."""

    token: str | None = None


class Status(wire.Wire):
    """Why there is no answer."""

    message: str | None = None
    reason: str | None = None


FIELDS |= {ListMeta: {"token": (3, _TEXT, None)}, Status: {"message": (3, _TEXT, None), "reason": (4, _TEXT, None)}}


@cache
def message_class(shape: type[wire.Wire]) -> Any:
    """The message type of a shape; made at run time."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"dscov.{shape.__name__}"))


@cache
def _pool() -> Any:
    """The message types of all shapes, with only the fields that are read; others are passed over."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    types = descriptor_pb2.FieldDescriptorProto
    scalars = {_TEXT: types.TYPE_STRING, _FLAG: types.TYPE_BOOL, _INT: types.TYPE_INT64, _TEXTS: types.TYPE_STRING}
    file = descriptor_pb2.FileDescriptorProto(name="dscov.proto", package="dscov", syntax="proto2")
    _add(file, "Time", [("seconds", 1, types.TYPE_INT64, "", False)])
    _add(file, "Quantity", [("string", 1, types.TYPE_STRING, "", False)])
    for shape, fields in FIELDS.items():
        rows = []
        for name, (number, kind, inner) in fields.items():
            if kind in {_MAP, _QUANTITIES}:
                value = (types.TYPE_STRING, "") if kind == _MAP else (types.TYPE_MESSAGE, "Quantity")
                entry = f"{shape.__name__}{name.title()}Entry"
                _add(file, entry, [("key", 1, types.TYPE_STRING, "", False), ("value", 2, *value, False)])
                rows.append((name, number, types.TYPE_MESSAGE, entry, True))
            elif kind in scalars:
                rows.append((name, number, scalars[kind], "", kind == _TEXTS))
            else:
                rows.append((name, number, types.TYPE_MESSAGE, inner.__name__ if inner else "Time", kind == _MANY))
        _add(file, shape.__name__, rows)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _add(file: Any, name: str, fields: Iterable[tuple[str, int, int, str, bool]]) -> None:
    """Add a message type with its fields (name, number, type, message type, repeated)."""
    message = file.message_type.add(name=name)
    for field, number, kind, inner, repeated in fields:
        message.field.add(
            name=field,
            number=number,
            type=kind,
            type_name=f".dscov.{inner}" if inner else None,
            label=3 if repeated else 1,
        )
