"""What the tool says of a cluster, through its command line, and whether that is what a provocation calls for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from conformance.command import run

from cluster.api import Object
from cluster.handle import Cluster
from cluster.provocations.stage import Expected, Provocation

#: By then no node and no pod is young any more, and no event too old.
LATER = timedelta(minutes=15)


def report_of(cluster: Cluster, *more: str, ahead: timedelta = LATER) -> Object:
    """The report on the live cluster, as it would be some time from now if nothing changed."""
    command = ["diagnose", "-o", "json", "--kubeconfig", str(cluster.kubeconfig)]
    result = run([*command, "--now", moment(ahead), *(more or ("-A",))])
    assert result.code in {0, 1}, f"exit {result.code}: {result.stderr}"
    return result.report


def moment(ahead: timedelta) -> str:
    """A time from now, as `--now` takes it."""
    return (datetime.now(UTC) + ahead).strftime("%Y-%m-%dT%H:%M:%SZ")


def wrongs(report: Object, case: Provocation) -> list[str]:
    """What the report says otherwise than the case expects of its DaemonSet `agent`; nothing where all is right."""
    one = next((ds for ds in report["daemonsets"] if (ds["namespace"], ds["name"]) == (case.name, "agent")), None)
    if one is None:
        return ["the DaemonSet is not in the report"]
    own = {f"{case.name}-{suffix}": expected for suffix, expected in case.pairs.items()}
    pairs = {pair["node"]: pair for pair in one["nodes"]}
    found = [f"{name}: no such pair" for name in own if name not in pairs]
    for name, pair in pairs.items():
        found += _pair(pair, own.get(name))
    relevant = [f for f in one["findings"] if not f["nodes"] or own.keys() & set(f["nodes"])]
    wanted = case.causes
    spoke = {finding["cause"] for finding in relevant}
    found += [f"finding {cause} is missing" for cause in sorted(wanted - spoke)]
    # Where pods come and go all the time, lists of two moments disagree with the status, and the report says so.
    allowed = wanted | ({"stale-counters"} if any(not expected.state for expected in case.pairs.values()) else set())
    found += [f"finding {f['cause']} is one too many: {f['message']}" for f in relevant if f["cause"] not in allowed]
    messages = [f["message"] for f in relevant]
    if case.says and not any(case.says in message for message in messages):
        found.append(f"no message says {case.says!r}: {messages}")
    return found


def _pair(pair: Object, expected: Expected | None) -> list[str]:
    """What is wrong with a pair; a node of another case is kept out by the selector, and is meant to be."""
    flags = pair["gap"], pair["unwanted"]
    if expected is None:
        calm = pair["state"] == "excluded" and flags == (False, False)
        return [] if calm else [f"{pair['node']}, of another case: {_told(pair)}"]
    right = (
        expected.state in {"", pair["state"]}
        and flags == (expected.gap, expected.unwanted)
        and set(expected.causes) == set(pair["causes"])
    )
    return [] if right else [f"{pair['node']}: {_told(pair)}, expected {expected}"]


def _told(pair: Object) -> str:
    flags = "".join(f" {flag}" for flag in ("gap", "unwanted") if pair[flag])
    return f"{pair['state']}{flags} {' '.join(pair['causes'])}"
