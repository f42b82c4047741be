"""Objects met twice, and objects whose owner is known by name only."""

from __future__ import annotations

import json

import pytest
from engine.build import NOW, Json, around, daemonset, judged, node, pod, revision, snapshot

from dscov.model.cluster import Snapshot, Source
from dscov.model.world import World
from dscov.sources.gather import Gathering


def versioned(obj: Json, version: str = "", **metadata: object) -> Json:
    """A copy of an object of that resourceVersion."""
    told = {"resourceVersion": version} if version else {}
    return {**obj, "metadata": {**obj["metadata"], **told, **metadata}}


OLD, NEW = node("n1", "old:NoSchedule"), node("n1", "new:NoSchedule")


@pytest.mark.parametrize(
    ("first", "second", "winner", "told"),
    [
        (versioned(OLD, "100"), versioned(NEW, "101"), "new", True),
        (versioned(NEW, "101"), versioned(OLD, "100"), "new", True),
        # As numbers, not as texts.
        (versioned(NEW, "1000"), versioned(OLD, "999"), "new", True),
        (versioned(NEW, generation=3), versioned(OLD, generation=2), "new", True),
        (versioned(OLD, "7"), versioned(NEW, "7"), "new", False),
        # Nothing tells which is newer: the last.
        (OLD, NEW, "new", False),
        (versioned(OLD, "opaque"), versioned(NEW, "text"), "new", False),
    ],
)
def test_the_newest_version_counts(first: Json, second: Json, winner: str, told: bool) -> None:
    found = snapshot(first, second)
    assert [taint.key for one in found.nodes for taint in one.taints] == [winner]
    older = [one for one in found.not_seen if one.resource == "older versions"]
    assert [one.detail for one in older] == (["1 object, e.g. Node/n1"] if told else [])
    assert not any(one.blinds for one in older)


def test_of_every_kind() -> None:
    ds = daemonset()
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "a"}, "spec": {}}
    objects = [ds, pod(ds, "n1"), revision(ds), quota]
    newest = [versioned(obj, "2", labels={**obj["metadata"].get("labels", {}), "v": "new"}) for obj in objects]
    found = snapshot(*newest, *(versioned(obj, "1") for obj in objects))
    assert found.daemonsets[0].labels["v"] == "new"
    assert found.pods[0].labels["v"] == "new"
    assert found.others["ResourceQuota"][0]["metadata"]["labels"]["v"] == "new"
    (told,) = found.not_seen
    assert told.detail.startswith("4 objects, e.g. DaemonSet/system/agent")


def test_a_pod_is_on_the_node_of_its_newest_version_only() -> None:
    ds = daemonset()
    there, here = pod(ds, "n1", suffix="-x"), pod(ds, "n2")
    here["metadata"]["name"] = there["metadata"]["name"]
    for order in ([versioned(there, "1"), versioned(here, "2")], [versioned(here, "2"), versioned(there, "1")]):
        found = snapshot(*order)
        assert {name: len(pods) for name, pods in found.bound.items() if pods} == {"n2": 1}


def test_a_node_that_was_read_and_holds_nothing_is_known_to_be_empty() -> None:
    whole = Gathering()
    whole.absorb(Gathering(), "Pod", forget=lambda _: False, node="n1")
    assert whole.snapshot(Source("cluster")).bound == {"n1": []}


# -- owners by name -----------------------------------------------------------------------------------------------


def stripped(obj: Json, *, uid: bool = False, owner: bool = False) -> Json:
    """A copy without its uid, or without the uids in its owner references."""
    meta = dict(obj["metadata"])
    if uid:
        del meta["uid"]
    if owner:
        meta["ownerReferences"] = [{k: v for k, v in one.items() if k != "uid"} for one in meta["ownerReferences"]]
    return {**obj, "metadata": meta}


DS = daemonset()
PODS = (pod(DS, "n1"), pod(DS, "n2", revision="h1"))
NODES = (node("n1"), node("n2"))


def owned(found: Snapshot) -> dict[str, tuple[list[str], bool]]:
    """The pods of the DaemonSet by node, and whether each is of the current revision."""
    world = World(found, NOW)
    (ds,) = found.daemonsets
    return {
        name: ([one.name for one in pods], all(world.is_updated(ds, one) for one in pods))
        for name, pods in sorted(world.pods_by_node(ds).items())
    }


@pytest.mark.parametrize("ds_lacks", [False, True])
@pytest.mark.parametrize("references_lack", [False, True])
def test_pods_and_revisions_go_by_the_name_where_a_uid_is_missing(ds_lacks: bool, references_lack: bool) -> None:
    found = snapshot(
        *NODES,
        stripped(DS, uid=ds_lacks),
        *(stripped(one, owner=references_lack) for one in (revision(DS), revision(DS, 1), *PODS)),
    )
    assert owned(found) == {"n1": (["agent-n1"], True), "n2": (["agent-n2"], False)}
    assert found.daemonsets[0].uid == ("" if ds_lacks and references_lack else "uid-system-agent")


def test_a_reference_by_name_is_no_orphan() -> None:
    """Another DaemonSet with the same selector does not get it."""
    twin = daemonset("twin", selector={"app": "agent"})
    found = snapshot(*NODES, DS, twin, stripped(PODS[0], owner=True))
    world = World(found, NOW)
    assert {ds.name: sorted(world.pods_by_node(ds)) for ds in found.daemonsets} == {"agent": ["n1"], "twin": []}


def test_another_uid_is_another_daemonset() -> None:
    gone = json.loads(json.dumps(PODS[0]).replace("uid-system-agent", "uid-of-its-predecessor"))
    found = snapshot(*NODES, DS, gone)
    assert owned(found) == {}


def test_a_cluster_without_uids_has_no_gaps() -> None:
    objects = around(DS, well=("n1", "n2"))
    bare = [stripped(one, uid=True, owner="ownerReferences" in one["metadata"]) for one in objects]
    (coverage,) = judged(*bare).coverage
    assert {(pair.verdict.state, pair.verdict.causes) for pair in coverage.pairs} == {("covered", ())}
