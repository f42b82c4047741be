"""The nouns of access: what the user may override, and what is known once files, flags and environment are resolved."""

from __future__ import annotations

import msgspec


class Secretive(msgspec.Struct, frozen=True, kw_only=True):
    """A struct whose repr names the fields that are set, and never a value, since secrets are among them."""

    def __repr__(self) -> str:
        """The class and its fields that are not empty."""
        given = [name for name in self.__struct_fields__ if getattr(self, name)]
        return f"{type(self).__name__}(<{', '.join(given)}>)"


class Overrides(Secretive, frozen=True, kw_only=True):
    """What the flags say, as typed; an empty text is a flag that was not given."""

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    all_namespaces: bool = False
    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    client_certificate: str = ""
    client_key: str = ""
    token: str = ""
    username: str = ""
    password: str = ""
    as_user: str = ""
    as_uid: str = ""
    as_groups: tuple[str, ...] = ()
    as_user_extra: tuple[str, ...] = ()
    request_timeout: str = "0"
    disable_compression: bool = False
    kuberc: str = ""


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """How the server proves who it is: PEM bytes of the authority (none: the system's), another name, or not at all."""

    authority: bytes = b""
    server_name: str = ""
    insecure: bool = False


class Impersonation(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to act as; without a user nothing is sent."""

    user: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


class PluginPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Which credential plugins may run, from the user's kuberc: "" or AllowAll, DenyAll, Allowlist with its names."""

    kind: str = ""
    allowed: tuple[str, ...] = ()
    path: str = ""


class ExecPlugin(Secretive, frozen=True, kw_only=True):
    """A credential plugin of a kubeconfig user; `cluster` is the JSON it is told with provideClusterInfo, else b""."""

    command: str
    api_version: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    interactive_mode: str = "IfAvailable"
    install_hint: str = ""
    cluster: bytes = b""
    policy: PluginPolicy = PluginPolicy()


class Identity(Secretive, frozen=True, kw_only=True):
    """What proves who we are: a certificate goes along with any other proof, a plugin counts only alone."""

    token: str = ""
    token_file: str = ""
    username: str = ""
    password: str = ""
    certificate: bytes = b""
    key: bytes = b""
    plugin: ExecPlugin | None = None


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """A way to one cluster as one identity.

    `server` is a URL with its scheme and possibly a path, without a final slash; `proxy` a URL or ""; `namespace` the
    one to use without -A; `timeout` is in seconds, None is without; `origin` names the files it came from, "" is none.
    """

    server: str
    tls: Tls = Tls()
    identity: Identity = Identity()
    impersonation: Impersonation = Impersonation()
    proxy: str = ""
    disable_compression: bool = False
    namespace: str = "default"
    all_namespaces: bool = False
    context: str = ""
    cluster: str = ""
    user: str = ""
    timeout: float | None = None
    origin: str = ""

    def __repr__(self) -> str:
        """Without the proxy, whose URL may hold a password."""
        return f"Access(server={self.server!r}, context={self.context!r}, user={self.user!r}, {self.identity!r})"
