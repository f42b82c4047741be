"""`kubectl dscov explain`: walk one DaemonSet through one node, or print the page of a cause."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kubectl_dscov import exits
from kubectl_dscov.arguments import object_name
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.reading import grace_of, grace_options, namespace_of, reading_options, snapshot_of

if TYPE_CHECKING:
    from dscov import DaemonSet, Node, Snapshot


@click.command("explain", cls=KubectlCommand)
@click.argument("names", nargs=-1, metavar="daemonset/NAME node/NODE | CAUSE")
@reading_options
@grace_options
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the text.")
def command(names: Sequence[str], color: str, **values: Any) -> int:
    """Walk one DaemonSet through one node: every question the control plane asks, each with the fact it rests on.

    With the name of a cause, such as untolerated-taint, print its page; without a name, list all causes.
    """
    import dscov
    from kubectl_dscov.render.ink import wants_colour
    from kubectl_dscov.render.walk import cause_page, lines

    if len(names) < 2 and not any("/" in name for name in names):
        sys.stdout.writelines(cause_page(_cause(names[0])) if names else _all_causes())
        return exits.OK
    kinds = dict(object_name(name) for name in names)
    if len(names) != 2 or kinds.keys() != {"daemonset", "node"}:
        raise click.UsageError("explain takes daemonset/NAME node/NODE, or one cause such as untolerated-taint")
    snapshot, now = snapshot_of(values)
    daemonset = _daemonset(snapshot, kinds["daemonset"], namespace_of(values, snapshot))
    walk = dscov.explain(snapshot, daemonset, _node(snapshot, kinds["node"]), now=now, grace=grace_of(values))
    sys.stdout.writelines(lines(walk, colour=wants_colour(choice=color)))
    return exits.OK


def _cause(slug: str) -> Any:
    import dscov

    known = {key: cause for cause in dscov.registry() for key in (cause.slug, cause.code.lower())}
    if slug.lower() not in known:
        from difflib import get_close_matches

        near = get_close_matches(slug, known, 1)
        hint = f"; did you mean {near[0]}?" if near else "; `kubectl dscov explain` lists all causes"
        raise click.UsageError(f"{slug!r} is no cause{hint}")
    return known[slug.lower()]


def _all_causes() -> list[str]:
    import dscov

    return [f"{cause.code}  {cause.slug:34} {cause.title}\n" for cause in dscov.registry()]


def _daemonset(snapshot: Snapshot, name: str, namespace: str) -> DaemonSet:
    found = [ds for ds in snapshot.daemonsets if ds.name == name and namespace in {"", ds.namespace}]
    if not found:
        where = f"in namespace {namespace}" if namespace else "in any namespace"
        raise _absent(snapshot, f"daemonset/{name} not found {where}", "daemonsets.apps")
    if len(found) > 1:
        places = ", ".join(ds.namespace for ds in found)
        raise click.UsageError(f"daemonset/{name} is in several namespaces ({places}): name one with -n")
    return found[0]


def _node(snapshot: Snapshot, name: str) -> Node:
    node = next((node for node in snapshot.nodes if node.name == name), None)
    if node is None:
        raise _absent(snapshot, f"node/{name} not found", "nodes")
    return node


def _absent(snapshot: Snapshot, text: str, resource: str) -> Exception:
    """The error for what is not there or, where it could not be looked at, may be there."""
    from dscov.errors import CouldNotLook, NotFound

    blind = next((missing for missing in snapshot.not_seen if missing.resource.startswith(resource)), None)
    if blind is None:
        return NotFound(text)
    detail = f": {blind.detail}" if blind.detail else ""
    return CouldNotLook(f"{text}: {resource} could not be looked at ({blind.reason}{detail})")
