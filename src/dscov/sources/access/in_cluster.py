"""The access of a program that runs in a pod: the service account's files and two variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dscov.sources.access.fields import read_bytes
from dscov.sources.access.model import Access, Identity, Overrides, Tls

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def possible(environ: Mapping[str, str], folder: Path) -> bool:
    """Whether we seem to run in a pod that has a service account."""
    where = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")
    return all(where) and (folder / "token").is_file()


def namespace(environ: Mapping[str, str], folder: Path) -> str:
    """The pod's own namespace: POD_NAMESPACE, else the service account's file, else default."""
    try:
        of_account = (folder / "namespace").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        of_account = ""
    return environ.get("POD_NAMESPACE") or of_account or "default"


def access(overrides: Overrides, environ: Mapping[str, str], folder: Path) -> Access:
    """The access of the pod; of the flags a token and a certificate authority count here. Raises BadAccess."""
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ["KUBERNETES_SERVICE_PORT"]
    authority = overrides.certificate_authority or str(folder / "ca.crt")
    known = overrides.certificate_authority or (folder / "ca.crt").is_file()
    token_file = str(folder / "token")
    return Access(
        server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        tls=Tls(authority=read_bytes(authority, "--certificate-authority") if known else b""),
        identity=Identity(token=overrides.token) if overrides.token else Identity(token_file=token_file),
        namespace=namespace(environ, folder),
        origin=str(folder),
    )
