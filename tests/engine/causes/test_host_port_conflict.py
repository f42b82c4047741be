"""host-port-conflict: ports, and who holds them."""

import pytest
from engine.build import Json, ago, around, daemonset, findings, said, verdict
from engine.waiting import left, refusal, tenant

SLUG = "host-port-conflict"
TAKEN = refusal("node(s) didn't have free ports for the requested pod ports")


def port(number: int = 9100, **more: str) -> Json:
    return {"ports": [{"containerPort": number, "hostPort": number, **more}]}


DS = daemonset(container=port())


def test_the_holder_is_named_by_its_owner() -> None:
    objects = around(DS, left(DS, TAKEN), tenant("exporter", owner="DaemonSet", container=port()))
    assert said(SLUG, *objects) == ["host port 9100/TCP is held by DaemonSet shop/exporter"]
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "no-patch"
    assert finding.remedy.actions == ("kubectl -n shop get daemonset exporter",)
    assert verdict("n1", *objects).gap


def test_nodes_with_one_holder_are_one_finding() -> None:
    waits = [left(DS, TAKEN, on=name) for name in ("n1", "n2")]
    holders = [tenant("exporter", owner="DaemonSet", container=port(), on=name) for name in ("n1", "n2")]
    holders[1]["metadata"]["name"] = "exporter-y"
    (finding,) = findings(SLUG, *around(DS, *waits, *holders, well=()))
    assert finding.nodes == ("n1", "n2")


@pytest.mark.parametrize(
    ("mine", "theirs", "collide"),
    [
        (port(), port(), True),
        (port(protocol="TCP"), port(), True),
        (port(hostIP="10.0.0.1"), port(hostIP="0.0.0.0"), True),
        (port(hostIP="10.0.0.1"), port(hostIP="10.0.0.1"), True),
        (port(hostIP="10.0.0.1"), port(hostIP="10.0.0.2"), False),
        (port(protocol="UDP"), port(), False),
        (port(protocol="SCTP"), port(protocol="UDP"), False),
        (port(9100), port(9101), False),
    ],
)
def test_addresses_and_protocols(mine: Json, theirs: Json, collide: bool) -> None:
    ds = daemonset(container=mine)
    (sentence,) = said(SLUG, *around(ds, left(ds, TAKEN), tenant("other", container=theirs)))
    assert ("shop/other" in sentence) is collide


def test_with_host_network_a_container_port_is_a_host_port() -> None:
    ds = daemonset(container={"ports": [{"containerPort": 80}]}, spec={"hostNetwork": True})
    holder = tenant("web", container=port(80))
    assert said(SLUG, *around(ds, left(ds, TAKEN), holder)) == ["host port 80/TCP is held by ReplicaSet shop/web"]


@pytest.mark.parametrize(("version", "seen"), [("v1.34.0", True), ("v1.32.1", False)])
def test_ports_of_sidecars_count_since_1_34(version: str, seen: bool) -> None:
    ds = daemonset(inits=[{"name": "side", "restartPolicy": "Always", **port()}])
    (sentence,) = said(SLUG, *around(ds, left(ds, TAKEN), tenant("other", container=port())), version=version)
    assert ("shop/other" in sentence) is seen


def test_a_pod_without_owner() -> None:
    assert said(SLUG, *around(DS, left(DS, TAKEN), tenant("bare", owner="", container=port()))) == [
        "host port 9100/TCP is held by Pod shop/bare-x"
    ]


def test_a_holder_that_is_going_is_no_gap() -> None:
    going = tenant("old", container=port(), metadata={"deletionTimestamp": ago(1)})
    objects = around(DS, left(DS, TAKEN), going)
    assert said(SLUG, *objects)
    assert not verdict("n1", *objects).gap


def test_a_holder_that_was_not_seen() -> None:
    assert said(SLUG, *around(DS, left(DS, TAKEN))) == ["host port 9100/TCP is held by a pod that was not seen"]


@pytest.mark.parametrize("message", ["", refusal("Insufficient cpu"), refusal("Too many pods")])
def test_silent_on_other_words(message: str) -> None:
    assert said(SLUG, *around(DS, left(DS, message), tenant("o", container={"ports": []}))) == []


def test_silent_where_the_pod_is_bound() -> None:
    assert said(SLUG, *around(DS, tenant("o", container=port()), well=("n1", "n2"))) == []
