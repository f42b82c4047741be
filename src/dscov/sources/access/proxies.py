"""Which proxy leads to a server, by the rules of Go's net/http, which kubectl follows."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from dscov.errors import BadAccess

SCHEMES = ("http", "https", "socks5", "socks5h")
PORTS = {"http": 80, "https": 443}


def checked_proxy(url: str, where: str) -> str:
    """`url` if it is a proxy's; BadAccess otherwise, without showing it since it may hold a password."""
    try:
        parts = urlsplit(url)
        sound = not url or (parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        sound = False
    if not sound:
        raise BadAccess(f"{where} is not a URL with one of the schemes {', '.join(SCHEMES)}")
    return url


def environment_proxy(server: str, environ: Mapping[str, str]) -> str:
    """The proxy that HTTPS_PROXY or HTTP_PROXY names for `server`, or "" where there is none or NO_PROXY spares it."""
    target = urlsplit(server)
    name = f"{target.scheme.upper()}_PROXY"
    proxy = _variable(environ, name)
    if not proxy or not _needs_proxy(target, _variable(environ, "NO_PROXY")):
        return ""
    parts = urlsplit(proxy) if "://" in proxy else None
    return checked_proxy(proxy if parts and parts.scheme and parts.netloc else f"http://{proxy}", name)


def _variable(environ: Mapping[str, str], name: str) -> str:
    """A variable in capitals, else in small letters."""
    return environ.get(name) or environ.get(name.lower()) or ""


def _needs_proxy(target: SplitResult, spared: str) -> bool:
    """Whether a target goes through the proxy: never this machine, nor what NO_PROXY names."""
    host = (target.hostname or "").rstrip(".")
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return False
    port = target.port or PORTS.get(target.scheme, 0)
    return not any(_spares(entry.strip().lower(), host, port) for entry in spared.split(",") if entry.strip())


def _spares(entry: str, host: str, port: int) -> bool:
    """Whether one NO_PROXY entry names a host: *, a network, an address, a domain or .domain, perhaps with a port."""
    if entry == "*":
        return True
    address = _address(host)
    if "/" in entry:
        network = _network(entry)
        return address is not None and network is not None and address in network
    name, wanted = _split_port(entry)
    if wanted is not None and wanted != port:
        return False
    if _address(name) is not None:
        return _address(name) == address
    name = name.removeprefix("*")
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


def _split_port(entry: str) -> tuple[str, int | None]:
    """A name and the port behind it, if there is one; IPv6 addresses stand in brackets then."""
    if entry.startswith("["):
        inside, _, rest = entry[1:].partition("]")
        return inside, int(rest[1:]) if rest[:1] == ":" and rest[1:].isdecimal() else None
    name, _, port = entry.rpartition(":")
    return (name, int(port)) if name and ":" not in name and port.isdecimal() else (entry, None)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address, or None."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """A network in CIDR form, or None."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
