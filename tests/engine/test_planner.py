"""What is proposed: the best plan first, others after it, reasons for what is left, and the patch as it would be sent."""

from __future__ import annotations

from typing import Any

import pytest
from engine.build import EVERYTHING, NOW, ON_DELETE, around, daemonset, lost_node, node, pod, revision, snapshot
from engine.eligibility import LIST, TERMS, asks, selecting, tolerating

from dscov.diagnosis import world_of
from dscov.model.policy import DEFAULTS
from dscov.model.proposals import Proposal
from dscov.planner import propose
from dscov.planner.fleet import Fleet
from dscov.planner.problem import Problem
from dscov.simulation import patched

Json = dict[str, Any]
WELL = node("well")


def proposed(*objects: Json, **more: Any) -> Proposal:
    """The proposal for the one DaemonSet."""
    (found,) = propose(snapshot(*objects), now=NOW, **more)[1]
    for option in found.options:
        patched(found.daemonset, option.patch)
    return found


def summaries(*objects: Json, **more: Any) -> list[str]:
    return [option.summary for option in proposed(*objects, **more).options]


def best(*objects: Json, **more: Any) -> list[Json]:
    return [dict(operation) for operation in proposed(*objects, **more).options[0].patch]


# -- tolerations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ds", "taints", "want"),
    [
        pytest.param(daemonset(), ["a=b:NoSchedule"], "tolerate a=b:NoSchedule", id="exact"),
        pytest.param(daemonset(), ["gpu:NoSchedule"], "tolerate gpu:NoSchedule", id="no value"),
        pytest.param(
            daemonset(), ["a=b:NoSchedule", "a=b:NoExecute"], "tolerate a=b with any effect", id="both effects at once"
        ),
        pytest.param(
            daemonset(),
            ["a=b:NoSchedule", "a=c:NoSchedule"],
            "tolerate a:NoSchedule with any value",
            id="several values need it",
        ),
        pytest.param(
            daemonset(),
            ["a=b:NoSchedule", "x=y:NoExecute"],
            "tolerate a=b:NoSchedule; tolerate x=y:NoExecute",
            id="two keys",
        ),
        pytest.param(
            tolerating("dedicatd=db:NoSchedule"),
            ["dedicated=db:NoSchedule"],
            "change the toleration dedicatd=db:NoSchedule to dedicated=db:NoSchedule",
            id="a key misspelt",
        ),
        pytest.param(
            tolerating("gpu=present:NoSchedule"),
            ["gpu=true:NoSchedule"],
            "change the toleration gpu=present:NoSchedule to gpu=true:NoSchedule",
            id="a wrong value",
        ),
        pytest.param(
            tolerating("a=b:NoExecute"),
            ["a=b:NoSchedule"],
            "change the toleration a=b:NoExecute to a=b:NoSchedule",
            id="a wrong effect",
        ),
        pytest.param(
            tolerating("node-role.kubernetes.io/master:NoSchedule"),
            ["node-role.kubernetes.io/control-plane:NoSchedule"],
            "tolerate node-role.kubernetes.io/control-plane:NoSchedule",
            id="another taint is not mended into this one",
        ),
        pytest.param(
            tolerating({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}),
            ["a:NoSchedule"],
            "tolerate a:NoSchedule",
            id="one with an end is left alone",
        ),
    ],
)
def test_the_narrowest_toleration(ds: Json, taints: list[str], want: str) -> None:
    nodes = [node(f"n{place}", taint) for place, taint in enumerate(taints)]
    found = proposed(ds, WELL, *nodes)
    assert found.options[0].summary == want
    assert found.least
    assert found.targets == tuple(one["metadata"]["name"] for one in nodes)


def test_a_toleration_that_nodes_need_is_not_changed() -> None:
    nodes = node("n1", "team=red:NoSchedule"), node("n2", "team=blue:NoSchedule")
    ds = tolerating("team=red:NoSchedule")
    assert summaries(ds, *nodes) == [
        "tolerate team=blue:NoSchedule",
        "change the toleration team=red:NoSchedule to team:NoSchedule with any value",
    ]


def test_patches_change_in_place_and_add_behind() -> None:
    nodes = node("n1", "gpu=true:NoSchedule"), node("n2", "a=b:NoExecute")
    assert best(tolerating("gpu=present:NoSchedule"), *nodes) == [
        {"op": "replace", "path": f"{LIST}/0/value", "value": "true"},
        {
            "op": "add",
            "path": f"{LIST}/-",
            "value": {"effect": "NoExecute", "key": "a", "operator": "Equal", "value": "b"},
        },
    ]
    assert [operation["path"] for operation in best(daemonset(), *nodes)] == [LIST]


def test_a_broader_form_says_what_it_would_admit() -> None:
    found = proposed(daemonset(), node("n1", "a=b:NoSchedule"), WELL)
    assert [(one.summary, one.notes) for one in found.options] == [
        ("tolerate a=b:NoSchedule", ()),
        (
            "tolerate a:NoSchedule with any value",
            ("it also meets a with any other value:NoSchedule; nodes have b now",),
        ),
    ]
    assert [one.cost for one in found.options] == [(1, 1, 0), (1, 5, 0)]


def test_no_option_is_without_a_key_or_tolerates_what_passes() -> None:
    taints = (
        "node.kubernetes.io/network-unavailable:NoSchedule",
        "node.cilium.io/agent-not-ready=true:NoExecute",
        "virtual-kubelet.io/provider=azure:NoSchedule",
        "maintenance:NoSchedule",
    )
    for taint in taints:
        for found in propose(snapshot(daemonset(), node("n1", taint), WELL), now=NOW)[1]:
            assert not any(LIST in operation["path"] for option in found.options for operation in option.patch), taint
            assert "n1" not in found.targets


def test_the_daemon_without_which_a_taint_stays_may_tolerate_it() -> None:
    plugin = daemonset("cilium", spec={"hostNetwork": False})
    found = proposed(plugin, node("n1", "node.kubernetes.io/network-unavailable:NoSchedule"), WELL)
    assert found.options[0].summary == "tolerate node.kubernetes.io/network-unavailable:NoSchedule"
    (note,) = found.options[0].notes
    assert note.endswith(":NoSchedule may be tolerated here: a network plugin has to run before its node can get ready")
    assert proposed(daemonset("agent"), node("n1", "node.kubernetes.io/network-unavailable:NoSchedule"), WELL).left


# -- where it does not belong -----------------------------------------------------------------------------------------


def test_fargate_is_excluded_by_its_label() -> None:
    fargate = node("f1", labels={"eks.amazonaws.com/compute-type": "fargate"})
    found = proposed(daemonset(spec=EVERYTHING), fargate, WELL)
    assert found.targets == ("f1",)
    assert found.options[0].summary == "ask for eks.amazonaws.com/compute-type notin (fargate) in the node affinity"
    assert found.options[0].effect.loses == ("f1",)


def test_letting_in_one_system_keeps_the_other_out() -> None:
    nodes = [node("n1", "gpu:NoSchedule"), node("w1", "gpu:NoSchedule", info={"operatingSystem": "windows"}), WELL]
    found = proposed(daemonset(), *nodes)
    assert found.options[0].summary == "tolerate gpu:NoSchedule; select kubernetes.io/os=linux"
    assert found.options[0].effect.gains == ("n1",)
    assert found.cost == 2


def test_what_nothing_tells_apart_is_left() -> None:
    virtual = node("virtual-kubelet-1", "gpu:NoSchedule")
    found = proposed(daemonset(), node("n1", "gpu:NoSchedule"), virtual, WELL)
    assert found.options == ()
    (left,) = [one for one in found.left if one.nodes == ("n1",)]
    assert (left.cause, left.nodes, left.remedy.kind) == ("untolerated-taint", ("n1",), "no-patch")
    assert left.remedy.why == (
        "no change of the template lets it in here and nowhere else; the cause's own way is: tolerate gpu:NoSchedule"
    )


def test_the_rest_is_planned_for_without_it() -> None:
    virtual = node("virtual-kubelet-1", "gpu:NoSchedule")
    found = proposed(daemonset(), node("n1", "gpu:NoSchedule"), virtual, node("n2", "a=b:NoSchedule"), WELL)
    assert found.targets == ("n2",)
    assert ("n1",) in [one.nodes for one in found.left]


# -- selectors --------------------------------------------------------------------------------------------------------


def test_the_value_as_nodes_have_it() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "SSD"}})
    assert best(ds, node("n1", labels={"disk": "ssd"}), WELL) == [
        {"op": "replace", "path": "/spec/template/spec/nodeSelector/disk", "value": "ssd"}
    ]


def test_a_node_that_lacks_the_label_of_its_pool_is_to_be_labelled() -> None:
    pool = [node(f"n{i}", labels={"example.com/pool": "a", "disk": "ssd"}) for i in range(3)]
    found = proposed(
        daemonset(spec={"nodeSelector": {"disk": "ssd"}}), *pool, node("odd", labels={"example.com/pool": "a"})
    )
    assert found.options == ()
    assert [(one.cause, one.nodes) for one in found.left if one.nodes == ("odd",)] == [("node-label-missing", ("odd",))]


def test_an_exclusion_lets_go_of_a_value() -> None:
    ds = selecting([asks("instance-type", "Exists"), asks("kind", "NotIn", "auto", "fargate")])
    auto = node("n1", labels={"instance-type": "x", "kind": "auto"})
    other = node("n2", labels={"instance-type": "x"})
    assert best(ds, auto, other, pod(ds, "n2"))[0]["path"] == f"{TERMS}/0/matchExpressions/1/values"


def test_where_nodes_are_declared_the_selector_gives_way() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "ssd"}}, metadata={"annotations": {"dscov.dev/expect": "all"}})
    assert summaries(ds, node("n1"), node("n2", labels={"disk": "ssd"})) == ["take disk out of the nodeSelector"]


# -- what runs, and what else is a cure -------------------------------------------------------------------------------


def test_pods_that_a_rollout_would_take_away_are_planned_for() -> None:
    ds = daemonset()
    objects = around(ds, node("n3", "gpu:NoSchedule"), node("n4", "a=b:NoSchedule"), pod(ds, "n4"))
    found = proposed(*objects)
    assert found.targets == ("n3", "n4")
    only = proposed(*objects, targets=lambda _ds, name, _causes: name == "n3")
    assert only.targets == ("n3",)
    assert only.options[0].notes == ("its rollout ends the pod on n4, and the controller makes none there again",)
    resting = daemonset(strategy=ON_DELETE)
    objects = around(resting, node("n3", "gpu:NoSchedule"), node("n4", "a=b:NoSchedule"), pod(resting, "n4"))
    assert proposed(*objects, targets=lambda _ds, name, _causes: name == "n3").options[0].notes == ()


def test_a_cure_beside_placement_is_part_of_the_plan() -> None:
    churning = tolerating({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60})
    found = proposed(churning, node("n1", "a:NoExecute"), node("n2", "gpu:NoSchedule"), WELL)
    assert found.targets == ("n1", "n2")
    assert [operation["path"] for operation in found.options[0].patch] == [f"{LIST}/0/tolerationSeconds", f"{LIST}/-"]
    assert found.cost == 2


def test_what_no_patch_cures_is_left_with_its_remedy() -> None:
    found = proposed(daemonset(), lost_node("n1"), node("n2", "gpu:NoSchedule"))
    assert found.targets == ("n2",)
    assert {one.cause for one in found.left} >= {"node-lost"}


# -- choosing ---------------------------------------------------------------------------------------------------------


def test_only_what_is_chosen_is_planned_for_and_all_else_is_kept() -> None:
    objects = daemonset(), node("n1", "a=b:NoSchedule"), node("n2", "a=c:NoSchedule"), WELL
    found = proposed(*objects, targets=lambda _ds, name, _causes: name == "n1")
    assert (found.targets, found.options[0].effect.gains) == (("n1",), ("n1",))
    assert propose(snapshot(*objects), now=NOW, targets=lambda *_: False)[1] == ()
    assert propose(snapshot(*objects), now=NOW, wants=lambda ds: ds.name == "other")[1] == ()


def test_a_sound_daemonset_has_no_proposal() -> None:
    ds = daemonset()
    assert propose(snapshot(*around(ds, nodes=("n2",))), now=NOW)[1] == ()


# -- the search -------------------------------------------------------------------------------------------------------


def test_many_keys_are_still_exact() -> None:
    taints = [
        f"key-{place}=v{value}:{effect}"
        for place in range(15)
        for value in "ab"
        for effect in ("NoSchedule", "NoExecute")
    ]
    nodes = [node(f"n{place}", taint) for place, taint in enumerate(taints)]
    nodes.append(node("w1", *taints, info={"operatingSystem": "windows"}))
    found = proposed(daemonset(), *nodes, WELL)
    assert (found.least, found.cost, len(found.targets)) == (True, 16, 60)
    assert "w1" not in found.options[0].effect.gains


def test_a_set_of_nodes_agrees_with_the_oracle() -> None:
    ds = selecting([asks("a", "Gt", "5")], [asks("b", "NotIn", "x"), asks("c", "Exists")])
    nodes = [node(f"n{n}", labels={"a": str(n), "c": "", **({"b": "x"} if n % 2 else {})}) for n in range(9)]
    world = world_of(snapshot(ds, *nodes), now=NOW, settings=DEFAULTS)
    problem = Problem(Fleet(world), world.snapshot.daemonsets[0])
    wanted = {n.name for n in world.snapshot.nodes if world.placement(problem.daemonset, n).should_run}
    assert {*problem.fleet.names(problem.base.runs)} == wanted
    assert revision(ds)
