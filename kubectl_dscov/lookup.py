"""What was named on the command line, found in the snapshot; what is not there is an error that knows what is like it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dscov import DaemonSet, Node, Selector, Snapshot


def daemonsets_of(snapshot: Snapshot, name: str, namespace: str) -> Sequence[DaemonSet]:
    """The DaemonSets of that name in the namespace (empty: in any); NotFound, or CouldNotLook, where there is none."""
    found = [ds for ds in snapshot.daemonsets if ds.name == name and namespace in {"", ds.namespace}]
    if found:
        return found
    where = f"in namespace {namespace}" if namespace else "in any namespace"
    elsewhere = [ds.namespace for ds in snapshot.daemonsets if ds.name == name]
    names = {ds.name for ds in snapshot.daemonsets if namespace in {"", ds.namespace}}
    hint = f"; it is in {', '.join(elsewhere)}" if elsewhere else or_so(name, names, "daemonset/")
    if not names and not elsewhere:
        hint = or_so(namespace, _namespaces(snapshot), "namespace ")
    raise _absent(snapshot, f"daemonset/{name} not found {where}", "daemonsets", hint)


def the_daemonset(snapshot: Snapshot, name: str, namespace: str) -> DaemonSet:
    """The one DaemonSet of that name; a usage error where there are several."""
    found = daemonsets_of(snapshot, name, namespace)
    if len(found) > 1:
        places = ", ".join(ds.namespace for ds in found)
        raise click.UsageError(f"daemonset/{name} is in several namespaces ({places}): name one with -n")
    return found[0]


def node_of(snapshot: Snapshot, name: str) -> Node:
    """The node of that name; NotFound, or CouldNotLook, where there is none."""
    known = {node.name: node for node in snapshot.nodes}
    if name not in known:
        raise _absent(snapshot, f"node/{name} not found", "nodes", or_so(name, known, "node/"))
    return known[name]


def check_name(kind: str, name: str, known: Collection[str], *, where: str = "") -> None:
    """NotFound where the name is none of the `known` ones of that kind."""
    from dscov.errors import NotFound

    if name not in known:
        raise NotFound(f"{kind}/{name} not found{where}{or_so(name, known, f'{kind}/')}")


def check_selected(snapshot: Snapshot, nodes: Selector | None) -> None:
    """A selector that no node meets is a slip, not a cluster without gaps: NotFound."""
    from dscov.errors import NotFound

    if _meets_none(nodes, snapshot):
        named = str(nodes) in {node.name for node in snapshot.nodes}
        hint = f"; for the node of that name write node/{nodes}" if named else ""
        raise NotFound(f"no node has the labels that --nodes asks for: {nodes}{hint}")


def expected_nowhere(snapshot: Snapshot, expect: Selector | None) -> str:
    """What to say where no node has the labels that --expect names; empty where one has."""
    if not _meets_none(expect, snapshot):
        return ""
    return f"no node has the labels that --expect names, so that no DaemonSet is expected anywhere: {expect}"


def _meets_none(selector: Selector | None, snapshot: Snapshot) -> bool:
    """Whether there are nodes, and a selector that was given meets none of them."""
    if not selector or not snapshot.nodes:
        return False
    return not any(selector.matches(node.labels) for node in snapshot.nodes)


def empty_namespace(snapshot: Snapshot, namespace: str) -> str:
    """What to say where a namespace was named in which there is no DaemonSet; empty where there is one."""
    if not namespace or any(ds.namespace == namespace for ds in snapshot.daemonsets):
        return ""
    hint = or_so(namespace, _namespaces(snapshot)) or "; -A shows those of all namespaces"
    return f"no DaemonSet in namespace {namespace}{hint}"


def cause_slug(word: str, *, flag: str = "") -> str:
    """The slug of the cause that is named by slug or code, in any case; a usage error where there is none."""
    from dscov import cause_slugs, registry

    named = word.lower()
    known = {slug: slug for slug in cause_slugs()}
    if named not in known:
        known |= {cause.code.lower(): cause.slug for cause in registry()}
    if named not in known:
        hint = or_so(named, known) or "; `kubectl dscov explain` lists all causes"
        raise click.UsageError(f"{flag}{word!r} is no cause{hint}")
    return known[named]


def or_so(word: str, known: Iterable[str], prefix: str = "") -> str:
    """`; did you mean ...?` with the one of the known words that is most like it; empty where none is."""
    like = next(iter(get_close_matches(word, sorted(known), 1)), "")
    return f"; did you mean {prefix}{like}?" if like and like != word else ""


def _namespaces(snapshot: Snapshot) -> set[str]:
    named = (obj.get("metadata") for obj in snapshot.others.get("Namespace", ()))
    there = {str(meta.get("name") or "") for meta in named if isinstance(meta, dict)} - {""}
    return there | {ds.namespace for ds in snapshot.daemonsets}


def _absent(snapshot: Snapshot, text: str, resource: str, hint: str) -> Exception:
    """The error for what is not there or, where it could not be looked at, may be there."""
    from dscov.errors import CouldNotLook, NotFound

    blind = next((missing for missing in snapshot.not_seen if missing.resource.split(".")[0] == resource), None)
    if blind is None:
        return NotFound(text + hint)
    detail = f": {blind.detail}" if blind.detail else ""
    return CouldNotLook(f"{text}: {blind.resource} could not be looked at ({blind.reason}{detail})")
