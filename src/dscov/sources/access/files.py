"""Reading one kubeconfig file: its named entries with paths made absolute, and its current context."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dscov.errors import BadAccess, BadInput
from dscov.sources.access.fields import Entry, text_of
from dscov.yamltext.values import read_values

#: The fields that must hold texts, even in entries that nobody uses: kubectl reads a file as a whole or not at all.
TEXTS = {
    "cluster": (
        "server",
        "tls-server-name",
        "certificate-authority",
        "certificate-authority-data",
        "proxy-url",
    ),
    "user": (
        "client-certificate",
        "client-certificate-data",
        "client-key",
        "client-key-data",
        "token",
        "tokenFile",
        "username",
        "password",
        "as",
        "as-uid",
    ),
    "context": ("cluster", "user", "namespace"),
}

#: The fields whose paths stand relative to the file they are written in.
CLUSTER_PATHS = ("certificate-authority",)
USER_PATHS = ("client-certificate", "client-key", "tokenFile")


class Kubeconfig(msgspec.Struct, kw_only=True):
    """Named clusters, users and contexts, and the current context's name."""

    clusters: dict[str, Entry] = {}
    users: dict[str, Entry] = {}
    contexts: dict[str, Entry] = {}
    current_context: str = ""
    origin: tuple[str, ...] = ()


def kubeconfig_paths(explicit: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The files to read, first wins: `--kubeconfig` alone, else the list in KUBECONFIG, else ~/.kube/config."""
    if explicit:
        return (explicit,)
    listed = environ.get("KUBECONFIG", "")
    if listed:
        return tuple(dict.fromkeys(name for name in listed.split(os.pathsep) if name))
    return (str(home(environ) / ".kube" / "config"),)


def home(environ: Mapping[str, str]) -> Path:
    """The user's home folder, from HOME or on Windows USERPROFILE."""
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())


def load(explicit: str, environ: Mapping[str, str]) -> Kubeconfig:
    """All files merged: the first to set a map key or the current context wins, entries are never merged inside.

    Files that do not exist are passed over, except one named by `--kubeconfig`. Raises BadAccess.
    """
    merged = Kubeconfig()
    for path in kubeconfig_paths(explicit, environ):
        one = _read(path, required=bool(explicit))
        if one is None:
            continue
        merged.clusters = one.clusters | merged.clusters
        merged.users = one.users | merged.users
        merged.contexts = one.contexts | merged.contexts
        merged.current_context = merged.current_context or one.current_context
        merged.origin += (path,)
    return merged


def _read(path: str, *, required: bool) -> Kubeconfig | None:
    """One file, or None where it is missing and need not be there."""
    try:
        text = Path(path).read_text("utf-8")
    except FileNotFoundError:
        if required:
            raise BadAccess(f"the kubeconfig file {path} does not exist; check --kubeconfig") from None
        return None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise BadAccess(f"cannot read the kubeconfig file {path}: {why}") from None
    try:
        documents = read_values(text, path)
    except BadInput as error:
        raise BadAccess(f"cannot read the kubeconfig file {error}") from None
    content = documents[0] if documents else None
    if content is None:
        return Kubeconfig()
    if not isinstance(content, dict):
        raise BadAccess(f"the kubeconfig file {path} holds no mapping with clusters, users and contexts")
    return _parsed(content, path)


def _parsed(content: Entry, path: str) -> Kubeconfig:
    """The entries of a file's content; BadAccess where a part is not of the shape a kubeconfig has."""
    version, kind = content.get("apiVersion") or "v1", content.get("kind") or "Config"
    if (version, kind) != ("v1", "Config"):
        raise BadAccess(f"{path} is not a kubeconfig: it says apiVersion {version!r}, kind {kind!r}")
    folder = Path(path).absolute().parent
    clusters = _named(content, "clusters", "cluster", path)
    users = _named(content, "users", "user", path)
    for cluster in clusters.values():
        _absolute(cluster, CLUSTER_PATHS, folder)
    for user in users.values():
        _absolute(user, USER_PATHS, folder)
        if isinstance(user.get("exec"), dict) and os.sep in str(user["exec"].get("command") or ""):
            user["exec"] = dict(user["exec"])
            _absolute(user["exec"], ("command",), folder)
    return Kubeconfig(
        clusters=clusters,
        users=users,
        contexts=_named(content, "contexts", "context", path),
        current_context=text_of(content, "current-context", path),
    )


def _named(content: Entry, plural: str, singular: str, path: str) -> dict[str, Entry]:
    """The named entries of one list, their texts checked. Raises BadAccess where two have one name, as kubectl does."""
    entries: dict[str, Entry] = {}
    items = content.get(plural) or []
    if not isinstance(items, list):
        raise BadAccess(f"{path}: {plural} is not a list")
    for index, item in enumerate(items):
        body = item.get(singular) or {} if isinstance(item, dict) else None
        if not isinstance(body, dict):
            raise BadAccess(f"{path}: {plural}[{index}] is not an entry with a name and a {singular}")
        name = text_of(item, "name", f"{path}: {plural}[{index}]")
        if name in entries:
            raise BadAccess(f"{path}: {plural} holds two entries of the name {name!r}; rename or remove one")
        for field in TEXTS[singular]:
            text_of(body, field, f"{path}: {singular} {name!r}")
        entries[name] = dict(body)
    return entries


def _absolute(entry: Entry, fields: tuple[str, ...], folder: Path) -> None:
    """Make the paths in `fields` absolute against the folder of their file."""
    for field in fields:
        if isinstance(entry.get(field), str) and entry[field]:
            entry[field] = str(folder / entry[field])
