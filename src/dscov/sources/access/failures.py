"""What went wrong on the way to the server, in the words of a person, never holding credentials."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access.model import Access

CERTIFICATE_PROBLEMS = {
    2: "it is signed by an unknown authority",
    9: "it is not valid yet; is the clock right?",
    10: "it has expired",
    18: "it is self-signed and not trusted",
    19: "it is signed by an unknown authority",
    20: "it is signed by an unknown authority",
    21: "it is signed by an unknown authority",
    23: "it has been revoked",
    62: "it is for another name",
    64: "it is for another IP address",
}


class Interrupted(CouldNotLook):
    """The answer had begun and broke off."""


def broke_off(error: Exception) -> bool:
    """Whether the connection was there and was cut, so that the same request may succeed on a new one."""
    from urllib3.exceptions import NewConnectionError, ProtocolError

    chain = _chain(error)
    if any(isinstance(cause, NewConnectionError) for cause in chain):
        return False
    return any(isinstance(cause, ProtocolError | ConnectionResetError | BrokenPipeError) for cause in chain)


def failure(error: Exception, access: Access) -> CouldNotLook:
    """The error to raise for an exception of urllib3, ssl or the socket."""
    from urllib3 import exceptions as http

    server = urlsplit(access.server).netloc
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return CouldNotLook(_certificate(cause, access))
    for cause in chain:
        if isinstance(cause, http.ProxyError):
            return CouldNotLook(f"cannot reach the server {server} through the proxy {_proxy(access)}")
        if isinstance(cause, ssl.SSLError):
            return CouldNotLook(f"no TLS connection with the server {server}: {_tls(cause)}")
    return CouldNotLook(_connection(chain, access, server))


def refused(access: Access, said: str) -> BadAccess:
    """The error for a 401; `said` is the server's message."""
    who = f" as user {access.user!r}" if access.user else ""
    answer = f" ({said})" if said else ""
    return BadAccess(
        f"you must be logged in to the server{answer}: it does not accept the credentials sent{who}; "
        "renew them, or choose others with --context, --user or --token"
    )


def said_by(status: int, headers: Mapping[str, str], body: bytes) -> str:
    """What a server, or a proxy before it, means by a status that comes without the API's own words."""
    if 300 <= status < 400:
        return f"the server redirects{_whither(headers.get('Location', ''))}"
    if "text/plain" in headers.get("Content-Type", "") and body.strip():
        return body.decode(errors="replace").strip().splitlines()[0][:200]
    phrases = {known.value: known.phrase for known in HTTPStatus}
    return f"the server says {phrases.get(status, f'HTTP {status}')}"


def _whither(location: str) -> str:
    """Where a redirect leads, without path and query, which may hold credentials."""
    try:
        to = urlsplit(location)
        return f" to {to.scheme}://{to.hostname}" if to.scheme and to.hostname else ""
    except ValueError:
        return ""


def _connection(chain: list[BaseException], access: Access, server: str) -> str:
    """The sentence for a connection that did not come about, broke, or took too long."""
    from urllib3 import exceptions as http

    if any(isinstance(cause, http.NameResolutionError) for cause in chain):
        return f"the name of the server {server} cannot be resolved"
    if any(isinstance(cause, ConnectionRefusedError) for cause in chain):
        return f"the connection to the server {server} was refused - {_remedy(access)}"
    if any(isinstance(cause, http.TimeoutError | TimeoutError) for cause in chain):
        limit = f" within {access.timeout:g}s (--request-timeout)" if access.timeout else " in time"
        return f"the server {server} did not answer{limit}"
    if any(isinstance(cause, http.DecodeError) for cause in chain):
        return f"the server {server} sent an answer that cannot be decompressed"
    problem = next((cause.strerror for cause in reversed(chain) if isinstance(cause, OSError) and cause.strerror), "")
    return f"the connection to the server {server} broke" + (f": {problem}" if problem else "")


def _remedy(access: Access) -> str:
    """What a refused connection suggests; without any configuration that is the lack of it."""
    if access.origin or access.context:
        return "did you specify the right host or port?"
    return "no kubeconfig was found: set KUBECONFIG or --kubeconfig, or read a saved cluster with --from"


def _certificate(error: ssl.SSLCertVerificationError, access: Access) -> str:
    """The sentence for a server's certificate that does not hold."""
    problem = CERTIFICATE_PROBLEMS.get(error.verify_code, error.verify_message or "it cannot be verified")
    name = access.tls.server_name or urlsplit(access.server).hostname
    expected = f" than {name}" if error.verify_code in {62, 64} else ""
    return (
        f"the certificate of the server {urlsplit(access.server).netloc} cannot be trusted: {problem}{expected}; "
        "check certificate-authority and tls-server-name of the cluster in the kubeconfig"
    )


def _tls(error: ssl.SSLError) -> str:
    """What a TLS alert or handshake error means."""
    reason = error.reason or ""
    if reason in {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"}:
        return "it does not speak TLS on this port; is the server's URL http?"
    if "CERTIFICATE_REQUIRED" in reason or "BAD_CERTIFICATE" in reason or "HANDSHAKE_FAILURE" in reason:
        return f"it refuses our client certificate or the lack of one ({reason.lower().replace('_', ' ')})"
    return reason.lower().replace("_", " ") or "the handshake failed"


def _proxy(access: Access) -> str:
    """The proxy's host, without the password its URL may hold."""
    return urlsplit(access.proxy).netloc.rpartition("@")[2]


def _chain(error: BaseException) -> list[BaseException]:
    """An exception with all that it wraps, outermost first."""
    found: list[BaseException] = []
    todo: list[object] = [error]
    while todo and len(found) < 30:
        cause = todo.pop()
        if isinstance(cause, BaseException) and cause not in found:
            found.append(cause)
            todo += [
                getattr(cause, "original_error", None),
                getattr(cause, "reason", None),
                cause.__cause__,
                cause.__context__,
            ]
            todo += list(cause.args)
    return found
