"""`kubectl dscov accept`: write into the policy file that a gap is accepted, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from kubectl_dscov import exits
from kubectl_dscov.arguments import TimeType, object_name
from kubectl_dscov.connection import KubectlCommand
from kubectl_dscov.fixing.files import show_and_write
from kubectl_dscov.render.ink import plain

#: A bare word with a digit or a dot: keys of labels without a domain have none, names of nodes do.
_NAME_OF_A_NODE = re.compile(r"(?=.*[0-9.])[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


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
    required=True,
    metavar="SELECTOR|node/NAME|all",
    help="The nodes that it may lack; * stands for any text in a name. May be repeated.",
)
@click.option("--reason", required=True, metavar="TEXT", help="Why that is right.")
@click.option("--until", metavar="DATE", help="After this day (or RFC 3339 time) they are gaps again.")
@click.option("--policy", metavar="FILE", help="The policy file; made where it is not there.  [default: dscov.yaml]")
@click.option("--now", "clock", type=TimeType(), help="Judge --until at this time (RFC 3339); else now.")
@click.option("-n", "--namespace", metavar="NAME", help="Its namespace; without it a DaemonSet of that name in any.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
def command(daemonset: str, nodes: Sequence[str], **options: Any) -> int:
    """Accept that a DaemonSet is not on some nodes: an exclusion with its reason, written into the policy file.

    \b
    kubectl dscov accept daemonset/log-agent -n logging --nodes pool=gpu --reason "they log elsewhere"
    kubectl dscov accept ds/csi-node --nodes node/edge-1 --nodes node/edge-2 --reason "no volumes" --until 2027-12-31

    `diagnose` counts such gaps no more and lists them with the reason; after --until they are gaps again.
    """
    import dscov

    kind, name = object_name(daemonset)
    if kind != "daemonset":
        raise click.UsageError(f"{daemonset!r}: accept takes a DaemonSet, such as daemonset/NAME")
    if not options["reason"].strip():
        raise click.UsageError("--reason is empty: say why the gap is accepted")
    _check_until(options["until"], options["clock"] or datetime.now(UTC))
    path = options["policy"] or dscov.FILE_NAME
    key = f"{options['namespace']}/{name}" if options["namespace"] else name
    causes = {cause.slug for cause in dscov.registry()}
    edit = dscov.accept_exclusions(path, key, list(_exclusions(nodes, options)), causes=causes)
    if edit.old == edit.new:
        click.echo(f"{plain(path)}: nothing to do, it is accepted already", err=True)
        return exits.OK
    return show_and_write([edit], options)


def _exclusions(nodes: Sequence[str], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The exclusions as the file holds them: one for all names, one for each selector."""
    more = {"reason": options["reason"], **({"until": options["until"]} if options["until"] else {})}
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
