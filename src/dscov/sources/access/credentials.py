"""The credentials of the moment: what a request carries, re-read and renewed as it ages. Safe to share by threads."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from dscov.errors import BadAccess
from dscov.sources.access import exec_plugin
from dscov.sources.access.model import Identity


class Proof(NamedTuple):
    """What one request proves its identity with: the Authorization header's value and a client certificate, PEM."""

    authorization: str = ""
    certificate: bytes = b""
    key: bytes = b""

    def __repr__(self) -> str:
        """Without the secrets."""
        return "Proof(...)"


@lru_cache(maxsize=8)
def credentials_of(identity: Identity) -> Credentials:
    """The credentials of an identity, the same ones for every connection of this process: a plugin may ask a person."""
    return Credentials(identity)


class Credentials:
    """Turns an Identity into proofs: a tokenFile is read each time, a plugin run when what it gave has expired."""

    def __init__(self, identity: Identity, environ: Mapping[str, str] | None = None) -> None:
        self._identity = identity
        self._environ = os.environ if environ is None else environ
        self._granted: exec_plugin.Granted | None = None
        self._last_token = identity.token
        self._lock = Lock()

    def proof(self) -> Proof:
        """The proof for the next request. Raises BadAccess; an identity that cannot be had is never left out."""
        identity = self._identity
        if identity.token or identity.token_file:
            return Proof(f"Bearer {_sendable(self._token())}", identity.certificate, identity.key)
        if identity.username or identity.password:
            pair = f"{identity.username}:{identity.password}".encode()
            return Proof(f"Basic {base64.b64encode(pair).decode()}", identity.certificate, identity.key)
        if identity.plugin is None or identity.certificate:
            return Proof("", identity.certificate, identity.key)
        with self._lock:
            if self._granted is None or self._granted.expired():
                self._granted = exec_plugin.run(identity.plugin, self._environ)
            return _proof_of(self._granted)

    def renewed(self, refused: Proof) -> bool:
        """After the server refused a proof: whether there is another one now, the plugin being run again for it."""
        identity = self._identity
        if identity.plugin is None or self.proof() != refused:
            return self.proof() != refused
        with self._lock:
            self._granted = exec_plugin.run(identity.plugin, self._environ)
            return _proof_of(self._granted) != refused

    def _token(self) -> str:
        """The token: of the file while that can be read, since it is renewed there, else the last one known."""
        if self._identity.token_file:
            try:
                read = Path(self._identity.token_file).read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError):
                read = ""
            self._last_token = read or self._last_token
        if not self._last_token:
            raise BadAccess(f"no token can be read from {self._identity.token_file}")
        return self._last_token


def _proof_of(granted: exec_plugin.Granted) -> Proof:
    """The proof by what a plugin granted."""
    authorization = f"Bearer {_sendable(granted.token)}" if granted.token else ""
    return Proof(authorization, granted.certificate, granted.key)


def _sendable(token: str) -> str:
    """A token that may stand in a header."""
    if not token.isascii() or not token.isprintable():
        raise BadAccess("the token holds line breaks or other characters that cannot be sent")
    return token
