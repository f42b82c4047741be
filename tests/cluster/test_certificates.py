"""Certificates that a strict TLS library takes, and tokens that say what they should."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from cluster.local.certificates import mint_token, new_authority, new_signing_key


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> bytes | None:
    """Shake hands in memory; the client's certificate as the server saw it."""
    ends = [ssl.MemoryBIO() for _ in range(2)]
    sides = [
        client.wrap_bio(ends[0], ends[1], server_hostname=name),
        server.wrap_bio(ends[1], ends[0], server_side=True),
    ]
    for _ in range(10):
        for side in sides:
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return sides[1].getpeercert(binary_form=True)


def test_client_and_server_accept_each_other(tmp_path: Path) -> None:
    authority = new_authority(tmp_path)
    served = authority.issue("server", user="server", server=True)
    shown = authority.issue("jane", user="jane", groups=("developers", "night shift"))
    server, client = (
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
        ssl.create_default_context(cafile=str(authority.root.certificate)),
    )
    for context, pair in ((server, served), (client, shown)):
        context.load_cert_chain(pair.certificate, pair.key)
        # Python 3.13 is as strict as this by default.
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    server.load_verify_locations(authority.root.certificate)
    server.verify_mode = ssl.CERT_REQUIRED
    assert handshake(server, client, "127.0.0.1") is not None
    text = subprocess.run(
        ["openssl", "x509", "-noout", "-subject", "-nameopt", "RFC2253", "-in", str(shown.certificate)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert text.strip().removeprefix("subject=").strip() == "CN=jane,O=night shift,O=developers"


def test_the_server_is_good_for_loopback_only(tmp_path: Path) -> None:
    authority = new_authority(tmp_path)
    served = authority.issue("server", user="server", server=True)
    server, client = (
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
        ssl.create_default_context(cafile=str(authority.root.certificate)),
    )
    server.load_cert_chain(served.certificate, served.key)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(server, client, "192.0.2.1")


@pytest.mark.parametrize("seconds", [-60, 600])
def test_a_token_says_who_and_how_long(tmp_path: Path, seconds: int) -> None:
    key = new_signing_key(tmp_path)
    head, claims, signature = mint_token(key, namespace="x", name="robot", uid="u-1", seconds=seconds).split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert said["sub"] == "system:serviceaccount:x:robot"
    assert abs(said["exp"] - time.time() - seconds) < 30
    assert said["nbf"] < said["exp"]
    (tmp_path / "signature").write_bytes(base64.urlsafe_b64decode(signature + "=="))
    public = subprocess.run(["openssl", "rsa", "-in", str(key), "-pubout"], check=True, capture_output=True).stdout
    (tmp_path / "public").write_bytes(public)
    check = [
        "openssl",
        "dgst",
        "-sha256",
        "-verify",
        str(tmp_path / "public"),
        "-signature",
        str(tmp_path / "signature"),
    ]
    subprocess.run(check, input=f"{head}.{claims}".encode(), check=True, capture_output=True)
