"""A certificate authority of our own, made with the `openssl` program, and tokens signed like the API server's."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cluster.local.processes import ClusterError

DAYS = "2"
ISSUER = "https://kubernetes.default.svc.cluster.local"


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, both PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """Signs certificates into `folder`."""

    folder: Path
    root: Pair

    def issue(self, name: str, *, user: str, groups: tuple[str, ...] = (), server: bool = False) -> Pair:
        """A certificate for `user` in `groups`; as a server's it is good for the loopback names."""
        pair = Pair(self.folder / f"{name}.crt", self.folder / f"{name}.key")
        request, extensions = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        extensions.write_text(_extensions(server=server))
        _openssl("req", "-new", *_new_key(pair.key), "-subj", subject, "-out", request)
        signer = ("-CA", self.root.certificate, "-CAkey", self.root.key, "-CAcreateserial")
        _openssl(
            *("x509", "-req", "-in", request, *signer, "-days", DAYS, "-sha256"),
            *("-extfile", extensions, "-out", pair.certificate),
        )
        return pair


def new_authority(folder: Path) -> Authority:
    """A fresh authority whose files, and those it issues, lie in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    root = Pair(folder / "ca.crt", folder / "ca.key")
    settings = folder / "ca.cnf"
    settings.write_text(
        "[req]\ndistinguished_name=name\nx509_extensions=ca\nprompt=no\n[name]\nCN=dscov-tests\n"
        "[ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
    )
    _openssl(
        "req", "-x509", *_new_key(root.key), "-config", settings, "-days", DAYS, "-sha256", "-out", root.certificate
    )
    return Authority(folder, root)


def new_signing_key(folder: Path) -> Path:
    """An RSA key that signs service account tokens."""
    path = folder / "service-accounts.key"
    _openssl("genrsa", "-out", path, "2048")
    return path


def mint_token(key: Path, *, namespace: str, name: str, uid: str, seconds: int) -> str:
    """A service account token that lives `seconds` from now; a negative number makes one that has expired already."""
    now = int(time.time())
    account = {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}}
    claims = {
        "iss": ISSUER,
        "aud": [ISSUER],
        "sub": f"system:serviceaccount:{namespace}:{name}",
        "iat": now + min(seconds, 0) - 60,
        "nbf": now + min(seconds, 0) - 60,
        "exp": now + seconds,
        "kubernetes.io": account,
    }
    signed = ".".join(_base64(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    signature = _openssl("dgst", "-sha256", "-sign", key, data=signed.encode())
    return f"{signed}.{_base64(signature)}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _new_key(path: Path) -> tuple[str | Path, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path)


def _extensions(*, server: bool) -> str:
    lines = [
        "basicConstraints=critical,CA:FALSE",
        "keyUsage=critical,digitalSignature",
        f"extendedKeyUsage={'serverAuth' if server else 'clientAuth'}",
        "subjectKeyIdentifier=hash",
        "authorityKeyIdentifier=keyid",
    ]
    if server:
        lines.append("subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc")
    return "\n".join(lines)


def _openssl(*arguments: str | Path, data: bytes | None = None) -> bytes:
    try:
        done = subprocess.run(
            ["openssl", *map(str, arguments)], check=False, input=data, capture_output=True, timeout=60
        )
    except FileNotFoundError as error:
        msg = "--cluster local makes its certificates with `openssl`, which is not on the PATH"
        raise ClusterError(msg) from error
    if done.returncode != 0:
        raise ClusterError(f"openssl {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
