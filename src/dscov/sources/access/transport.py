"""Requests to one API server as one identity: authenticated, pooled, compressed, retried within bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec

from dscov.sources.access.credentials import Credentials, Proof, credentials_of
from dscov.sources.access.failures import Interrupted, broke_off, failure, refused
from dscov.sources.access.model import Access
from dscov.sources.access.pools import common_headers, open_pool, through_forward_proxy

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPHeaderDict

Query = Mapping[str, str] | Iterable[tuple[str, str]]

#: A request is tried so many times in all; no single wait is longer than so many seconds.
ATTEMPTS, LONGEST_WAIT = 5, 30.0
CHUNK = 1 << 16


class Response(NamedTuple):
    """A whole answer; `headers` are looked up without regard to case, `body` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stream(NamedTuple):
    """An answer that is still coming; `chunks` yields it decompressed, in pieces of about 64 KiB."""

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


class _Request(NamedTuple):
    """What to ask: `target` is the path with its query, from the server's own root."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None = None


class Transport:
    """A pool of connections to the server of an Access, which threads may share. A context manager; else close it.

    Every method returns the server's answer whatever its status (403, 404 and 410 are facts for the caller), except
    401, which raises BadAccess. What prevents an answer raises CouldNotLook.
    """

    def __init__(
        self, access: Access, *, environ: Mapping[str, str] | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.access = access
        self._credentials = (
            credentials_of(access.identity) if environ is None else Credentials(access.identity, environ)
        )
        self._sleep = sleep
        self._lock = Lock()
        self._pool: HTTPConnectionPool | None = None
        self._certificate: tuple[bytes, bytes] = (b"", b"")

    def __enter__(self) -> Transport:
        """The transport itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        with self._lock:
            if self._pool:
                self._pool.close()
            self._pool = None

    def get(self, path: str, *, query: Query = (), accept: str = "application/json") -> Response:
        """GET `path` (quoted, from the server's root) and read the whole answer, once more if it broke off."""
        request = _Request("GET", _target(path, query), {"Accept": accept})
        try:
            return self._whole(request)
        except Interrupted:
            return self._whole(request)

    @contextmanager
    def stream(self, path: str, *, query: Query = (), accept: str = "application/json") -> Iterator[Stream]:
        """GET `path` and hand over the answer while it is coming; what nobody reads of it is thrown away."""
        deadline = self._deadline()
        answer = self._exchange(_Request("GET", _target(path, query), {"Accept": accept}))
        try:
            yield Stream(answer.status, answer.headers, self._chunks(answer, deadline))
        finally:
            answer.close()

    def patch(self, path: str, body: bytes, *, query: Query = (), content_type: str) -> Response:
        """PATCH `path`; tried again only where the server put it off (429), never where it may have been done."""
        headers = {"Accept": "application/json", "Content-Type": content_type}
        return self._whole(_Request("PATCH", _target(path, query), headers, body))

    def _whole(self, request: _Request) -> Response:
        """The whole answer to a request."""
        deadline = self._deadline()
        answer = self._exchange(request)
        return Response(answer.status, answer.headers, b"".join(self._chunks(answer, deadline)))

    def _exchange(self, request: _Request) -> BaseHTTPResponse:
        """The answer to a request with its body unread, after as many attempts as it takes and is allowed."""
        from urllib3.exceptions import HTTPError

        renewed = False
        for attempt in range(1, ATTEMPTS + 1):
            proof = self._credentials.proof()
            try:
                answer = self._send(request, proof)
            except (HTTPError, OSError) as error:
                if attempt == ATTEMPTS or request.method != "GET" or not broke_off(error):
                    raise failure(error, self.access) from None
                self._sleep(0.1 * 2**attempt)
                continue
            if answer.status == 401:
                said = _status_message(b"".join(self._chunks(answer, self._deadline())))
                if renewed or not self._credentials.renewed(proof):
                    raise refused(self.access, said)
                renewed = True
                continue
            wait = _asked_to_wait(answer, request.method)
            if wait is None or attempt == ATTEMPTS:
                return answer
            answer.drain_conn()
            self._sleep(wait)
        raise refused(self.access, "")

    def _send(self, request: _Request, proof: Proof) -> BaseHTTPResponse:
        """Send one request and return once the headers of the answer are there."""
        path = f"{urlsplit(self.access.server).path}{request.target}"
        if through_forward_proxy(self.access):
            path = f"{self.access.server}{request.target}"
        return self._pool_for(proof).urlopen(
            request.method,
            path,
            body=request.body,
            headers=self._headers(request, proof),
            redirect=False,
            assert_same_host=False,
            preload_content=False,
        )

    def _headers(self, request: _Request, proof: Proof) -> HTTPHeaderDict:
        """All headers of one request."""
        headers = common_headers(self.access)
        headers.extend(request.headers)
        if proof.authorization:
            headers.add("Authorization", proof.authorization)
        return headers

    def _pool_for(self, proof: Proof) -> HTTPConnectionPool:
        """The pool, made anew where the client certificate has changed."""
        from dscov.sources.access.tls import context_for

        certificate = proof.certificate, proof.key
        with self._lock:
            if self._pool is None or certificate != self._certificate:
                secure = self.access.server.startswith("https:") or self.access.proxy.startswith("https:")
                context = context_for(self.access.tls, *certificate) if secure else None
                if self._pool:
                    self._pool.close()
                self._pool, self._certificate = open_pool(self.access, context), certificate
            return self._pool

    def _chunks(self, answer: BaseHTTPResponse, deadline: float) -> Iterator[bytes]:
        """The body, decompressed, piece by piece."""
        from urllib3.exceptions import HTTPError

        try:
            for chunk in answer.stream(CHUNK, decode_content=True):
                yield chunk
                if time.monotonic() > deadline:
                    raise TimeoutError
        except (HTTPError, OSError) as error:
            answer.close()
            said = failure(error, self.access)
            raise (Interrupted(str(said)) if broke_off(error) else said) from None

    def _deadline(self) -> float:
        """The moment, on the monotonic clock, at which --request-timeout ends a request that starts now."""
        return time.monotonic() + self.access.timeout if self.access.timeout else float("inf")


def _target(path: str, query: Query) -> str:
    """A path with its query."""
    pairs = list(query.items()) if isinstance(query, Mapping) else list(query)
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _asked_to_wait(answer: BaseHTTPResponse, method: str) -> float | None:
    """The seconds after which a busy server wants to be asked again; None where it does not say, or may have acted."""
    after = answer.headers.get("Retry-After", "")
    busy = answer.status == 429 or (answer.status >= 500 and method == "GET")
    if not busy or not after.isdecimal():
        return None
    return min(float(after), LONGEST_WAIT)


def _status_message(body: bytes) -> str:
    """The message of a Kubernetes Status, or ""."""
    try:
        message = msgspec.json.decode(body, type=dict[str, object]).get("message")
    except (msgspec.DecodeError, RecursionError):
        return ""
    return message if isinstance(message, str) else ""
