"""Who we are to a real API server, and what we then can and cannot say, held against what kubectl sees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.api import Object
from cluster.command import dscov, report
from cluster.handle import Cluster
from cluster.local.kubeconfig import write_kubeconfig
from cluster.objects import daemonset, node, taint
from cluster.settle import settle

NODES = ("who-0", "who-1", "who-2")
READER = ("pods", "daemonsets", "controllerrevisions", "events")
FORBIDDEN = 3


def rules(*resources: str) -> list[Object]:
    return [{"apiGroups": ["", "apps"], "resources": list(resources), "verbs": ["list", "get"]}]


def pairs(found: Object) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["name"], pair["node"]): pair for one in found["daemonsets"] for pair in one["nodes"]}


def not_seen(found: Object) -> dict[str, str]:
    return {missing["resource"]: missing["reason"] for missing in found["metadata"]["notSeen"]}


def kubectl_sees(cluster: Cluster, kubeconfig: Path, *arguments: str) -> set[str] | None:
    """The names that kubectl lists, None where it is refused."""
    command = ("--kubeconfig", str(kubeconfig), "get", *arguments, "-o", "name")
    done = cluster.kubectl(*command, check=False)
    return {line.partition("/")[2] for line in done.stdout.split()} if done.returncode == 0 else None


@pytest.fixture
def world(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> Iterator[str]:
    """A namespace with two DaemonSets on three nodes, one of them tainted; the name of the namespace."""
    plain = [node(name) for name in NODES[:2]]
    fake_nodes(*plain, node(NODES[2], taints=[taint("dedicated", "NoSchedule", "x")]))
    cluster.api.create(daemonset("agent", namespace))
    cluster.api.create(daemonset("everywhere", namespace, pod={"tolerations": [{"operator": "Exists"}]}))
    settle(cluster.api)
    yield namespace


def test_the_administrator_sees_everything(cluster: Cluster, world: str) -> None:
    found = report(cluster.kubeconfig, "-n", world)
    assert not_seen(found) == {}
    assert set(pairs(found)) == {(name, where) for name in ("agent", "everywhere") for where in NODES}


def test_a_user_of_one_namespace_still_gets_what_can_be_said(cluster: Cluster, world: str) -> None:
    limited = cluster.user(rules(*READER), world)
    assert kubectl_sees(cluster, limited, "nodes") is None
    done = dscov("diagnose", "-n", world, "-o", "json", "--kubeconfig", str(limited))
    assert done.returncode == FORBIDDEN, done.stderr
    found = json.loads(done.stdout)
    assert not_seen(found)["nodes"] == "Forbidden"
    assert "nodes" in done.stderr
    seen = pairs(found)
    pods = {pod for pair in seen.values() for pod in pair["pods"]}
    assert pods == kubectl_sees(cluster, limited, "pods", "-n", world)
    assert set(seen) == {("agent", "who-0"), ("agent", "who-1"), *(("everywhere", where) for where in NODES)}
    assert {pair["state"] for pair in seen.values()} == {"covered"}
    assert {(pair["shouldRun"], pair["shouldContinueRunning"]) for pair in seen.values()} == {(None, None)}
    assert [one["counters"]["computed"] for one in found["daemonsets"]] == [None, None]


def test_with_all_namespaces_it_is_said_which_were_not_seen(cluster: Cluster, world: str) -> None:
    limited = cluster.user([*rules(*READER)], world)
    settings = json.loads(cluster.kubectl("--kubeconfig", str(limited), "config", "view", "--raw", "-o", "json").stdout)
    settings["contexts"][0]["context"]["namespace"] = world
    limited.write_text(json.dumps(settings))
    done = dscov("diagnose", "-A", "-o", "json", "--kubeconfig", str(limited))
    assert done.returncode == FORBIDDEN, done.stderr
    found = json.loads(done.stdout)
    assert not_seen(found)[f"daemonsets.apps outside {world}"] == "Forbidden"
    assert {one["namespace"] for one in found["daemonsets"]} == {world}
    assert {pair["state"] for pair in pairs(found).values()} == {"covered"}


def test_nodes_and_no_pods_leave_pairs_unknown(cluster: Cluster, world: str) -> None:
    limited = cluster.user(rules("nodes", "daemonsets"))
    done = dscov("diagnose", "-n", world, "-o", "json", "--kubeconfig", str(limited))
    assert done.returncode == FORBIDDEN, done.stderr
    found = json.loads(done.stdout)
    states = {key: pair["state"] for key, pair in pairs(found).items()}
    assert states.pop(("agent", "who-2")) == "excluded"
    assert set(states.values()) == {"unknown"}
    assert pairs(found)["everywhere", "who-2"]["shouldRun"] is True


def test_nothing_at_all_is_an_error(cluster: Cluster, world: str) -> None:
    done = dscov("diagnose", "-n", world, "--kubeconfig", str(cluster.user(rules("configmaps"))))
    assert (done.returncode, done.stdout) == (FORBIDDEN, "")
    assert "forbidden" in done.stderr
    assert "Traceback" not in done.stderr


def test_impersonation(cluster: Cluster, world: str) -> None:
    """The administrator as another: nothing of the administrator's rights is left."""
    config = str(cluster.kubeconfig)
    name = f"reader-{world}"
    meta = {"name": name}
    group = "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": meta}
    cluster.make(role | {"rules": rules("nodes", *READER)})
    binding = {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": meta}
    binding |= {"roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name}}
    cluster.make(binding | {"subjects": [{"apiGroup": group, "kind": "Group", "name": name}]})

    nobody = dscov("diagnose", "-n", world, "--kubeconfig", config, "--as", "nobody")
    assert nobody.returncode == FORBIDDEN
    assert 'User "nobody" cannot list' in nobody.stderr
    seen = report(cluster.kubeconfig, "-n", world, "--as", "nobody", "--as-group", name)
    assert not any(what in not_seen(seen) for what in ("nodes", "pods", "daemonsets.apps"))
    assert len(pairs(seen)) == 2 * len(NODES)


def test_an_expired_token_is_an_error(cluster: Cluster, world: str) -> None:
    if cluster.plane is None:
        pytest.skip("only a plane of ours signs tokens that have expired")
    expired = cluster.expired_user()
    done = dscov("diagnose", "-n", world, "--kubeconfig", str(expired))
    assert (done.returncode, done.stdout) == (FORBIDDEN, "")
    assert "you must be logged in to the server" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "logged in" in cluster.kubectl("--kubeconfig", str(expired), "get", "pods", check=False).stderr


def test_two_kubeconfigs_are_merged_as_kubectl_merges(cluster: Cluster, world: str, tmp_path: Path) -> None:
    """The first names a context whose cluster and user stand in the second."""
    admin = json.loads(cluster.kubectl("config", "view", "--raw", "--flatten", "-o", "json").stdout)
    server, user = admin["clusters"][0]["cluster"], admin["users"][0]["user"]
    write_kubeconfig(tmp_path / "second", cluster=server, user=user, name="far")
    first = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "near",
        "contexts": [{"name": "near", "context": {"cluster": "far", "user": "far", "namespace": world}}],
    }
    (tmp_path / "first").write_text(json.dumps(first))
    paths = f"{tmp_path / 'first'}:{tmp_path / 'second'}"
    done = dscov("diagnose", "-o", "json", environ={"KUBECONFIG": paths})
    found = json.loads(done.stdout)
    assert found["metadata"]["source"]["context"] == "near"
    assert {one["namespace"] for one in found["daemonsets"]} == {world}
    assert {pod for pair in pairs(found).values() for pod in pair["pods"]} == kubectl_sees(
        cluster, cluster.kubeconfig, "pods", "-n", world
    )
