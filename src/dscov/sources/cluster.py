"""Reading a live cluster: in parallel, with the least data that answers, and with every refusal kept as "not seen".

Nodes and pods come as protobuf with only the needed fields, taken apart while they arrive; from a server that answers in
JSON they come as JSON. The first reading may be a few seconds old (resourceVersion=0); see live.py for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec

from dscov.errors import BadAccess, CouldNotLook
from dscov.kube.revisions import HASH_LABEL
from dscov.model.cluster import NotSeen
from dscov.sources import protobuf, wire
from dscov.sources.access.transport import Stream, Transport
from dscov.sources.gather import Gathering, not_seen

#: Requests under way at once.
PARALLEL = 8
#: Objects in one page of a list that is read whole.
PAGE = "500"

#: From a few seconds ago will do: the server answers from memory.
CACHED = ("resourceVersion", "0")
#: Every pod that a DaemonSet's controller made carries this label; orphans that it would adopt do not.
MADE_BY_CONTROLLER = ("labelSelector", HASH_LABEL)

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


NODES = Kind("Node", "v1", "nodes", namespaced=False, shape=wire.Node)
PODS = Kind("Pod", "v1", "pods", shape=wire.Pod)
#: Pods as JSON, where the whole object is wanted.
WHOLE_PODS = PODS._replace(shape=None)
DAEMONSETS = Kind("DaemonSet", "apps/v1", "daemonsets")
REVISIONS = Kind("ControllerRevision", "apps/v1", "controllerrevisions")
EVENTS = Kind("Event", "v1", "events")
NAMESPACES = Kind("Namespace", "v1", "namespaces", namespaced=False)
QUOTAS = Kind("ResourceQuota", "v1", "resourcequotas")
PRIORITIES = Kind("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", namespaced=False)
RUNTIMES = Kind("RuntimeClass", "node.k8s.io/v1", "runtimeclasses", namespaced=False)
LEASES = Kind("Lease", "coordination.k8s.io/v1", "leases")
SCHEDULER = Kind("Scheduler", "config.openshift.io/v1", "schedulers", namespaced=False)


class Ask(NamedTuple):
    """One list to read. `namespace` empty: of all namespaces. `quiet`: that it cannot be read matters to nobody."""

    kind: Kind
    namespace: str = ""
    query: Query = ()
    quiet: bool = False


class Answer(NamedTuple):
    """What came of an Ask: a refusal, or nothing to say."""

    ask: Ask
    refusal: NotSeen | None = None


class Reader:
    """Reads lists into a Gathering, several at once."""

    def __init__(self, transport: Transport, progress: Callable[[str], None]) -> None:
        self._transport = transport
        self._progress = progress

    def read(self, into: Gathering, asks: Sequence[Ask]) -> list[Answer]:
        """Read all lists; BadAccess where the identity itself is refused, else refusals are in the answers."""
        with ThreadPoolExecutor(PARALLEL, thread_name_prefix="read") as pool:
            return list(pool.map(lambda ask: self._one(into, ask), asks))

    def version(self) -> str:
        """The server's version as it says it, empty where it does not say."""
        try:
            answer = self._transport.get("/version")
            return str(msgspec.json.decode(answer.body, type=dict[str, Any]).get("gitVersion") or "")
        except BadAccess:
            raise
        except (CouldNotLook, msgspec.DecodeError):
            return ""

    def _one(self, into: Gathering, ask: Ask) -> Answer:
        try:
            return self._pages(into, ask)
        except BadAccess:
            raise
        except CouldNotLook as problem:
            return Answer(ask, _refused(ask, UNREACHABLE, str(problem)))
        except (msgspec.DecodeError, RecursionError) as problem:
            return Answer(ask, _refused(ask, "Malformed", f"the server's answer: {problem}"))

    def _pages(self, into: Gathering, ask: Ask) -> Answer:
        """Page after page; from the start again, once, where the server has forgotten the place (410)."""
        cached = CACHED in ask.query
        page = () if cached else (("limit", PAGE),)
        token, restarted = "", False
        while True:
            query = (*ask.query, *page, *((("continue", token),) if token else ()))
            accept = protobuf.ACCEPT if ask.kind.shape else "application/json"
            with self._transport.stream(ask.kind.path(ask.namespace), query=query, accept=accept) as answer:
                if answer.status == 410 and token and not restarted:
                    token, restarted = "", True
                    continue
                if answer.status != 200:
                    return Answer(ask, _refusal(ask, answer))
                token = self._take(into, ask, answer)
            if not token:
                into.kinds_seen.add(ask.kind.kind)
                return Answer(ask)
            self._progress(ask.kind.plural)

    def _take(self, into: Gathering, ask: Ask, answer: Stream) -> str:
        """Take one page; the token of the next, or empty."""
        if ask.kind.shape and protobuf.CONTENT_TYPE in answer.headers.get("Content-Type", ""):
            members = protobuf.Members(answer.chunks)
            decoder = protobuf.Decoder(ask.kind.shape)
            for raw in members:
                into.take(ask.kind.kind, decoder.decode(raw))
            return members.token
        text = b"".join(answer.chunks)
        into.document(text, f"{ask.kind.plural} from the server", kind=ask.kind.kind)
        meta = msgspec.json.decode(text, type=_List).metadata
        return (meta.token if meta else None) or ""


class _ListMeta(wire.Wire):
    token: str | None = msgspec.field(default=None, name="continue")


class _List(wire.Wire):
    metadata: _ListMeta | None = None


def _refusal(ask: Ask, answer: Stream) -> NotSeen | None:
    """What a status other than 200 means."""
    if ask.quiet and answer.status == 404:
        return None
    body = b"".join(answer.chunks)
    try:
        status = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        status = {}
    reason, message = status.get("reason"), status.get("message")
    return _refused(ask, str(reason or f"HTTP {answer.status}"), str(message or ""))


def _refused(ask: Ask, reason: str, detail: str) -> NotSeen:
    where = not_seen(ask.kind.kind, verb="list", reason=reason, detail=detail)
    return msgspec.structs.replace(where, resource=f"{where.resource} in {ask.namespace}") if ask.namespace else where


def first(namespace: str) -> list[Ask]:
    """The lists that every answer rests on."""
    return [
        Ask(PODS, namespace, (MADE_BY_CONTROLLER, CACHED)),
        Ask(NODES, query=(CACHED,)),
        Ask(DAEMONSETS, namespace, (CACHED,)),
        Ask(REVISIONS, namespace, (CACHED,)),
    ]


def second(namespace: str, nodes: Iterable[str]) -> list[Ask]:
    """The pods of DaemonSets that are bound to no node, and all pods on these nodes: whole, and of this moment."""
    return [
        Ask(WHOLE_PODS, namespace, (MADE_BY_CONTROLLER, ("fieldSelector", "spec.nodeName="))),
        *(Ask(WHOLE_PODS, namespace, (("fieldSelector", f"spec.nodeName={node}"),)) for node in nodes),
    ]


def reasons(namespace: str) -> list[Ask]:
    """What the causes need beside nodes and pods, where something is wrong."""
    return [
        Ask(EVENTS, namespace, (("fieldSelector", "type=Warning"), CACHED)),
        Ask(NAMESPACES, query=(CACHED,), quiet=True),
        Ask(QUOTAS, namespace, (CACHED,), quiet=True),
        Ask(PRIORITIES, query=(CACHED,), quiet=True),
        Ask(RUNTIMES, query=(CACHED,), quiet=True),
        Ask(LEASES, "kube-system", (CACHED,), quiet=True),
    ]
