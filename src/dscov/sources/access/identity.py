"""Who a kubeconfig user is: its credentials and whom it impersonates, checked as client-go checks them."""

from __future__ import annotations

import os

import msgspec

from dscov.errors import BadAccess
from dscov.sources.access.fields import Entry, bytes_of, flag_of, read_bytes, text_of, texts_of
from dscov.sources.access.model import ExecPlugin, Identity, Impersonation, PluginPolicy, Tls

API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
MODES = ("Never", "IfAvailable", "Always")
PROVIDERS = {"gcp": "gke-gcloud-auth-plugin", "azure": "kubelogin", "oidc": "kubectl oidc-login"}


def identity_of(user: Entry, name: str) -> Identity:
    """The credentials of a user entry, flags applied. Raises BadAccess where they are unusable or ambiguous."""
    where = f"user {name!r}"
    if user.get("auth-provider") is not None:
        raise BadAccess(_no_provider(user["auth-provider"], where))
    identity = Identity(
        token=text_of(user, "token", where),
        token_file=text_of(user, "tokenFile", where),
        username=text_of(user, "username", where),
        password=text_of(user, "password", where),
        certificate=bytes_of(user, "client-certificate", where),
        plugin=_plugin(user, where),
    )
    if (identity.token or identity.token_file) and (identity.username or identity.password):
        raise BadAccess(
            f"{where}: both a token and a username/password are given; only one way of signing in is allowed"
        )
    if identity.token_file and not identity.token:
        read_bytes(identity.token_file, f"{where}: tokenFile")
    if not identity.certificate:
        return identity
    key = bytes_of(user, "client-key", where)
    if not key:
        raise BadAccess(f"{where}: a client certificate is given without client-key or client-key-data")
    return msgspec.structs.replace(identity, key=key)


def impersonation_of(user: Entry, name: str) -> Impersonation:
    """Whom a user entry impersonates. Raises BadAccess where groups, uid or extra stand there without a user."""
    where = f"user {name!r}"
    extra = user.get("as-user-extra") or {}
    if not isinstance(extra, dict):
        raise BadAccess(f"{where}: as-user-extra is not a mapping from keys to lists of texts")
    found = Impersonation(
        user=text_of(user, "as", where),
        uid=text_of(user, "as-uid", where),
        groups=texts_of(user, "as-groups", where),
        extra=tuple((key, texts_of(extra, key, f"{where}: as-user-extra")) for key in sorted(extra)),
    )
    if not found.user and (found.uid or found.groups or found.extra):
        raise BadAccess(f"{where}: a uid, groups or extras to impersonate are given without a user; add --as or `as:`")
    return found


def told(plugin: ExecPlugin, user: Entry, *, tls: Tls, cluster: dict[str, object], policy: PluginPolicy) -> ExecPlugin:
    """The plugin with what it is told of the cluster (JSON, if it asks for that) and the policy that decides on it."""
    if not flag_of(user["exec"], "provideClusterInfo", "exec"):
        return msgspec.structs.replace(plugin, policy=policy)
    facts: dict[str, object] = {
        "server": cluster["server"],
        "tls-server-name": tls.server_name,
        "insecure-skip-tls-verify": tls.insecure,
        "certificate-authority-data": tls.authority,
        "proxy-url": cluster["proxy-url"],
        "disable-compression": cluster["disable-compression"],
    }
    known = {field: value for field, value in facts.items() if value} | {"config": cluster["config"]}
    return msgspec.structs.replace(plugin, policy=policy, cluster=msgspec.json.encode(known))


def _plugin(user: Entry, where: str) -> ExecPlugin | None:
    """The exec plugin of a user entry, checked."""
    entry = user.get("exec")
    if entry is None:
        return None
    where = f"{where}: exec"
    if not isinstance(entry, dict) or not text_of(entry, "command", where):
        raise BadAccess(f"{where}: no command is given")
    version = text_of(entry, "apiVersion", where)
    if version not in API_VERSIONS:
        raise BadAccess(
            f"{where}: apiVersion {version!r} is not supported; the plugin must speak {' or '.join(API_VERSIONS)}"
        )
    mode = text_of(entry, "interactiveMode", where) or ("IfAvailable" if version.endswith("beta1") else "")
    if mode not in MODES:
        raise BadAccess(f"{where}: interactiveMode must be one of {', '.join(MODES)}")
    return ExecPlugin(
        command=os.path.normpath(entry["command"]),
        api_version=version,
        args=texts_of(entry, "args", where),
        env=_environment(entry, where),
        interactive_mode=mode,
        install_hint=text_of(entry, "installHint", where),
    )


def _environment(entry: Entry, where: str) -> tuple[tuple[str, str], ...]:
    """The variables that a plugin is started with on top of ours."""
    variables = entry.get("env") or []
    if not isinstance(variables, list) or not all(isinstance(item, dict) for item in variables):
        raise BadAccess(f"{where}: env is not a list of names and values")
    pairs = tuple(
        (text_of(item, "name", f"{where}: env"), text_of(item, "value", f"{where}: env")) for item in variables
    )
    if not all(name for name, _ in pairs):
        raise BadAccess(f"{where}: env holds a variable without a name")
    return pairs


def _no_provider(provider: object, where: str) -> str:
    """What to do about a legacy auth-provider, which kubectl has dropped or is dropping."""
    name = provider.get("name") if isinstance(provider, dict) else None
    remedy = f"such as {PROVIDERS[name]} " if name in PROVIDERS else ""
    return f"{where}: auth-provider {name!r} is not supported; use an exec credential plugin {remedy}instead"
