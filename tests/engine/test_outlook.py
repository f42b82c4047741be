"""What comes with a patch: restarts and their budget, room on the new nodes, who owns the fields."""

from typing import Any

import pytest
from engine.build import NOW, ON_DELETE, around, daemonset, node, pod, rolling, snapshot
from engine.eligibility import LIST

from dscov.model.proposals import Option, Outlook, Proposal
from dscov.outlook import assess, foresee

Json = dict[str, Any]
ADD = ({"op": "add", "path": LIST, "value": [{"key": "gpu", "operator": "Exists"}]},)
TIGHT = {"resources": {"requests": {"cpu": "3"}}}


def outlook(ds: Json, *more: Json, patch: tuple[Json, ...] = ADD, well: tuple[str, ...] = ("n2", "n3")) -> Outlook:
    seen = snapshot(*around(ds, node("n1", "gpu:NoSchedule"), *more, nodes=("n1", "n2", "n3"), well=well))
    subject = next(one for one in seen.daemonsets if one.name == ds["metadata"]["name"])
    option = assess(seen, subject, Option("", patch), now=NOW)
    (found,) = foresee(seen, [Proposal(subject, option.effect.gains, (option,))], now=NOW)
    return found.options[0].outlook


def other(
    name: str, *, cpu: str, priority: int = 0, owner: str = "ReplicaSet", ports: list[Json] | None = None
) -> Json:
    """A pod of somebody else on the tainted node."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": name,
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": owner, "name": name, "uid": name, "controller": True}
            ],
        },
        "spec": {
            "nodeName": "n1",
            "priority": priority,
            "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}, "ports": ports or []}],
        },
        "status": {"phase": "Running"},
    }


@pytest.mark.parametrize(
    ("strategy", "at_once", "on_delete", "restarts"),
    [
        (rolling(1), 1, False, 2),
        (rolling("50%"), 2, False, 2),
        (rolling(0, 1), 1, False, 2),
        (ON_DELETE, 0, True, 0),
    ],
)
def test_budget(strategy: Json, at_once: int, restarts: int, *, on_delete: bool) -> None:
    found = outlook(daemonset(strategy=strategy))
    assert (found.at_once, found.on_delete, found.restarts) == (at_once, on_delete, restarts)


def test_room() -> None:
    assert outlook(daemonset(container=TIGHT)).squeezed == ()
    assert outlook(daemonset(container=TIGHT)).room_seen
    (tight,) = outlook(daemonset(container=TIGHT), other("web", cpu="2")).squeezed
    assert (tight.node, tight.short, tight.evicts) == ("n1", ("cpu: asks 3, 2 free",), ())


def test_who_would_be_evicted() -> None:
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    ds = daemonset(container=TIGHT, spec={"priorityClassName": "high"})
    (tight,) = outlook(ds, high, other("web", cpu="2"), other("db", cpu="1", priority=2000)).squeezed
    assert tight.evicts == ("ReplicaSet shop/web",)
    never = {**high, "preemptionPolicy": "Never"}
    (tight,) = outlook(ds, never, other("web", cpu="2")).squeezed
    assert tight.evicts == ()
    critical = daemonset(namespace="kube-system", container=TIGHT, spec={"priorityClassName": "system-node-critical"})
    (tight,) = outlook(critical, other("web", cpu="2", priority=5)).squeezed
    assert tight.evicts == ("ReplicaSet shop/web",)


def test_a_host_port_that_is_held() -> None:
    ports = [{"containerPort": 9100, "hostPort": 9100}]
    (tight,) = outlook(daemonset(container={"ports": ports}), other("exporter", cpu="0", ports=ports)).squeezed
    assert tight.short == ("host port 9100/TCP is held by ReplicaSet shop/exporter",)


def test_who_loses_the_field() -> None:
    fields = {"f:spec": {"f:template": {"f:spec": {"f:tolerations": {}, "f:containers": {}}}}}
    entries = [
        {"manager": "helm", "operation": "Apply", "fieldsV1": fields},
        {"manager": "kubectl-dscov", "operation": "Update", "fieldsV1": fields},
        {"manager": "kube-controller-manager", "subresource": "status", "fieldsV1": fields},
        {"manager": "other", "fieldsV1": {"f:spec": {"f:template": {"f:spec": {"f:nodeSelector": {}}}}}},
    ]
    found = outlook(daemonset(metadata={"managedFields": entries}))
    assert found.managers == (("helm", "spec.template.spec.tolerations", True),)
    assert (found.owner, found.reverts) == ("helm", False)
    flux = outlook(daemonset(labels={"kustomize.toolkit.fluxcd.io/name": "apps"}))
    assert (flux.owner, flux.owner_name, flux.reverts) == ("flux", "apps", True)


def test_a_patch_that_does_not_apply() -> None:
    seen = snapshot(*around(daemonset()))
    with pytest.raises(ValueError, match="does not apply"):
        assess(seen, seen.daemonsets[0], Option("", ({"op": "remove", "path": f"{LIST}/0"},)), now=NOW)


def test_pods_of_a_node_that_was_not_read() -> None:
    ds = daemonset()
    live = snapshot(*around(ds, node("n1", "gpu:NoSchedule"), pod(daemonset("x"), "n2")))
    import msgspec

    from dscov.model.cluster import Source

    live = msgspec.structs.replace(live, source=Source("cluster"), bound={})
    subject = live.daemonsets[0]
    option = assess(live, subject, Option("", ADD), now=NOW)
    (found,) = foresee(live, [Proposal(subject, (), (option,))], now=NOW)
    assert not found.options[0].outlook.room_seen


def test_of_several_owners_the_one_that_undoes_decides() -> None:
    helm = {"meta.helm.sh/release-name": "x", "meta.helm.sh/release-namespace": "y"}
    labels = {"app.kubernetes.io/managed-by": "Helm", "olm.owner": "csv"}
    found = outlook(daemonset(labels=labels, metadata={"labels": labels, "annotations": helm}))
    assert (found.owner, found.reverts) == ("operator", True)
