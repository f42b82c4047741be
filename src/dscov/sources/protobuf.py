"""The API's protobuf answers: lists taken apart while they arrive, objects decoded with only the fields that are read.

Field numbers: generated.proto of k8s.io/api core/v1 and k8s.io/apimachinery pkg/apis/meta/v1, v0.37.2 (numbers never
change). An answer is the four bytes `k8s\\0`, then a message Unknown whose field 2 holds the list (runtime/generated.proto).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from dscov.sources import wire

ACCEPT = "application/vnd.kubernetes.protobuf,application/json"
CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"

_TEXT, _FLAG, _INT, _TIME, _TEXTS, _MAP, _QUANTITIES = "text", "flag", "int", "time", "texts", "map", "quantities"
_ONE, _MANY = "one", "many"

#: shape -> field -> (number, kind, the shape of what is inside).
_FIELDS: dict[type[wire.Wire], dict[str, tuple[int, str, type[wire.Wire] | None]]] = {
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


_FIELDS |= {
    wire.State: {
        "waiting": (1, _ONE, Waiting),
        "running": (2, _ONE, Running),
        "terminated": (3, _ONE, wire.Ended),
    },
    Waiting: {"reason": (1, _TEXT, None), "message": (2, _TEXT, None)},
    Running: {},
    wire.Ended: {"exit_code": (1, _INT, None), "reason": (3, _TEXT, None), "message": (4, _TEXT, None)},
}


class Decoder:
    """Decodes one kind of object from its protobuf form. Of a bound pod that is ready, only what tells that it is."""

    def __init__(self, shape: type[wire.Wire]) -> None:
        self._parse = _message_class(shape).FromString
        self._read = _lean_pod if shape is wire.Pod else _reader(shape)

    def decode(self, text: bytes) -> Any:
        """The object; msgspec.DecodeError where the bytes are no such message."""
        from google.protobuf.message import DecodeError

        try:
            return self._read(self._parse(text))
        except (DecodeError, UnicodeDecodeError) as problem:
            raise msgspec.DecodeError(f"not a protobuf message: {problem}") from problem


def _lean_pod(message: Any) -> wire.Pod:
    """Reading is most of the work, and nobody asks for more of a pod that is ready: see decode.pod."""
    spec, status = message.spec, message.status
    ready = next((condition for condition in status.conditions if condition.type == "Ready"), None)
    if ready is None or ready.status != "True" or not spec.node_name:
        whole: wire.Pod = _reader(wire.Pod)(message)
        return whole
    told = wire.PodStatus(status.phase, status.reason, status.message, [_reader(wire.Condition)(ready)])
    return wire.Pod(_reader(wire.Meta)(message.metadata), wire.PodSpec(spec.node_name), told)


def read_status(body: bytes) -> tuple[str, str]:
    """Reason and message of a Status, with which a server answers that will not give what was asked for."""
    source = _Bytes(iter((body,)))
    if source.take(len(MAGIC)) != MAGIC:
        raise msgspec.DecodeError("not a protobuf answer of Kubernetes")
    while not source.ended():
        tag, raw = source.varint(), source.take(source.varint())
        if tag == _RAW:
            told = Decoder(Status).decode(raw)
            return told.reason, told.message
    return "", ""


class Members:
    """The objects of a list, each as its own bytes, while the answer is still coming; `token` is set at the end."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._source = _Bytes(iter(chunks))
        #: What to continue with, empty where the list is whole.
        self.token = ""

    def __iter__(self) -> Iterator[bytes]:
        """Go through the objects; msgspec.DecodeError where the answer is no list, or ends early."""
        source = self._source
        if source.take(len(MAGIC)) != MAGIC:
            raise msgspec.DecodeError("not a protobuf answer of Kubernetes")
        whole = False
        while not source.ended():
            tag, size = source.varint(), source.varint()
            if tag != _RAW:
                source.take(size)
                continue
            whole, end = True, source.at + size
            while source.at < end:
                tag, body = source.varint(), source.take(source.varint())
                if tag == _ITEM:
                    yield body
                elif tag == _LIST_META:
                    self.token = Decoder(ListMeta).decode(body).token
            if source.at != end:
                raise msgspec.DecodeError("the protobuf answer holds a list that is longer than it says")
        if not whole:
            raise msgspec.DecodeError("the protobuf answer holds no list")


# A tag is the number of a field and its wire type; all fields here are of type 2, bytes behind their length.
_RAW, _LIST_META, _ITEM = 2 << 3 | 2, 1 << 3 | 2, 2 << 3 | 2


class ListMeta(wire.Wire):
    """The metadata of a list."""

    token: str | None = None


class Status(wire.Wire):
    """Why there is no answer."""

    message: str | None = None
    reason: str | None = None


_FIELDS |= {ListMeta: {"token": (3, _TEXT, None)}, Status: {"message": (3, _TEXT, None), "reason": (4, _TEXT, None)}}


class _Bytes:
    """A stream of chunks to take from; `at` counts what was taken."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""
        self._start = 0
        self.at = 0

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        while len(self._buffer) - self._start < size:
            if not self._more():
                raise msgspec.DecodeError("the protobuf answer ends early")
        self._start += size
        self.at += size
        return self._buffer[self._start - size : self._start]

    def varint(self) -> int:
        """The next number, in groups of seven bits, the lowest first."""
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7
            if shift > 63:
                raise msgspec.DecodeError("the protobuf answer holds a number that is too long")

    def ended(self) -> bool:
        """Whether nothing is left."""
        return len(self._buffer) == self._start and not self._more()

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._buffer = self._buffer[self._start :] + chunk
        self._start = 0
        return True


@cache
def _message_class(shape: type[wire.Wire]) -> Any:
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
    for shape, fields in _FIELDS.items():
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


@cache
def _reader(shape: type[wire.Wire]) -> Callable[[Any], Any]:
    """From a parsed message to the shape; an absent field is None."""
    plan = [(name, _getter(name, kind, inner)) for name, (_, kind, inner) in _FIELDS[shape].items()]
    target = wire.Ended if issubclass(shape, wire.Ended) else shape

    def read(message: Any) -> Any:
        return target(**{name: get(message) for name, get in plan})

    return read


def _getter(name: str, kind: str, inner: type[wire.Wire] | None) -> Callable[[Any], Any]:
    match kind:
        case "one":
            one = _reader(inner or wire.Wire)
            return lambda message: one(getattr(message, name)) if message.HasField(name) else None
        case "many":
            many = _reader(inner or wire.Wire)
            return lambda message: [many(each) for each in getattr(message, name)]
        case "time":
            return lambda message: _time(getattr(message, name).seconds) if message.HasField(name) else None
        case "texts":
            return lambda message: list(getattr(message, name))
        case "map":
            return lambda message: {entry.key: entry.value for entry in getattr(message, name)}
        case "quantities":
            return lambda message: {entry.key: entry.value.string for entry in getattr(message, name)}
        case _:
            return lambda message: getattr(message, name)


def _time(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError) as problem:
        raise msgspec.DecodeError(f"not a time: {seconds}") from problem
