"""From flags, environment and files to one Access, by the rules of client-go's clientcmd, which kubectl follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from dscov.errors import BadAccess
from dscov.sources.access import in_cluster
from dscov.sources.access.durations import request_timeout
from dscov.sources.access.fields import Entry, bytes_of, flag_of, text_of
from dscov.sources.access.files import Kubeconfig, load
from dscov.sources.access.identity import identity_of, impersonation_of, told
from dscov.sources.access.kuberc import plugin_policy
from dscov.sources.access.model import Access, Identity, Overrides, Tls
from dscov.sources.access.overriding import cluster_with, user_with
from dscov.sources.access.proxies import checked_proxy, environment_proxy

DEFAULT_SERVER = "http://localhost:8080"
EXEC_EXTENSION = "client.authentication.k8s.io/exec"


class Chosen(NamedTuple):
    """The entries that count, with the flags applied, and their names."""

    context: Entry
    cluster: Entry
    user: Entry
    context_name: str
    cluster_name: str
    user_name: str


def resolve(
    overrides: Overrides, environ: Mapping[str, str], *, service_account: Path = in_cluster.SERVICE_ACCOUNT
) -> Access:
    """The access that kubectl would use with the same flags, environment and files.

    With nothing configured at all that is http://localhost:8080, or the pod's service account inside a cluster. Reads
    files, runs nothing and connects nowhere. Raises BadAccess, naming the entry and the remedy.
    """
    config = load(overrides.kubeconfig, environ)
    chosen = _choose(config, overrides)
    fallback = environ.get("KUBERNETES_MASTER") or DEFAULT_SERVER
    server = text_of(chosen.cluster, "server", f"cluster {chosen.cluster_name!r}") or fallback
    inside = in_cluster.possible(environ, service_account)
    if inside and server == fallback:
        found = in_cluster.access(overrides, environ, service_account)
    else:
        found = _outside(chosen, server_url(server), kuberc=overrides.kuberc, environ=environ)
    namespace = overrides.namespace or text_of(chosen.context, "namespace", f"context {chosen.context_name!r}")
    if inside and not namespace:
        namespace = in_cluster.namespace(environ, service_account)
    return msgspec.structs.replace(
        found,
        impersonation=impersonation_of(chosen.user, chosen.user_name),
        proxy=found.proxy or environment_proxy(found.server, environ),
        disable_compression=found.disable_compression or overrides.disable_compression,
        namespace=namespace or "default",
        all_namespaces=overrides.all_namespaces,
        timeout=request_timeout(overrides.request_timeout),
        origin=found.origin or ", ".join(config.origin),
    )


def server_url(text: str) -> str:
    """A server's URL out of a URL or host:port, the latter meaning http as for kubectl. Raises BadAccess."""
    try:
        parts = urlsplit(text)
        if not parts.scheme or not parts.netloc:
            parts = urlsplit(f"http://{text}")
            if parts.path.strip("/"):
                raise ValueError
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        # What follows a question mark may be a token.
        named = re.split("[?#]", text.rpartition("@")[2])[0]
        raise BadAccess(f"the server {named!r} is neither a URL with http or https nor a host:port pair")
    if "@" in parts.netloc:
        raise BadAccess("the server's URL holds credentials; give them to the user of the kubeconfig instead")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _choose(config: Kubeconfig, overrides: Overrides) -> Chosen:
    """The context, cluster and user that count; what a flag names must be there, what a context names need not."""
    name = overrides.context or config.current_context
    if name and name not in config.contexts:
        source = "--context" if overrides.context else f"current-context in {config.origin[-1]}"
        raise BadAccess(f"the context {name!r} ({source}) does not exist; `kubectl config get-contexts` lists them")
    context = config.contexts.get(name, {})
    cluster = overrides.cluster or text_of(context, "cluster", f"context {name!r}")
    user = overrides.user or text_of(context, "user", f"context {name!r}")
    if overrides.cluster and cluster not in config.clusters:
        raise BadAccess(f"the cluster {cluster!r} (--cluster) does not exist; `kubectl config get-clusters` lists them")
    if overrides.user and user not in config.users:
        raise BadAccess(f"the user {user!r} (--user) does not exist; `kubectl config get-users` lists them")
    return Chosen(
        context,
        cluster_with(config.clusters.get(cluster, {}), overrides),
        user_with(config.users.get(user, {}), overrides),
        name,
        cluster,
        user,
    )


def _outside(chosen: Chosen, server: str, *, kuberc: str, environ: Mapping[str, str]) -> Access:
    """The access by a kubeconfig or flags. Over plain http nothing secret is sent, but all is checked."""
    where = f"cluster {chosen.cluster_name!r}"
    tls = _tls(chosen.cluster, where)
    identity = identity_of(chosen.user, chosen.user_name)
    proxy = checked_proxy(text_of(chosen.cluster, "proxy-url", where), f"{where}: proxy-url")
    compact = flag_of(chosen.cluster, "disable-compression", where)
    if identity.plugin:
        cluster = {
            "server": server,
            "proxy-url": proxy,
            "disable-compression": compact,
            "config": _config(chosen.cluster),
        }
        policy = plugin_policy(kuberc, environ)
        plugin = told(identity.plugin, chosen.user, tls=tls, cluster=cluster, policy=policy)
        identity = msgspec.structs.replace(identity, plugin=plugin)
    secure = server.startswith("https:")
    if secure and identity == Identity():
        raise BadAccess(_no_credentials(chosen))
    return Access(
        server=server,
        tls=tls if secure else Tls(),
        identity=identity if secure else Identity(),
        proxy=proxy,
        disable_compression=compact,
        context=chosen.context_name,
        cluster=chosen.cluster_name,
        user=chosen.user_name,
    )


def _tls(cluster: Entry, where: str) -> Tls:
    """How the cluster's certificate is checked."""
    tls = Tls(
        authority=bytes_of(cluster, "certificate-authority", where),
        server_name=text_of(cluster, "tls-server-name", where),
        insecure=flag_of(cluster, "insecure-skip-tls-verify", where),
    )
    if tls.insecure and tls.authority:
        raise BadAccess(f"{where}: a certificate authority and insecure-skip-tls-verify exclude each other")
    return tls


def _config(cluster: Entry) -> object:
    """What the cluster's entry holds for credential plugins."""
    extensions = cluster.get("extensions")
    for item in extensions if isinstance(extensions, list) else []:
        if isinstance(item, dict) and item.get("name") == EXEC_EXTENSION:
            return item.get("extension")
    return None


def _no_credentials(chosen: Chosen) -> str:
    """What to say where kubectl would ask for a username and a password, which no script can answer."""
    if chosen.user_name:
        return (
            f"the user {chosen.user_name!r} has no credentials; add some to the kubeconfig, or give --token or --user"
        )
    context = f"the context {chosen.context_name!r} names no user" if chosen.context_name else "no context is chosen"
    return f"{context}, so there are no credentials; give --context, --user or --token"
