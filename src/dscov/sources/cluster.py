"""Reading a live cluster: in parallel, with the least data that answers, and with every refusal kept as "not seen".

Nodes and pods come as protobuf with only the needed fields, taken apart while they arrive; where they are few, or the
server answers in JSON, they come as JSON. The first reading may be a few seconds old (resourceVersion=0); see live.py
for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeVar

import msgspec

from dscov.errors import BadAccess, CouldNotLook
from dscov.model.cluster import NotSeen
from dscov.sources import protobuf, wire
from dscov.sources.access.failures import Interrupted, said_by
from dscov.sources.access.model import Access
from dscov.sources.access.transport import Stream, Transport
from dscov.sources.asks import Ask
from dscov.sources.gather import Gathering
from dscov.sources.kinds import not_seen

T = TypeVar("T")

#: Requests under way at once.
PARALLEL = 8
#: So many pages in a row may bring nothing new; whoever sends more never ends.
EMPTY_PAGES = 20
#: A server whose clock differs from ours by more than this is not believed.
BELIEVED = timedelta(days=1)

#: The reason of a list that no answer came to.
UNREACHABLE = "Unreachable"


class Answer(NamedTuple):
    """What came of an Ask: the whole list, or why there is none."""

    ask: Ask
    found: Gathering
    refusal: NotSeen | None = None


class Server(NamedTuple):
    """What a server says of itself: its version (empty where it does not say), and how far its clock is ahead of ours."""

    version: str = ""
    ahead: timedelta = timedelta()


class Reader:
    """Reads lists into a Gathering, as many at once as `pool` has threads."""

    def __init__(self, transport: Transport, pool: ThreadPoolExecutor, progress: Callable[[str], None]) -> None:
        self._transport = transport
        self._pool = pool
        self._progress = progress

    def read(self, asks: Sequence[Ask]) -> list[Answer]:
        """Read all lists; BadAccess where the identity itself is refused, else refusals are in the answers."""
        return list(self._pool.map(self._one, asks))

    def beside(self, work: Callable[[], T]) -> Future[T]:
        """Do `work` while lists are read."""
        return self._pool.submit(work)

    def about(self) -> Server:
        """What the server says of itself, nothing where it does not answer."""
        try:
            answer = self._transport.get("/version")
        except BadAccess:
            raise
        except CouldNotLook:
            return Server()
        try:
            told: Any = msgspec.json.decode(answer.body)
        except (msgspec.DecodeError, RecursionError):
            told = None
        version = told.get("gitVersion") if isinstance(told, dict) else None
        return Server(version if isinstance(version, str) else "", _ahead(answer.headers.get("Date", "")))

    def _one(self, ask: Ask) -> Answer:
        """The list, read anew once where the connection broke in the middle of it."""
        try:
            try:
                return self._pages(ask)
            except Interrupted:
                return self._pages(ask)
        except BadAccess:
            raise
        except CouldNotLook as problem:
            return _without(ask, UNREACHABLE, str(problem))
        except (msgspec.DecodeError, RecursionError) as problem:
            return _without(ask, "Malformed", f"the server's answer: {problem}")

    def _pages(self, ask: Ask) -> Answer:
        """Page after page; from the start again, once, where the server has forgotten the place (410).

        Of nodes and pods a few are asked for as JSON first: in a small cluster they are all, and there the library that
        reads protobuf takes longer to load than it saves.
        """
        found, token, restarted, few = Gathering(), "", False, ask.kind.shape is not None
        empty = 0
        while True:
            accept = protobuf.ACCEPT if ask.kind.shape and not few else "application/json"
            path = ask.kind.path(ask.namespace)
            with self._transport.stream(path, query=ask.page(token, few=few), accept=accept) as answer:
                if answer.status == 410 and token and not restarted:
                    found, token, restarted = Gathering(), "", True
                    continue
                if answer.status != 200:
                    return _refusal(ask, answer)
                before, known = token, len(found.found[ask.kind.kind])
                token = _take(found, ask, answer)
                empty = 0 if len(found.found[ask.kind.kind]) > known else empty + 1
                if token and (token == before or empty > EMPTY_PAGES):
                    raise msgspec.DecodeError(
                        "its pages never end: the same token, or nothing new, came again and again"
                    )
            if few and token:
                found, token, few = Gathering(), "", False
                continue
            self._progress(f"{len(found.found[ask.kind.kind])} {ask.kind.plural}")
            if not token:
                found.kinds_seen.add(ask.kind.kind)
                return Answer(ask, found)


@contextmanager
def reader(access: Access, progress: Callable[[str], None]) -> Iterator[Reader]:
    """A Reader of what `access` leads to; once something is wrong nobody waits for any answer, an interrupt above all."""
    with Transport(access) as transport:
        pool = ThreadPoolExecutor(PARALLEL, thread_name_prefix="read")
        try:
            yield Reader(transport, pool, progress)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()


def _take(into: Gathering, ask: Ask, answer: Stream) -> str:
    """Take one page; the token of the next, or empty."""
    if ask.kind.shape and protobuf.CONTENT_TYPE in answer.headers.get("Content-Type", ""):
        members = protobuf.Members(answer.chunks)
        decoder = protobuf.Decoder(ask.kind.shape)
        for raw in members:
            into.take(ask.kind.kind, decoder.decode(raw))
        return members.token
    text = b"".join(answer.chunks)
    page = msgspec.json.decode(text, type=_List)
    if page.kind != f"{ask.kind.kind}List":
        raise msgspec.DecodeError(f"{page.kind or 'something'} instead of a list of {ask.kind.plural}")
    into.document(text, f"{ask.kind.plural} from the server", kind=ask.kind.kind)
    return (page.metadata.token if page.metadata else None) or ""


class _ListMeta(wire.Wire):
    token: str | None = msgspec.field(default=None, name="continue")


class _List(wire.Wire):
    kind: str | None = None
    metadata: _ListMeta | None = None


def _ahead(date: str) -> timedelta:
    """How far a server that sends this Date, of whole seconds, is ahead of our clock."""
    try:
        ahead = parsedate_to_datetime(date) - datetime.now(UTC)
        return ahead if abs(ahead) < BELIEVED else timedelta()
    except (ValueError, TypeError, OverflowError):
        return timedelta()


def _refusal(ask: Ask, answer: Stream) -> Answer:
    """What a status other than 200 means."""
    if ask.quiet and answer.status == 404:
        return Answer(ask, Gathering())
    body = b"".join(answer.chunks)
    reason: object
    message: object
    try:
        if body.startswith(protobuf.MAGIC):
            reason, message = protobuf.read_status(body)
        else:
            status = msgspec.json.decode(body, type=dict[str, Any])
            reason, message = str(status.get("reason") or ""), str(status.get("message") or "")
    except (msgspec.DecodeError, RecursionError):
        reason = message = ""
    return _without(
        ask, str(reason) or f"HTTP {answer.status}", str(message) or said_by(answer.status, answer.headers, body)
    )


def _without(ask: Ask, reason: str, detail: str) -> Answer:
    """No list, and why."""
    where = not_seen(ask.kind.kind, verb="list", reason=reason, detail=detail)
    if ask.namespace:
        where = msgspec.structs.replace(where, resource=f"{where.resource} in {ask.namespace}")
    return Answer(ask, Gathering(), where)
