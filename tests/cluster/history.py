"""What a cluster really looked like at every moment: nodes, pods and DaemonSets, replayed from watches.

All three lie in one etcd, so their resource versions are moments of one clock: applying their events in that order
gives the whole cluster as it was after every single write.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

import msgspec

from cluster.api import Api, Object, collection
from dscov import Overrides, Snapshot, resolve
from dscov.kube.versions import parse_version
from dscov.model.cluster import Source
from dscov.sources import decode, wire
from dscov.sources.access.transport import Transport

KINDS = ("Node", "Pod", "DaemonSet")
WATCH_SECONDS = 2
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Change:
    """The object `key` became `noun` at a moment, or went (None)."""

    moment: int
    key: Key
    noun: Any


@dataclass
class History:
    """Everything that happened from `start` on; `changes` of one kind are in order."""

    api: Api
    kubeconfig: Path
    start: dict[Key, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    _stop: Event = field(default_factory=Event)
    _threads: list[Thread] = field(default_factory=list)
    _read_to: dict[str, int] = field(default_factory=dict)

    def __enter__(self) -> History:
        access = msgspec.structs.replace(
            resolve(Overrides(kubeconfig=str(self.kubeconfig)), {}), disable_compression=True
        )
        for kind in KINDS:
            answer = self.api.request("GET", collection(kind))
            for item in answer["items"]:
                self.start[_key(kind, item)] = _noun(kind, item)
            self._read_to[kind] = int(answer["metadata"]["resourceVersion"])
            thread = Thread(target=self._watch, args=(Transport(access), kind), daemon=True)
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(3 * WATCH_SECONDS)

    def moment(self) -> int:
        """The moment that it is now: the version of a list that is read from etcd itself."""
        answer = self.api.request("GET", "/api/v1/namespaces/default/podtemplates?limit=1")
        return int(answer["metadata"]["resourceVersion"])

    def complete(self) -> None:
        """Return when everything up to now is in the history: each kind's newest object must have been told."""
        for kind in KINDS:
            newest = max((int(item["metadata"]["resourceVersion"]) for item in self.api.list(kind)), default=0)
            deadline = time.monotonic() + 30
            while self._read_to[kind] < newest:
                assert time.monotonic() < deadline, f"the watch of {kind} came to {self._read_to[kind]} of {newest}"
                time.sleep(0.1)

    def between(self, first: int, last: int) -> Iterator[tuple[int, Snapshot]]:
        """The cluster at moment `first` and after every change up to `last`."""
        objects = dict(self.start)
        changes = sorted(self.changes, key=lambda change: change.moment)
        earlier = [change for change in changes if change.moment <= first]
        for change in earlier:
            _apply(objects, change)
        yield first, _snapshot(objects)
        for change in changes[len(earlier) :]:
            if change.moment > last:
                return
            _apply(objects, change)
            yield change.moment, _snapshot(objects)

    def _watch(self, transport: Transport, kind: str) -> None:
        with transport:
            while not self._stop.is_set():
                query = {
                    "watch": "1",
                    "resourceVersion": str(self._read_to[kind]),
                    "timeoutSeconds": str(WATCH_SECONDS),
                    "allowWatchBookmarks": "true",
                }
                with transport.stream(collection(kind), query=query) as answer:
                    for line in _lines(answer.chunks):
                        self._take(kind, json.loads(line))

    def _take(self, kind: str, event: Object) -> None:
        item = event["object"]
        assert event["type"] in {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}, event
        moment = int(item["metadata"]["resourceVersion"])
        if event["type"] != "BOOKMARK":
            noun = None if event["type"] == "DELETED" else _noun(kind, item)
            self.changes.append(Change(moment, _key(kind, item), noun))
        self._read_to[kind] = moment


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


def _key(kind: str, item: Object) -> Key:
    return kind, item["metadata"].get("namespace", ""), item["metadata"]["name"]


def _noun(kind: str, item: Object) -> Any:
    if kind == "Node":
        return decode.node(msgspec.convert(item, wire.Node))
    if kind == "Pod":
        return decode.pod(msgspec.convert(item, wire.Pod), {}, json.dumps(item).encode())
    return decode.daemonset(msgspec.convert(item, wire.DaemonSet), item)


def _apply(objects: dict[Key, Any], change: Change) -> None:
    if change.noun is None:
        objects.pop(change.key, None)
    else:
        objects[change.key] = change.noun


def _snapshot(objects: dict[Key, Any]) -> Snapshot:
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for key in sorted(objects):
        found[key[0]].append(objects[key])
    return Snapshot(
        source=Source("cluster"),
        nodes=tuple(found["Node"]),
        pods=tuple(found["Pod"]),
        daemonsets=tuple(found["DaemonSet"]),
        version=parse_version("v1.37.2"),
    )
