"""Connection pools and headers: the parts of a request that stay the same for one access."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from dscov import __version__
from dscov.errors import BadAccess
from dscov.sources.access.model import Access, Impersonation

if TYPE_CHECKING:
    import ssl

    from urllib3 import HTTPConnectionPool, HTTPHeaderDict, PoolManager

#: Connections kept for parallel requests; more may be opened, and are closed after use.
PARALLEL = 32
#: Seconds: as long as kubectl waits for a connection, and longer than an API server works on one list.
CONNECT_TIMEOUT, SILENCE_TIMEOUT = 30.0, 90.0

MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "ARM64": "arm64", "i686": "386"}
NAME_SIGNS = "!#$&'*+-.^_`|~"


def user_agent() -> str:
    """Our name in the server's audit log: kubectl-dscov/VERSION (OS/ARCH)."""
    system = {"win32": "windows"}.get(sys.platform, sys.platform)
    return f"kubectl-dscov/{__version__} ({system}/{MACHINES.get(platform.machine(), platform.machine())})"


def common_headers(access: Access) -> HTTPHeaderDict:
    """The headers of every request but for the credentials. Raises BadAccess on what cannot stand in a header."""
    from urllib3 import HTTPHeaderDict

    headers = HTTPHeaderDict()
    headers.add("User-Agent", user_agent())
    headers.add("Accept-Encoding", "identity" if access.disable_compression else "gzip")
    for name, value in _impersonate(access.impersonation):
        if not value.isprintable():
            raise BadAccess(f"the value for {name} holds characters that cannot be sent")
        headers.add(name, value.encode().decode("latin-1"))
    return headers


def _impersonate(whom: Impersonation) -> list[tuple[str, str]]:
    """The headers that ask the server to act as someone else; groups are repeated headers."""
    if not whom.user:
        return []
    headers = [("Impersonate-User", whom.user)]
    headers += [("Impersonate-Uid", whom.uid)] if whom.uid else []
    headers += [("Impersonate-Group", group) for group in whom.groups]
    for key, values in whom.extra:
        headers += [(f"Impersonate-Extra-{quote(key, safe=NAME_SIGNS)}", value) for value in values]
    return headers


def open_pool(access: Access, context: ssl.SSLContext | None) -> HTTPConnectionPool:
    """A pool of connections to the server, through the proxy if there is one. Connects nowhere yet."""
    from urllib3 import Timeout, disable_warnings
    from urllib3.exceptions import InsecureRequestWarning

    if access.tls.insecure:
        disable_warnings(InsecureRequestWarning)
    limit = Timeout(connect=access.timeout or CONNECT_TIMEOUT, read=access.timeout or SILENCE_TIMEOUT)
    options: dict[str, object] = {"num_pools": 1, "maxsize": PARALLEL, "timeout": limit, "retries": False}
    if context is not None:
        options |= {"ssl_context": context, "server_hostname": access.tls.server_name or None}
    return _manager(access, options, context).connection_from_url(access.server)


def through_forward_proxy(access: Access) -> bool:
    """Whether requests go to an HTTP proxy that wants whole URLs, because the server speaks plain http."""
    return access.server.startswith("http:") and urlsplit(access.proxy).scheme in {"http", "https"}


def _proxy_headers(access: Access) -> dict[str, str]:
    """The credentials for the proxy itself, from its URL; they reach no one else."""
    from urllib3.util import make_headers

    parts = urlsplit(access.proxy)
    if not parts.username:
        return {}
    return make_headers(proxy_basic_auth=f"{unquote(parts.username)}:{unquote(parts.password or '')}")


def _manager(access: Access, options: dict[str, object], context: ssl.SSLContext | None) -> PoolManager:
    """The manager that makes pools the way the proxy wants."""
    from urllib3 import PoolManager, ProxyManager

    parts = urlsplit(access.proxy)
    if not access.proxy:
        return PoolManager(**options)  # type: ignore[arg-type]
    if parts.scheme.startswith("socks"):
        return _socks_manager(access, options)
    address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return ProxyManager(address, proxy_headers=_proxy_headers(access), proxy_ssl_context=context, **options)  # type: ignore[arg-type]


def _socks_manager(access: Access, options: dict[str, object]) -> PoolManager:
    """A manager for SOCKS, where the package for it is installed; the proxy resolves names, as with kubectl."""
    import warnings

    try:
        with warnings.catch_warnings(action="ignore"):
            from urllib3.contrib.socks import SOCKSProxyManager
    except ImportError:
        raise BadAccess("a SOCKS proxy needs the Python package PySocks: pip install PySocks") from None
    address = access.proxy.replace("socks5://", "socks5h://", 1)
    return SOCKSProxyManager(address, **options)  # type: ignore[arg-type]
