"""What flags do to a kubeconfig's entries: each replaces its field, and fields that would contradict it go."""

from __future__ import annotations

from dscov.errors import BadAccess
from dscov.sources.access.fields import Entry
from dscov.sources.access.model import Overrides


def cluster_with(entry: Entry, flags: Overrides) -> Entry:
    """A cluster's entry under the flags: an authority or --insecure displaces both, --server the tls-server-name."""
    cluster = dict(entry)
    if flags.insecure_skip_tls_verify or flags.certificate_authority:
        for field in ("certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify"):
            cluster.pop(field, None)
    if flags.server:
        cluster.pop("tls-server-name", None)
    given = {
        "server": flags.server,
        "tls-server-name": flags.tls_server_name,
        "certificate-authority": flags.certificate_authority,
        "insecure-skip-tls-verify": flags.insecure_skip_tls_verify,
    }
    return cluster | {field: value for field, value in given.items() if value}


def user_with(entry: Entry, flags: Overrides) -> Entry:
    """A user's entry under the flags: --token displaces a tokenFile, a certificate or key file the inline one."""
    user = dict(entry)
    if flags.token:
        user.pop("tokenFile", None)
    if flags.client_certificate:
        user.pop("client-certificate-data", None)
    if flags.client_key:
        user.pop("client-key-data", None)
    given: dict[str, object] = {
        "token": flags.token,
        "username": flags.username,
        "password": flags.password,
        "client-certificate": flags.client_certificate,
        "client-key": flags.client_key,
        "as": flags.as_user,
        "as-uid": flags.as_uid,
        "as-groups": list(flags.as_groups),
        "as-user-extra": _merged(entry.get("as-user-extra"), _extra(flags.as_user_extra)),
    }
    return user | {field: value for field, value in given.items() if value}


def _merged(of_file: object, of_flags: dict[str, list[str]]) -> object:
    """The extras of both: a key of the flags displaces the file's."""
    return {**of_file, **of_flags} if isinstance(of_file, dict) else of_flags or of_file


def _extra(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """The extras of `--as-user-extra key=value`, a repeated key collecting its values."""
    extra: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise BadAccess("--as-user-extra takes key=value")
        extra.setdefault(key, []).append(value)
    return extra
