"""Running a credential plugin (client.authentication.k8s.io) and reading what it answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dscov.errors import BadAccess
from dscov.sources.access.model import ExecPlugin, Secretive


class Granted(Secretive, frozen=True, kw_only=True):
    """What a plugin gave: a token, a certificate with its key, or both; `expires` is None where it does not say."""

    token: str = ""
    certificate: bytes = b""
    key: bytes = b""
    expires: datetime | None = None

    def expired(self) -> bool:
        """Whether it may no longer be used."""
        return self.expires is not None and datetime.now(UTC) > self.expires


def run(plugin: ExecPlugin, environ: Mapping[str, str]) -> Granted:
    """Run a plugin, its stderr passing through and its stdin only where it may ask. Raises BadAccess if it fails."""
    interactive = _interactive(plugin)
    executable = _permitted(plugin, environ)
    told = {**environ, **dict(plugin.env)} | {"KUBERNETES_EXEC_INFO": _exec_info(plugin, interactive=interactive)}
    try:
        done = subprocess.run(
            [executable, *plugin.args],
            env=told,
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "its arguments or variables hold a NUL"
        raise BadAccess(f"the credential plugin {plugin.command} could not be started: {why}") from None
    if done.returncode:
        raise BadAccess(f"the credential plugin {plugin.command} failed with exit code {done.returncode}")
    return _granted(plugin, done.stdout)


def _interactive(plugin: ExecPlugin) -> bool:
    """Whether the plugin may read from our stdin."""
    terminal = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    if plugin.interactive_mode == "Always" and not terminal:
        raise BadAccess(f"the credential plugin {plugin.command} wants to ask something, but stdin is not a terminal")
    return terminal and plugin.interactive_mode != "Never"


def _permitted(plugin: ExecPlugin, environ: Mapping[str, str]) -> str:
    """The program to start, if it is there and the kuberc policy lets it run."""
    policy = plugin.policy
    if policy.kind == "DenyAll":
        raise BadAccess(f"the credential plugin {plugin.command} may not run: {policy.path} denies all of them")
    executable = _found(plugin.command, environ)
    if policy.kind == "Allowlist":
        names = {os.path.normpath(name) for name in policy.allowed}
        if not {plugin.command, executable} & (names | {_found(name, environ) for name in names}) - {""}:
            raise BadAccess(
                f"the credential plugin {plugin.command} may not run: it is not in the list of {policy.path}"
            )
    if not executable:
        hint = " ".join(plugin.install_hint.split())
        raise BadAccess(
            f"the credential plugin {plugin.command} is not installed, or not on the PATH. {hint}".rstrip(". ")
        )
    return executable


def _found(command: str, environ: Mapping[str, str]) -> str:
    """The path a command stands for, "" where there is none; never one found through a relative entry of the PATH."""
    if os.path.dirname(command):  # noqa: PTH120 - Path would read "./x" as "x"
        return command
    found = shutil.which(command, path=environ.get("PATH", "")) or ""
    return found if Path(found).is_absolute() else ""


def _exec_info(plugin: ExecPlugin, *, interactive: bool) -> str:
    """The JSON that tells a plugin how it is run and, where it asked for it, for which cluster."""
    spec: dict[str, object] = {"cluster": msgspec.Raw(plugin.cluster)} if plugin.cluster else {}
    spec["interactive"] = interactive
    info = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
    return msgspec.json.encode(info).decode()


class _Status(msgspec.Struct, rename="camel"):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: datetime | None = None


class _ExecCredential(msgspec.Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: _Status | None = None


def _granted(plugin: ExecPlugin, answer: bytes) -> Granted:
    """What the plugin printed, checked; nothing of it is ever shown."""
    who = f"the credential plugin {plugin.command}"
    try:
        credential = msgspec.json.decode(answer, type=_ExecCredential)
    except (msgspec.DecodeError, RecursionError):
        raise BadAccess(f"{who} did not print an ExecCredential") from None
    if (credential.kind, credential.api_version) != ("ExecCredential", plugin.api_version):
        said = f"{credential.kind or 'nothing'} {credential.api_version}".strip()
        raise BadAccess(f"{who} is configured for ExecCredential {plugin.api_version} and printed {said}")
    status = credential.status or _Status()
    certificate, key = status.client_certificate_data or "", status.client_key_data or ""
    if not status.token and not certificate and not key:
        raise BadAccess(f"{who} gave neither a token nor a certificate")
    if bool(certificate) != bool(key):
        raise BadAccess(f"{who} gave a certificate without its key, or a key without its certificate")
    expires = status.expiration_timestamp
    if expires is not None and expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    return Granted(token=status.token or "", certificate=certificate.encode(), key=key.encode(), expires=expires)
