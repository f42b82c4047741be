"""`kubectl dscov accept`: write into the policy file that a gap is accepted, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from dscov.errors import CouldNotLook
from kubectl_dscov import exits
from kubectl_dscov.arguments import object_name
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.fixing.files import show_and_write
from kubectl_dscov.lookup import cause_slug, check_name, daemonsets_of, node_of
from kubectl_dscov.reading import access_of, reading_options, snapshot_of
from kubectl_dscov.render.ink import plain

#: A bare word with a digit or a dot: keys of labels without a domain have none, names of nodes do.
_NAME_OF_A_NODE = re.compile(r"(?=.*[0-9.])[a-z0-9]([-a-z0-9.]*[a-z0-9])?")

#: Seconds that a cluster has to tell the names of what is there: they are a help, and not needed.
_PATIENCE = 5.0
#: Flags that name a cluster: then it has to answer.
_NAMING = ("kubeconfig", "context", "cluster", "server")


def _check_until(value: str | None, now: datetime) -> None:
    from dscov import read_until

    try:
        over = value is not None and read_until(value) <= now
    except ValueError as problem:
        raise click.UsageError(f"--until: {problem}") from None
    if over:
        raise click.UsageError(f"--until {value} is over already: nothing would be accepted")


@click.command("accept", cls=KubectlCommand, no_args_is_help=True)
@click.argument("daemonset", metavar="daemonset/NAME")
@click.option(
    "--nodes",
    "nodes",
    multiple=True,
    metavar="SELECTOR|node/NAME|all",
    help="The nodes that it may lack; * stands for any text in a name. May be repeated.",
)
@click.option("--cause", metavar="SLUG", help="Only gaps for this cause, e.g. untolerated-taint.")
@click.option("--reason", required=True, metavar="TEXT", help="Why that is right.")
@click.option("--until", metavar="DATE", help="After this day (or RFC 3339 time) they are gaps again.")
@click.option("--policy", metavar="FILE", help="The policy file; made where it is not there.  [default: dscov.yaml]")
@click.option("--offline", is_flag=True, help="Ask no cluster whether what is named is there.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
@reading_options
def command(daemonset: str, nodes: Sequence[str], **options: Any) -> int:
    """Accept that a DaemonSet is not on some nodes: an exclusion with its reason, written into the policy file.

    \b
    kubectl dscov accept daemonset/log-agent -n logging --nodes pool=gpu --reason "they log elsewhere"
    kubectl dscov accept ds/csi-node --nodes node/edge-1 --nodes node/edge-2 --reason "no volumes" --until 2027-12-31

    `diagnose` counts such gaps no more and lists them with the reason; after --until they are gaps again. Without -n
    a DaemonSet of that name in any namespace is meant. With --nodes and --cause a gap must be of both.

    The cluster, or saved files with --from, tell whether the DaemonSet and the nodes that are named are there; where
    no cluster answers that is not checked.
    """
    import dscov

    kind, name = object_name(daemonset)
    if kind != "daemonset":
        raise click.UsageError(f"{daemonset!r}: accept takes a DaemonSet, such as daemonset/NAME")
    if not options["reason"].strip():
        raise click.UsageError("--reason is empty: say why the gap is accepted")
    if not (nodes or options["cause"]):
        raise click.UsageError("say which gaps are accepted: those on some nodes (--nodes), for one --cause, or both")
    _check_until(options["until"], options["clock"] or datetime.now(UTC))
    if options["cause"]:
        options["cause"] = cause_slug(options["cause"], flag="--cause ")
    path = options["policy"] or dscov.FILE_NAME
    exclusions = list(_exclusions(nodes, options))
    namespace = "" if options["all_namespaces"] else options["namespace"] or ""
    if options["path"] or not options["offline"]:
        _check_there(name, namespace, [node for one in exclusions for node in one.get("names", ())], options=options)
    key = f"{namespace}/{name}" if namespace else name
    edit = dscov.accept_exclusions(path, key, exclusions, causes=set(dscov.cause_slugs()))
    if edit.old == edit.new:
        click.echo(f"{plain(path)}: nothing to do, it is accepted already", err=True)
        return exits.OK
    return show_and_write([edit], options)


def _check_there(name: str, namespace: str, nodes: Sequence[str], *, options: dict[str, Any]) -> None:
    """NotFound where the DaemonSet or a node that is named is not there; a note where nobody can tell.

    A name with `*` is for what comes and goes: `diagnose` tells entries of the policy that do nothing.
    """
    exact = [node for node in nodes if "*" not in node]
    try:
        if options["path"]:
            _check_saved(name, namespace, exact, options=options)
        else:
            _check_cluster(name, namespace, exact, options=options)
    except CouldNotLook as problem:
        if any(options[flag] for flag in _NAMING):
            raise
        click.echo(f"note: whether what is named is there was not checked: {plain(str(problem))}", err=True)


def _check_saved(name: str, namespace: str, nodes: Sequence[str], *, options: dict[str, Any]) -> None:
    snapshot, _ = snapshot_of(options)
    if "*" not in name:
        daemonsets_of(snapshot, name, namespace)
    for node in nodes:
        node_of(snapshot, node)


def _check_cluster(name: str, namespace: str, nodes: Sequence[str], *, options: dict[str, Any]) -> None:
    import msgspec

    import dscov

    access = access_of(options)
    access = msgspec.structs.replace(access, timeout=min(access.timeout or _PATIENCE, _PATIENCE))
    if "*" not in name:
        where = f" in namespace {namespace}" if namespace else ""
        check_name("daemonset", name, dscov.list_names(access, "daemonsets", namespace=namespace), where=where)
    there = dscov.list_names(access, "nodes") if nodes else ()
    for node in nodes:
        check_name("node", node, there)


def _exclusions(nodes: Sequence[str], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The exclusions as the file holds them: one for all names, one for each selector; without nodes, one."""
    more = {name: options[name] for name in ("cause", "reason", "until") if options[name]}
    names, selectors = [], []
    for text in nodes:
        kind, slash, name = text.partition("/")
        if slash and kind.lower() in {"node", "nodes", "no"} and name:
            names.append(name)
        else:
            selectors.append(_selector(text))
    if names:
        yield {"names": names, **more}
    yield from ({"nodes": selector, **more} for selector in selectors)
    if not nodes:
        yield more


def _selector(text: str) -> str:
    from dscov import read_expectation

    try:
        read_expectation(text)
    except ValueError as problem:
        raise click.UsageError(f"--nodes {text!r} is no selector, node/NAME or `all`: {problem}") from None
    if _NAME_OF_A_NODE.fullmatch(text.strip()):
        meant = f"--nodes {text} means the nodes with a label {text}; for the node of that name write node/{text}"
        click.echo(f"warning: {plain(meant)}", err=True)
    return text
