#!/usr/bin/env python3
"""Write the example cluster `shop` as the files of `kubectl get ... -o json` and `-o yaml`.

usage: make_example.py [FOLDER]        the folder examples/shop unless given

The same bytes every time. What the cluster is, and what is wrong with it, is in shop.py and in examples/README.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from apinodes import Machine, node
from apiobjects import DAY, HASH, HOUR, Json, Workload, ago, daemonset, namespace, revision, status, uid, version_of
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
from shop import DAEMONS, LEAVING, LOST_SINCE, POOLS, Daemon, machine

HERE = Path(__file__).parent.parent / "examples" / "shop"
LAST_WORDS = (
    'level=fatal ts=2026-05-12T09:27:46Z msg="cannot load probe" err="kernel headers for 6.1.0-32-cloud-amd64 not '
    'found in /lib/modules/6.1.0-32-cloud-amd64/build"'
)
NO_ARM = (
    'Back-off pulling image "{image}": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image '
    '"{image}": no match for platform in manifest: not found'
)
QUOTA = (
    'Error creating: pods "config-sync-" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=7, '
    "limited: pods=7"
)
UNHEALTHY = "Readiness probe failed: HTTP probe failed with statuscode: 503"
KILL_FAILED = (
    'error killing pod: failed to "KillContainer" for "snapshot-mover" with KillContainerError: "rpc error: code = '
    'DeadlineExceeded desc = context deadline exceeded"'
)
BACK_OFF = "Back-off restarting failed container {name} in pod {pod}_{namespace}({uid})"


def machines() -> list[Machine]:
    """The nodes, with the images of what runs there."""
    images = {name: sorted(d.work.image for d in DAEMONS if name in (*d.on, *d.kept)) for name in places()}
    made = [(pool, position) for pool in POOLS for position in range(pool.count)]
    return [machine(pool, position, tuple(images[pool.names()[position]])) for pool, position in made]


def places() -> dict[str, str]:
    """The address of every node by its name."""
    return {
        name: f"10.0.{pool.network}.{position + 10}" for pool in POOLS for position, name in enumerate(pool.names())
    }


ADDRESS = places()


def refused(reason: str) -> str:
    """The scheduler's text where the pod's own node refuses it."""
    total = len(ADDRESS)
    return (
        f"0/{total} nodes are available: 1 {reason}, {total - 1} node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        f"preemption: 0/{total} nodes are available: 1 No preemption victims found for incoming pod, "
        f"{total - 1} Preemption is not helpful for scheduling."
    )


NO_MEMORY = refused("Insufficient memory")
PORT_TAKEN = refused("node(s) didn't have free ports for the requested pod ports")


def pod_of(daemon: Daemon, name: str) -> Json:
    """The daemon's pod on a node, in its state."""
    work, state = daemon.work, daemon.state(name)
    place = Place.of(work, name, ip=ADDRESS[name], age=age_of_pod(daemon, name, state))
    number = 1 if name in daemon.old or state == "lost-terminating" else None
    match state:
        case "crash":
            return crashing(work, place, code=1, reason="Error", last_words=LAST_WORDS, restarts=212)
        case "no-arm-image":
            return without_image(work, place, message=NO_ARM.format(image=work.image))
        case "unready":
            return unready(work, place)
        case "no-memory":
            return unscheduled(work, place, NO_MEMORY)
        case "port-taken":
            return unscheduled(work, place, PORT_TAKEN)
        case "terminating":
            return terminating(unready(work, place), ago(22 * HOUR))
        case "lost":
            return lost(at_work(work, place), ago(LOST_SINCE))
        case "lost-terminating":
            return terminating(lost(at_work(work, place, number=number), ago(LOST_SINCE)), ago(LOST_SINCE - 40))
    return at_work(work, place, number=number)


def age_of_pod(daemon: Daemon, name: str, state: str) -> float:
    """How long ago the pod was made, in seconds."""
    if state in {"no-memory", "port-taken", "no-arm-image"}:
        return 20 * HOUR
    if daemon.work.revision > 1 and name not in daemon.old and state == "running":
        return daemon.work.edited - 60 * daemon.on.index(name) - 20
    return 30 * DAY + len(name) * HOUR


def counters(daemon: Daemon) -> dict[str, int]:
    """What the controller writes into `.status`."""
    states = {name: daemon.state(name) for name in daemon.on}
    there = [name for name, state in states.items() if state != "absent"]
    ready = [name for name in there if states[name] == "running"]
    old = [name for name in there if name in daemon.old or states[name] == "lost-terminating"]
    return {
        "currentNumberScheduled": len(there),
        "desiredNumberScheduled": len(states),
        "numberAvailable": len(ready),
        "numberMisscheduled": len(daemon.kept),
        "numberReady": len(ready),
        "numberUnavailable": len(states) - len(ready),
        "updatedNumberScheduled": len(there) - len(old),
    }


def daemon_pods() -> list[Json]:
    """All pods of the DaemonSets."""
    pairs = [(daemon, name) for daemon in DAEMONS for name in (*daemon.on, *daemon.kept)]
    return [pod_of(daemon, name) for daemon, name in pairs if daemon.state(name) != "absent"]


def other_pods() -> list[Json]:
    """Pods of the shop itself: two that fill general-03, one that holds port 9100 on storage-2, web servers."""
    big = {"cpu": "2", "memory": "14700Mi"}
    small = {"cpu": "250m", "memory": "512Mi"}
    legacy = Workload(
        "legacy", "metrics-gateway", "legacy/metrics-gateway:0.8.0", host_network=True, ports=(9100,), requests=small
    )
    made = [of_replicaset(legacy, "storage-2", 0)]
    made += [
        of_replicaset(Workload("shop", "search", "shop/search:8.2.0", requests=big), "general-03", n) for n in range(2)
    ]
    web = Workload("shop", "web", "shop/web:2026.5.3", requests=small, ports=(8080,))
    return made + [of_replicaset(web, f"general-{number:02}", 0) for number in (1, 2, 4, 5, 6, 8, 9)]


def of_replicaset(work: Workload, name: str, nth: int) -> Json:
    """A pod of a Deployment on a node."""
    made = at_work(work, Place.of(work, name, ip=ADDRESS[name], age=12 * DAY, salt=str(nth)))
    about, spec, parent = made["metadata"], made["spec"], f"{work.name}-{work.hash()}"
    del about["labels"]["pod-template-generation"], spec["affinity"]
    about["labels"]["pod-template-hash"] = about["labels"].pop(HASH)
    about |= {"generateName": f"{parent}-", "name": f"{parent}-{about['name'][-5:]}"}
    about["ownerReferences"][0] |= {"kind": "ReplicaSet", "name": parent, "uid": uid("rs", parent)}
    spec["tolerations"] = [{**found, "tolerationSeconds": 300} for found in spec["tolerations"][:2]]
    return made


def events(nodes: list[Json], daemonsets: list[Json], pods: list[Json]) -> Iterator[Json]:
    """What controllers, scheduler and kubelets said in the last hour."""
    day = {"first": 20 * HOUR, "last": 130.0}
    for made in pods:
        state, name = state_of(made), made["spec"].get("nodeName")
        if state in {"no-memory", "port-taken"}:
            message = NO_MEMORY if state == "no-memory" else PORT_TAKEN
            yield unscheduled_event(made, message, first=20 * HOUR, last=212, count=244)
        elif state == "crash":
            about = made["metadata"]
            container = made["spec"]["containers"][0]["name"]
            message = BACK_OFF.format(**about | {"name": container, "pod": about["name"]})
            yield event(made, "BackOff", message, **day, count=5107, host=name)
        elif state == "no-arm-image":
            message = NO_ARM.format(image=made["spec"]["containers"][0]["image"])
            yield event(made, "BackOff", message, **day, count=5218, host=name)
            yield event(made, "Failed", "Error: ImagePullBackOff", **day, count=5218, host=name)
        elif state == "terminating":
            yield event(made, "FailedKillPod", KILL_FAILED, first=22 * HOUR, last=95, count=640, host=name)
        elif state == "unready":
            yield event(made, "Unhealthy", UNHEALTHY, first=3 * HOUR, last=8, count=1079, host=name)
    by_name = {made["metadata"]["name"]: made for made in [*nodes, *daemonsets]}
    yield event(by_name["config-sync"], "FailedCreate", QUOTA, **day, count=81, source="daemonset-controller")
    text = f"Node {LEAVING} status is now: NodeNotSchedulable"
    yield event(by_name[LEAVING], "NodeNotSchedulable", text, first=900, last=900, count=1, kind="Normal", host=LEAVING)
    text = "marked the node as toBeDeleted/unschedulable"
    yield event(
        by_name[LEAVING], "ScaleDown", text, first=905, last=905, count=1, kind="Normal", source="cluster-autoscaler"
    )


def state_of(made: Json) -> str:
    """The state that a pod was made in, `running` for those of nobody's interest."""
    spec = made["spec"]
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    found = {daemon.work.uid: daemon for daemon in DAEMONS}.get(made["metadata"]["ownerReferences"][0]["uid"])
    if found is None:
        return "running"
    return found.state(terms["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def quota() -> Json:
    """The quota that stops config-sync."""
    hard = {"pods": "7"}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {
            "creationTimestamp": ago(60 * DAY),
            "name": "agents",
            "namespace": "platform",
            "resourceVersion": version_of("quota"),
            "uid": uid("quota"),
        },
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": {"pods": "7"}},
    }


def cluster() -> dict[str, list[Json]]:
    """The objects by the file that they go to."""
    nodes = [node(found) for found in machines()]
    daemonsets = [daemonset(daemon.work, status(counters(daemon))) for daemon in DAEMONS]
    pods = sorted([*daemon_pods(), *other_pods()], key=key)
    spaces = sorted({made["metadata"]["namespace"] for made in pods} | {"default"})
    return {
        "nodes.yaml": nodes,
        "daemonsets.yaml": daemonsets,
        "controllerrevisions.yaml": [
            revision(daemon.work, number + 1) for daemon in DAEMONS for number in range(daemon.work.revision)
        ],
        "pods.json": pods,
        "events.json": sorted(events(nodes, daemonsets, pods), key=key),
        "others.yaml": [*map(namespace, spaces), quota()],
    }


def key(made: Json) -> tuple[str, str]:
    """Namespace and name."""
    return made["metadata"]["namespace"], made["metadata"]["name"]


class Dumper(yaml.SafeDumper):
    """YAML as kubectl prints it: a text that would be read as another type is in double quotes, nothing is an alias."""

    def ignore_aliases(self, _data: Any) -> bool:
        """Everything in full."""
        return True


def represent_text(dumper: Dumper, text: str) -> yaml.ScalarNode:
    """A text in the style that kubectl gives it."""
    tag = "tag:yaml.org,2002:str"
    read_as = dumper.resolve(yaml.ScalarNode, text, (True, False))
    return dumper.represent_scalar(tag, text, style="|" if "\n" in text else None if read_as == tag else '"')


Dumper.add_representer(str, represent_text)


def text_of(name: str, items: list[Json]) -> str:
    """A List as `kubectl get -o json` or `-o yaml` prints it."""
    made = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    if name.endswith(".json"):
        return json.dumps(made, indent=4, sort_keys=True) + "\n"
    return yaml.dump(made, Dumper=Dumper, sort_keys=True, default_flow_style=False, allow_unicode=True)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in cluster().items():
        (folder / name).write_text(text_of(name, items), encoding="utf-8")


if __name__ == "__main__":
    main()
