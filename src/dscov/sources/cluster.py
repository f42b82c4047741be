"""Reading a live cluster: in parallel, with the least data that answers, and with every refusal kept as "not seen".

Nodes and pods come as protobuf with only the needed fields, taken apart while they arrive; where they are few, or the
server answers in JSON, they come as JSON. The first reading may be a few seconds old (resourceVersion=0); see live.py
for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import msgspec

from dscov.errors import BadAccess, CouldNotLook
from dscov.kube.revisions import HASH_LABEL
from dscov.model.cluster import NotSeen
from dscov.sources import protobuf, wire
from dscov.sources.access.failures import Interrupted, said_by
from dscov.sources.access.transport import Stream, Transport
from dscov.sources.gather import Gathering
from dscov.sources.kinds import not_seen

#: Requests under way at once.
PARALLEL = 8
#: Objects in one page of a list that is read whole.
PAGE = "500"
#: Nodes or pods that are read as JSON; of more than these, all are read as protobuf.
FEW = "100"

#: From a few seconds ago will do: the server answers from memory.
CACHED = ("resourceVersion", "0")
#: Every pod that a DaemonSet's controller made carries this label; orphans that it would adopt do not.
MADE_BY_CONTROLLER = ("labelSelector", HASH_LABEL)

#: A server whose clock differs from ours by more than this is not believed.
BELIEVED = timedelta(days=1)

#: The reason of a list that no answer came to.
UNREACHABLE = "Unreachable"

Query = tuple[tuple[str, str], ...]


class Kind(NamedTuple):
    """Where the objects of a kind are; `shape` is set for those that are read as protobuf."""

    kind: str
    group: str
    plural: str
    namespaced: bool = True
    shape: type[wire.Wire] | None = None

    def path(self, namespace: str) -> str:
        """The path of its list."""
        root = f"/apis/{self.group}" if "/" in self.group else f"/api/{self.group}"
        return (
            f"{root}/namespaces/{namespace}/{self.plural}" if namespace and self.namespaced else f"{root}/{self.plural}"
        )


NODES: Kind = Kind("Node", "v1", "nodes", namespaced=False, shape=wire.Node)
PODS: Kind = Kind("Pod", "v1", "pods", shape=wire.Pod)
#: Pods as JSON, where the whole object is wanted.
WHOLE_PODS: Kind = PODS._replace(shape=None)
DAEMONSETS: Kind = Kind("DaemonSet", "apps/v1", "daemonsets")
REVISIONS: Kind = Kind("ControllerRevision", "apps/v1", "controllerrevisions")
EVENTS: Kind = Kind("Event", "v1", "events")
NAMESPACES: Kind = Kind("Namespace", "v1", "namespaces", namespaced=False)
QUOTAS: Kind = Kind("ResourceQuota", "v1", "resourcequotas")
PRIORITIES: Kind = Kind("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", namespaced=False)
RUNTIMES: Kind = Kind("RuntimeClass", "node.k8s.io/v1", "runtimeclasses", namespaced=False)
LEASES: Kind = Kind("Lease", "coordination.k8s.io/v1", "leases")
SCHEDULER: Kind = Kind("Scheduler", "config.openshift.io/v1", "schedulers", namespaced=False)


class Ask(NamedTuple):
    """One list to read. `namespace` empty: of all namespaces. `quiet`: that it is not served matters to nobody.

    `node` narrows pods down to those bound to that node; empty means those bound to none, None means all. What `adds`
    does not stand for what is known so far: a pod that it has no more may be bound by now.
    """

    kind: Kind
    namespace: str = ""
    query: Query = ()
    quiet: bool = False
    node: str | None = None
    adds: bool = False

    @property
    def parameters(self) -> Query:
        """All that follows the path."""
        return self.query if self.node is None else (*self.query, ("fieldSelector", f"spec.nodeName={self.node}"))

    def page(self, token: str, *, few: bool) -> Query:
        """What asks for the page that `token` continues with; with `few`, for the first FEW objects of this moment.

        Of what a server has in memory it gives no pages.
        """
        if few:
            return (*(pair for pair in self.parameters if pair != CACHED), ("limit", FEW))
        limit = () if CACHED in self.query else (("limit", PAGE),)
        return (*self.parameters, *limit, *((("continue", token),) if token else ()))

    def renews(self, noun: Any) -> bool:
        """Whether the answer stands for what is known of `noun` so far; events and the like only add up."""
        if self.adds or self.kind.kind not in {"Node", "Pod", "DaemonSet"}:
            return False
        return self.node is None or noun.node_name == self.node


class Answer(NamedTuple):
    """What came of an Ask: the whole list, or why there is none."""

    ask: Ask
    found: Gathering
    refusal: NotSeen | None = None


class Server(NamedTuple):
    """What a server says of itself: its version (empty where it does not say), and how far its clock is ahead of ours."""

    version: str = ""
    ahead: timedelta = timedelta()


@contextmanager
def at_once(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads that nobody waits for once something is wrong: an interrupt must not wait for any answer."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="read")
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class Reader:
    """Reads lists into a Gathering, several at once."""

    def __init__(self, transport: Transport, progress: Callable[[str], None]) -> None:
        self._transport = transport
        self._progress = progress

    def read(self, asks: Sequence[Ask]) -> list[Answer]:
        """Read all lists; BadAccess where the identity itself is refused, else refusals are in the answers."""
        with at_once(PARALLEL) as pool:
            return list(pool.map(self._one, asks))

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
        while True:
            accept = protobuf.ACCEPT if ask.kind.shape and not few else "application/json"
            path = ask.kind.path(ask.namespace)
            with self._transport.stream(path, query=ask.page(token, few=few), accept=accept) as answer:
                if answer.status == 410 and token and not restarted:
                    found, token, restarted = Gathering(), "", True
                    continue
                if answer.status != 200:
                    return _refusal(ask, answer)
                before, token = token, _take(found, ask, answer)
                if token and token == before:
                    raise msgspec.DecodeError("its pages never end: the same continue token came twice")
            if few and token:
                found, token, few = Gathering(), "", False
                continue
            self._progress(f"{len(found.found[ask.kind.kind])} {ask.kind.plural}")
            if not token:
                found.kinds_seen.add(ask.kind.kind)
                return Answer(ask, found)


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


def first(namespace: str) -> list[Ask]:
    """The lists that every answer rests on."""
    return [
        Ask(PODS, namespace, (MADE_BY_CONTROLLER, CACHED)),
        Ask(NODES, query=(CACHED,)),
        Ask(DAEMONSETS, namespace, (CACHED,)),
        Ask(REVISIONS, namespace, (CACHED,)),
    ]


def unbound(namespace: str) -> Ask:
    """The pods of DaemonSets that are bound to no node: whole, and of this moment."""
    return Ask(WHOLE_PODS, namespace, (MADE_BY_CONTROLLER,), node="")


def pods_on(namespace: str, nodes: Iterable[str]) -> list[Ask]:
    """All pods on these nodes: whole, and of this moment."""
    return [Ask(WHOLE_PODS, namespace, node=node) for node in nodes]


def all_pods(namespace: str) -> Ask:
    """All pods that DaemonSets made, of this moment."""
    return Ask(PODS, namespace, (MADE_BY_CONTROLLER,))


def wanted(namespace: str) -> list[Ask]:
    """What says where pods are wanted: nodes and DaemonSets, of this moment."""
    return [Ask(NODES), Ask(DAEMONSETS, namespace)]


def reasons(namespace: str) -> list[Ask]:
    """What the causes need beside nodes and pods, where something is wrong: troubles, and what undoes them."""
    return [
        Ask(EVENTS, namespace, (("fieldSelector", "type=Warning"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=DaemonSet,reason=SuccessfulCreate"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=Pod,reason=Preempted"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=Pod,reason=Pulling"), CACHED)),
        Ask(NAMESPACES, query=(CACHED,), quiet=True),
        Ask(QUOTAS, namespace, (CACHED,), quiet=True),
        Ask(PRIORITIES, query=(CACHED,), quiet=True),
        Ask(RUNTIMES, query=(CACHED,), quiet=True),
        Ask(LEASES, "kube-system", (CACHED,), quiet=True),
    ]


def everything() -> list[Ask]:
    """Every list that a reading of a whole cluster may ask for: what a user must be allowed to see all."""
    lists = [*first(""), unbound(""), all_pods(""), *wanted(""), *reasons("")]
    return [*lists, Ask(SCHEDULER, quiet=True)]
