"""TLS contexts out of PEM bytes, without leaving a key on any disk."""

from __future__ import annotations

import contextlib
import os
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dscov.errors import BadAccess
from dscov.sources.access.model import Tls

#: Where Linux distributions keep the system's authorities, for a Python that was built to look elsewhere.
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def context_for(tls: Tls, certificate: bytes = b"", key: bytes = b"") -> ssl.SSLContext:
    """A client context, TLS 1.2 or later, that checks the server as `tls` says. Raises BadAccess on unusable PEM."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.hostname_checks_common_name = False
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        _trust(context, tls.authority)
    if certificate:
        _present(context, certificate, key)
    return context


def _trust(context: ssl.SSLContext, authority: bytes) -> None:
    """Trust the cluster's authority alone, else the system's."""
    if authority:
        try:
            context.load_verify_locations(cadata=authority.decode("ascii", "ignore"))
        except ssl.SSLError:
            raise BadAccess("the certificate authority is not a PEM certificate") from None
        return
    context.load_default_certs()
    if context.cert_store_stats()["x509_ca"]:
        return
    for bundle in filter(os.path.exists, BUNDLES):
        with contextlib.suppress(OSError, ssl.SSLError):
            context.load_verify_locations(cafile=bundle)
            return


def _present(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Present a client certificate, which OpenSSL will only read from a path."""
    with _readable(certificate + b"\n" + key + b"\n") as path:
        try:
            context.load_cert_chain(path, password=lambda: b"")
        except (ssl.SSLError, ValueError) as error:
            reason = getattr(error, "reason", "") or "PEM"
            raise BadAccess(f"the client certificate and its key cannot be used: {_said(reason)}") from None


def _said(reason: str) -> str:
    """OpenSSL's name of a problem in words."""
    return {
        "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
        "PEM": "they are not PEM",
    }.get(reason, reason.lower().replace("_", " "))


@contextlib.contextmanager
def _readable(content: bytes) -> Iterator[str]:
    """A path that `content` can be read from: in memory where the system can, else an 0600 file removed at once."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").exists():
        descriptor = os.memfd_create("dscov", os.MFD_CLOEXEC)
        try:
            os.write(descriptor, content)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    descriptor, path = tempfile.mkstemp(prefix="dscov-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        Path(path).unlink(missing_ok=True)
