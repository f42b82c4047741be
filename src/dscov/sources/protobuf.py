"""The API's protobuf answers: lists taken apart while they arrive, objects decoded with only the fields that are read.

An answer is the four bytes `k8s\\0`, then a message Unknown whose field 2 holds the list (runtime/generated.proto).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec

from dscov.sources import wire
from dscov.sources.protobuf_fields import FIELDS, ListMeta, Status, message_class

ACCEPT = "application/vnd.kubernetes.protobuf,application/json"
CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"


class Decoder:
    """Decodes one kind of object from its protobuf form. Of a bound pod that is ready, only what tells that it is."""

    def __init__(self, shape: type[wire.Wire]) -> None:
        self._parse = message_class(shape).FromString
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
    told = wire.PodStatus(
        status.phase, _readable(status.reason), _readable(status.message), [_reader(wire.Condition)(ready)]
    )
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
def _reader(shape: type[wire.Wire]) -> Callable[[Any], Any]:
    """From a parsed message to the shape; an absent field is None."""
    plan = [(name, _getter(name, kind, inner)) for name, (_, kind, inner) in FIELDS[shape].items()]
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
        case "text":
            return lambda message: _readable(getattr(message, name))
        case _:
            return lambda message: getattr(message, name)


def _readable(text: str | bytes) -> str:
    """The text; bytes that are no UTF-8, which a container's last words may hold, come as such and get signs for them."""
    return text if isinstance(text, str) else text.decode(errors="replace")


def _time(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError) as problem:
        raise msgspec.DecodeError(f"not a time: {seconds}") from problem
