"""No false gap while the cluster moves under the eyes of `diagnose`.

A gap is false if it is reported for a pair (DaemonSet, node) that was one at no moment of that call. What was a gap at
a moment is not ours to say by another reading: watches give the cluster after every single write in etcd between the
call's begin and its end (`history.py`), and the same rules judge each of these states. So a report that mixes moments,
such as a pod not there yet in one list and its node already untainted in another, is told from one that is true.

A small cluster answers all lists within milliseconds; a large one takes seconds. So each list waits for up to 0.3
seconds first, in the calls of this process. That this makes one look alone go wrong is a test of its own.

The clock of all calls is an hour ahead: nobody is young, so nothing is spared as starting. `DSCOV_ROUNDS` sets the
number of rounds; each twentieth is a process of its own, the others run in this one.
"""

from __future__ import annotations

import io
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Thread

import pytest

from cluster.api import Api, ApiRefused, Object
from cluster.command import dscov
from cluster.handle import Cluster
from cluster.history import History
from cluster.objects import daemonset, node, taint
from cluster.settle import settle
from dscov import diagnose, live
from dscov.sources.asks import Ask
from dscov.sources.cluster import Answer, Reader
from kubectl_dscov import cli

ROUNDS = int(os.environ.get("DSCOV_ROUNDS", "40"))
#: So many rounds with one look alone, until one goes wrong.
PATIENCE = 480
NODES = 8
LATER = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
MERGE = "application/merge-patch+json"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Round:
    """One call: from which moment to which, and the pairs that it called gaps."""

    first: int
    last: int
    gaps: frozenset[Pair]


def the_node(number: int) -> Object:
    return node(f"moving-{number}", labels={"pool": "ab"[number % 2]})


def the_daemonsets(namespace: str) -> list[Object]:
    """A plain one, one for a pool, one that tolerates a key, one that tolerates everything."""
    tolerated = {"key": "tolerated", "operator": "Exists"}
    return [
        daemonset("plain", namespace),
        daemonset("pool", namespace, pod={"nodeSelector": {"pool": "a"}}),
        daemonset("tolerant", namespace, pod={"tolerations": [tolerated]}),
        daemonset("everywhere", namespace, pod={"tolerations": [{"operator": "Exists"}]}),
    ]


def disturb(api: Api, draw: random.Random) -> None:
    """One change of one node."""
    number = draw.randrange(NODES)
    thing = the_node(number)
    change: Object | None
    match draw.choice(["taint", "taint", "untaint", "untaint", "label", "label", "label", "cordon", "anew"]):
        case "taint":
            key, effect = draw.choice(
                [("tolerated", "NoSchedule"), ("tolerated", "NoExecute"), ("soft", "PreferNoSchedule")]
                + 2 * [("bad", "NoSchedule"), ("bad", "NoExecute")]
            )
            change = {"spec": {"taints": [taint(key, effect)]}}
        case "untaint":
            change = {"spec": {"taints": []}}
        case "label":
            change = {"metadata": {"labels": {"pool": draw.choice("ab")}}}
        case "cordon":
            change = {"spec": {"unschedulable": draw.choice([True, False])}}
        case _:
            api.delete(thing, now=True)
            api.create(thing)
            return
    try:
        api.patch(thing, change, content=MERGE)
    except ApiRefused as refused:
        if refused.status not in {404, 409}:
            raise


@contextmanager
def disturbed(api: Api, seed: int) -> Iterator[list[int]]:
    """Changes nodes all the time, in a thread; gives the number of changes, in a list."""
    stop, done, problems = Event(), [0], list[BaseException]()
    draw = random.Random(seed)

    def work() -> None:
        try:
            while not stop.wait(draw.choice([0.01, 0.03, 0.1, 0.3])):
                disturb(api, draw)
                done[0] += 1
        except Exception as problem:
            problems.append(problem)

    thread = Thread(target=work, daemon=True)
    thread.start()
    yield done
    stop.set()
    thread.join(60)
    assert not problems, problems


def gaps_of(report: Object) -> frozenset[Pair]:
    return frozenset(
        (f"{one['namespace']}/{one['name']}", pair["node"])
        for one in report["daemonsets"]
        for pair in one["nodes"]
        if pair["gap"]
    )


def call(arguments: list[str], *, apart: bool) -> Object:
    """The report of one call of `diagnose`, in a process of its own or in this one."""
    if apart:
        done = dscov(*arguments)
        code, text = done.returncode, done.stdout
    else:
        with redirect_stdout(io.StringIO()) as out:
            code = cli.run(arguments)
        text = out.getvalue()
    assert code in {0, 1}, (code, text)
    report: Object = json.loads(text)
    assert report["metadata"]["notSeen"] == []
    return report


def rounds(history: History, arguments: list[str], count: int) -> list[Round]:
    found = []
    for number in range(count):
        first = history.moment()
        gaps = gaps_of(call(arguments, apart=number % 20 == 19))
        found.append(Round(first, history.moment(), gaps))
    return found


def false_gaps(history: History, one: Round) -> frozenset[Pair]:
    """The gaps of a round that were none at any of its moments."""
    left = one.gaps
    for _, snapshot in history.between(one.first, one.last) if left else ():
        for coverage in diagnose(snapshot, now=LATER).coverage:
            left -= {(coverage.daemonset.key, pair.node) for pair in coverage.pairs if pair.verdict.gap}
        if not left:
            break
    return left


@pytest.fixture
def moving(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> Iterator[tuple[History, list[str]]]:
    fake_nodes(*map(the_node, range(NODES)))
    cluster.api.create_all(the_daemonsets(namespace))
    settle(cluster.api)
    later = f"{LATER:%Y-%m-%dT%H:%M:%SZ}"
    arguments = ["diagnose", "-n", namespace, "-o", "json", "--now", later, "--kubeconfig", str(cluster.kubeconfig)]
    with History(cluster.api, cluster.kubeconfig) as history:
        yield history, arguments


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of moments far apart, as those of a large cluster are."""
    draw, read = random.Random(3), Reader._one

    def later(reader: Reader, ask: Ask) -> Answer:
        time.sleep(draw.uniform(0, 0.3))
        return read(reader, ask)

    monkeypatch.setattr(Reader, "_one", later)


@pytest.mark.usefixtures("slow")
def test_no_false_gap(moving: tuple[History, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    history, arguments = moving
    with disturbed(history.api, 1) as changes:
        found = rounds(history, arguments, ROUNDS)
    history.complete()
    false = [one for one in found if false_gaps(history, one)]
    reported = sum(len(one.gaps) for one in found)
    with capsys.disabled():
        print(f"\n{len(found)} rounds, {changes[0]} changes of nodes, {len(history.changes)} changes of objects,")
        print(
            f"{reported} gaps reported in {sum(bool(one.gaps) for one in found)} rounds, false in {len(false)} rounds"
        )
    assert reported, "no gap at all: nothing was tried"
    assert [(one, false_gaps(history, one)) for one in false] == []


@pytest.mark.usefixtures("slow")
def test_the_judge_finds_what_one_look_alone_gets_wrong(
    moving: tuple[History, list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the second look there are false gaps, or the test above could not fail: about one in fifty rounds."""
    history, arguments = moving
    monkeypatch.setattr(live._Look, "again", lambda _: None)
    with disturbed(history.api, 2):
        tried = false = 0
        while not false and tried < PATIENCE:
            found = rounds(history, arguments, 40)
            history.complete()
            tried += len(found)
            false += sum(bool(false_gaps(history, one)) for one in found)
    with capsys.disabled():
        print(f"\nwith one look alone: {tried} rounds, false gaps in {false}")
    assert false
