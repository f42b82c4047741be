"""`kubectl dscov diagnose`: say for every DaemonSet and node what is the case, and why."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import click

from kubectl_dscov import exits


@click.command()
@click.argument("names", nargs=-1, metavar="[daemonset/NAME ...]")
@click.option("-A", "--all-namespaces", is_flag=True)
@click.option("-n", "--namespace", default="")
@click.option("--from", "path", default="")
@click.option(
    "-o", "--output", type=click.Choice(["table", "wide", "json", "yaml", "name", "markdown"]), default="table"
)
@click.option("--now", "clock", default="")
@click.option("--kubernetes-version", default="")
def command(names, all_namespaces, namespace, path, output, clock, kubernetes_version) -> int:
    import dscov
    from kubectl_dscov.render.machine import report

    snapshot = dscov.read_saved(path, kubernetes_version=kubernetes_version)
    now = datetime.fromisoformat(clock) if clock else datetime.now(UTC)
    diagnosis = dscov.diagnose(snapshot, now=now)
    sys.stdout.writelines(report(diagnosis))
    return exits.GAPS if diagnosis.summary.gaps or diagnosis.summary.unwanted else exits.OK
