#!/usr/bin/env python3
"""Write a saved cluster of any size, as `kubectl get nodes,ns,ds,controllerrevisions,pods,events -A -o json` does.

5,000 nodes and 100 DaemonSets give about 100,000 daemon pods, 1,250 nodes a quarter of them. The same arguments give
the same bytes. The output is streamed: memory does not grow with the number of pods. Every `.status` is what the
controller would have written. The clock of the cluster is 2026-05-12T09:30:00Z.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from apinodes import node
from apiobjects import HASH, HOUR, Json, Workload, ago, daemonset, digest, namespace, revision, status, uid
from apipods import (
    Place,
    at_work,
    crashing,
    event,
    lost,
    terminating,
    unready,
    unscheduled,
    unscheduled_event,
    without_image,
)
from fleet import FAULTS, SPACES, Daemon, Fleet, Host

MARK = re.compile("@@([a-z_]+)@@")
MARKED = Place(*(f"@@{name}@@" for name in Place.__dataclass_fields__))
INDENT = "\n" + " " * 8
QUOTA = (
    'Error creating: pods "{name}-" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=400, '
    "limited: pods=400"
)
WEB = Workload("shop", "web", "registry.example.com/shop/web:2.4.1", requests={"cpu": "100m", "memory": "128Mi"})


class Printer:
    """The objects of a fleet as text. A pod is the text of its DaemonSet and state with the marks filled in."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.pieces: dict[tuple[str, str], list[str]] = {}

    def objects(self) -> Iterator[str]:
        """Every object, indented as in a List."""
        fleet = self.fleet
        yield from (dumped(node(host.machine)) for host in fleet.hosts)
        yield from (dumped(namespace(name)) for name in (*SPACES, WEB.namespace))
        yield from (dumped(daemonset(daemon.work, status(fleet.counters(daemon)))) for daemon in fleet.daemons)
        for daemon in fleet.daemons:
            yield from (dumped(revision(daemon.work, number + 1)) for number in range(daemon.work.revision))
        for daemon in fleet.daemons:
            yield from (self.pod(daemon.work, host, state) for host, state in fleet.pods(daemon))
        yield from (self.pod(WEB, host, "web") for host in fleet.hosts)
        yield from map(dumped, self.events())

    def place(self, work: Workload, host: Host) -> Place:
        """Where a pod is; its age hangs on the node's."""
        machine = host.machine
        return Place.of(work, machine.name, ip=machine.ip, age=machine.age / 3, salt=str(self.fleet.seed))

    def pod(self, work: Workload, host: Host, state: str) -> str:
        """The text of a pod."""
        key = (work.name, state)
        if key not in self.pieces:
            text = dumped(self.made(work, MARKED, state))
            self.pieces[key] = MARK.split(text.replace(digest("container", MARKED.uid), "@@container@@"))
        place = self.place(work, host)
        values = {**vars(place), "container": digest("container", place.uid)}
        pieces = list(self.pieces[key])
        pieces[1::2] = [values[name] for name in pieces[1::2]]
        return "".join(pieces)

    def made(self, work: Workload, place: Place, state: str) -> Json:
        """A pod in one of the states."""
        match state:
            case "web":
                return of_replicaset(at_work(work, place))
            case "crash":
                return crashing(work, place, code=1, reason="Error", last_words="", restarts=57)
            case "image":
                return without_image(work, place)
            case "unready":
                return unready(work, place)
            case "outdated":
                return at_work(work, place, number=1)
            case "lost":
                return lost(at_work(work, place), ago(7 * HOUR))
            case "terminating":
                return terminating(lost(at_work(work, place), ago(7 * HOUR)), ago(6 * HOUR))
            case "pending":
                return unscheduled(work, place, no_cpu(self.fleet.size))
        return at_work(work, place)

    def events(self) -> Iterator[Json]:
        """What the controller and the scheduler complained of."""
        for daemon in self.fleet.daemons:
            if daemon.short_of_quota:
                yield quota_event(daemon)
            for host, state in self.fleet.pods(daemon):
                if state == "pending":
                    made = self.made(daemon.work, self.place(daemon.work, host), state)
                    message = no_cpu(self.fleet.size)
                    yield unscheduled_event(made, message, first=3400, last=100, count=14)


def quota_event(daemon: Daemon) -> Json:
    """Why a DaemonSet that is short of quota has no more pods."""
    message = QUOTA.format(name=daemon.work.name)
    made = daemonset(daemon.work, {})
    return event(made, "FailedCreate", message, first=3000, last=140, count=38, source="daemonset-controller")


def of_replicaset(made: Json) -> Json:
    """The pod as one of a Deployment."""
    about, spec = made["metadata"], made["spec"]
    del about["labels"]["pod-template-generation"], spec["affinity"]
    about["labels"]["pod-template-hash"] = about["labels"].pop(HASH)
    about["ownerReferences"][0] |= {"kind": "ReplicaSet", "name": "web-6c9f7d5b8", "uid": uid("rs", "web")}
    spec["tolerations"] = [{**found, "tolerationSeconds": 300} for found in spec["tolerations"][:2]]
    return made


def no_cpu(nodes: int) -> str:
    """What the scheduler says of a pod whose node has no CPU left."""
    return (
        f"0/{nodes} nodes are available: 1 Insufficient cpu, {nodes - 1} node(s) didn't satisfy plugin(s) "
        f"[NodeAffinity]. preemption: 0/{nodes} nodes are available: 1 No preemption victims found for incoming pod, "
        f"{nodes - 1} Preemption is not helpful for scheduling."
    )


def dumped(made: Json) -> str:
    """An object as it stands in a List."""
    return " " * 8 + json.dumps(made, indent=4, sort_keys=True).replace("\n", INDENT)


def write(fleet: Fleet, out: IO[str]) -> None:
    """The whole List."""
    out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
    for number, text in enumerate(Printer(fleet).objects()):
        out.write(",\n" + text if number else text)
    out.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')


def faults(text: str) -> frozenset[str]:
    """The faults of the option: `all`, `none`, or names with commas between."""
    named = set(FAULTS) if text == "all" else {name for name in text.split(",") if name != "none"}
    if unknown := named - set(FAULTS):
        raise argparse.ArgumentTypeError(f"no such fault: {', '.join(sorted(unknown))}")
    return frozenset(named)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="faults:\n" + "\n".join(f"  {name:13} {text}" for name, text in FAULTS.items()),
    )
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--daemonsets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", type=faults, default="all", help="all, none, or names with commas between")
    parser.add_argument("--out", type=Path, help="the file to write; standard output unless given")
    given = parser.parse_args()
    fleet = Fleet(given.nodes, given.daemonsets, given.seed, given.faults)
    if given.out is None:
        write(fleet, sys.stdout)
        return
    with given.out.open("w", encoding="utf-8") as out:
        write(fleet, out)


if __name__ == "__main__":
    main()
