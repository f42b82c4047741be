"""Protobuf and JSON of a real API server say the same of every pod and node of a random, disturbed world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest

from cluster.api import collection
from cluster.handle import Cluster
from cluster.settle import settle
from cluster.worlds.random_world import random_world
from dscov import Overrides, resolve
from dscov.sources import decode, protobuf, wire
from dscov.sources.access.transport import Transport


def test_every_object_is_the_same_in_either_form(
    new_cluster: Callable[..., Cluster], capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = new_cluster()
    world = random_world(5, daemonsets=40, nodes=15)
    world.create(cluster.api)
    world.disturb(cluster.api, settle(cluster.api))
    settle(cluster.api)
    seen: Counter[str] = Counter()
    with Transport(resolve(Overrides(kubeconfig=str(cluster.kubeconfig)), {})) as transport:
        for kind, shape in (("Node", wire.Node), ("Pod", wire.Pod)):
            answer = transport.get(collection(kind), accept=protobuf.ACCEPT)
            assert answer.headers["Content-Type"] == protobuf.CONTENT_TYPE
            decoder = protobuf.Decoder(shape)
            theirs = [decoder.decode(raw) for raw in protobuf.Members([answer.body])]
            ours = [msgspec.convert(item, shape) for item in cluster.api.list(kind)]
            for one, other in zip(theirs, ours, strict=True):
                seen[kind] += 1
                if kind == "Node":
                    assert decode.node(one) == decode.node(other)
                else:
                    assert decode.pod(one, {}) == decode.pod(other, {})
                    seen["pods that are not ready"] += not decode.pod(one, {}).ready
    with capsys.disabled():
        print(f"\nequal in either form: {dict(seen)}")
    assert all(seen.values())
    assert len(seen) == 3
