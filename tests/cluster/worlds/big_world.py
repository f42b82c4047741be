"""A filled world of thousands of pods, kept as etcd's data in the cache: made once in minutes, started in seconds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from cluster.api import Object
from cluster.handle import Cluster
from cluster.local import build
from cluster.local.plane import API, ETCD, KWOK, MANAGER, SCHEDULER, ControlPlane
from cluster.local.processes import ClusterError
from cluster.local.run import local_cluster
from cluster.objects import FAKE, namespace, node, taint
from cluster.settle import settle
from cluster.worlds.big_templates import NAMESPACE, POOL, big_daemonset

REPORT_SECONDS = 15
REST_SECONDS = 15
STALL_SECONDS = 600
PORTIONS = (("gpu", 0.10), ("infra", 0.05), ("edge", 0.05))
LOST, CORDONED = 97, 41


@contextlib.contextmanager
def big_world(*, nodes: int = 1000, daemonsets: int = 16, report: TextIO | None = None) -> Iterator[Cluster]:
    """A local cluster with `nodes` x `daemonsets`, from a copy of the kept world: a test may do as it likes with it."""
    with local_cluster(etcd_data=ensure_filled(nodes, daemonsets, report or sys.stderr), report=report) as cluster:
        yield cluster


def ensure_filled(nodes: int, daemonsets: int, report: TextIO) -> Path:
    """The etcd data of the filled world, filling it first if it is not kept (seconds: about 0.02 per pod)."""
    objects = big_objects(nodes, daemonsets)
    recipe = json.dumps([objects, build.API_SERVER.key, build.ETCD.key, build.KWOK.key], sort_keys=True)
    size = f"{nodes}x{daemonsets}-"
    kept = build.cache_folder() / "worlds" / (size + hashlib.sha256(recipe.encode()).hexdigest()[:12])
    with build.locked(kept.with_suffix(".lock"), report=report):
        if not kept.exists():
            for old in kept.parent.glob(f"{size}*"):
                # Another recipe of the same size, or what a fill left that did not come to its end.
                if old.is_dir():
                    shutil.rmtree(old)
            _fill(kept, objects, report)
    return kept


def big_objects(nodes: int, daemonsets: int) -> list[Object]:
    """All objects of the world, in the order of their creation."""
    return [
        namespace(NAMESPACE),
        *(_node(number, nodes) for number in range(nodes)),
        *(big_daemonset(number) for number in range(daemonsets)),
    ]


def _node(number: int, nodes: int) -> Object:
    """A node of a pool; each 97th is lost (not ready, nobody plays it) and each 41st cordoned."""
    pool, rest = "general", number / nodes
    for name, portion in PORTIONS:
        if 0 <= rest < portion:
            pool = name
        rest -= portion
    lost = number % LOST == LOST - 1
    found = node(
        f"node-{number:05d}",
        labels={
            POOL: pool,
            "node.kubernetes.io/instance-type": "m7.4xlarge",
            "topology.kubernetes.io/region": "north",
            "topology.kubernetes.io/zone": f"north-{'abc'[number % 3]}",
        },
        taints=[] if pool == "general" else [taint("dedicated", "NoSchedule", pool)],
        conditions={"Ready": "Unknown"} if lost else {},
        fake=not lost,
    )
    if number % CORDONED == CORDONED - 1:
        found["spec"]["unschedulable"] = True
    return found


def _fill(kept: Path, objects: list[Object], report: TextIO) -> None:
    started = time.monotonic()
    print(f"filling the world {kept.name}, once for this machine", file=report, flush=True)
    with local_cluster(report=report) as cluster:
        for kinds in ({"Namespace", "Node"}, {"DaemonSet"}):
            refused = cluster.api.create_all(item for item in objects if item["kind"] in kinds)
            if refused:
                raise ClusterError(f"the API server refused {len(refused)} objects, first: {refused[0].message}")
            if "Node" in kinds:
                settle(cluster.api)
        _wait_filled(cluster, report, started)
        plane = cluster.plane
        if plane is None:
            msg = "a local cluster has a plane"
            raise ClusterError(msg)
        for name in (KWOK, SCHEDULER, MANAGER, API):
            plane.stop(name)
        _shrink(plane)
        plane.stop(ETCD)
        plane.etcd_data.replace(kept)
    print(f"filled in {time.monotonic() - started:.0f} s", file=report, flush=True)


def _wait_filled(cluster: Cluster, report: TextIO, started: float) -> None:
    """Wait until the counters are full and rest: a pod on a lost node never gets ready, all others do.

    Only the DaemonSets are read: with tens of thousands of pods every look at those would cost the fill a lot.
    """
    lost = sum(1 for item in cluster.api.list("Node") if FAKE not in item["metadata"].get("annotations", {}))
    last: list[Object] = []
    moved = spoken = time.monotonic()
    while True:
        counts = [item["status"] for item in cluster.api.list("DaemonSet")]
        wanted = sum(status["desiredNumberScheduled"] for status in counts)
        ready = sum(status["numberReady"] for status in counts)
        full = all(status.get("observedGeneration") for status in counts) and ready >= wanted - lost * len(counts)
        now = time.monotonic()
        last, moved = (counts, now) if counts != last else (last, moved)
        if full and now > moved + REST_SECONDS:
            return
        if now > moved + STALL_SECONDS:
            reasons = [item["message"] for item in cluster.api.list("Event") if item["reason"].startswith("Failed")]
            raise ClusterError(f"stuck at {ready} of {wanted} pods; last failure: {reasons[-1:]}")
        if now > spoken + REPORT_SECONDS:
            spoken = now
            print(f"  {ready} of {wanted} pods ready, {now - started:.0f} s", file=report, flush=True)
        time.sleep(1)


def _shrink(plane: ControlPlane) -> None:
    """Drop etcd's history and free its space: the kept world is copied at every start."""
    revision = _etcd(plane, "/v3/maintenance/status", {})["header"]["revision"]
    _etcd(plane, "/v3/kv/compaction", {"revision": revision, "physical": True})
    _etcd(plane, "/v3/maintenance/defragment", {})


def _etcd(plane: ControlPlane, path: str, body: Object) -> Any:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f"http://127.0.0.1:{plane.ports[ETCD]}{path}"
    with opener.open(urllib.request.Request(url, json.dumps(body).encode()), timeout=300) as answer:
        return json.load(answer)
