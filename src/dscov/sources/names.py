"""Names alone, for completion at a prompt: one small answer of a server, and the entries of a kubeconfig.

A list is asked for as a table without its objects, which is what `kubectl get` reads: a row holds little but the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.errors import CouldNotLook
from dscov.sources.access.files import load
from dscov.sources.access.model import Access
from dscov.sources.access.transport import Transport
from dscov.sources.asks import CACHED, DAEMONSETS, NAMESPACES, NODES

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class _Column(msgspec.Struct):
    format: str = ""


class _Row(msgspec.Struct):
    cells: list[Any] = []


class _Table(msgspec.Struct, rename="camel"):
    column_definitions: list[_Column] = []
    rows: list[_Row] | None = None


def list_names(access: Access, kind: str, *, namespace: str = "") -> tuple[str, ...]:
    """The names of the daemonsets, nodes or namespaces in a cluster (daemonsets: in one namespace, empty in all).

    Each once, in order. Raises CouldNotLook where the server does not tell them, whatever the reason.
    """
    kinds = {"daemonsets": DAEMONSETS, "nodes": NODES, "namespaces": NAMESPACES}
    path = kinds[kind].path(namespace)
    with Transport(access) as transport:
        answer = transport.get(path, query=(CACHED, ("includeObject", "None")), accept=TABLE)
    if answer.status != 200:
        raise CouldNotLook(f"the names of {kind} could not be read: the server answered with {answer.status}")
    try:
        table = msgspec.json.decode(answer.body, type=_Table)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise CouldNotLook(f"the names of {kind} could not be read: {problem}") from None
    where = next((at for at, column in enumerate(table.column_definitions) if column.format == "name"), 0)
    cells = (row.cells[where] for row in table.rows or () if len(row.cells) > where)
    return tuple(sorted({cell for cell in cells if isinstance(cell, str)}))


def kubeconfig_names(kubeconfig: str, environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The names of the contexts, clusters and users in the kubeconfig that kubectl would read. Raises BadAccess."""
    config = load(kubeconfig, environ)
    entries = {"contexts": config.contexts, "clusters": config.clusters, "users": config.users}
    return {kind: tuple(sorted(named)) for kind, named in entries.items()}
