"""The manifests in deploy/ let a user see everything and patch, and nothing in them is more than that takes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.api import Object
from cluster.command import ROOT, dscov, report
from cluster.handle import RBAC, Cluster
from cluster.objects import daemonset, node, taint
from cluster.settle import settle

#: Served by OpenShift alone.
ELSEWHERE = {"schedulers"}
Role = dict[str, Any]


def roles(name: str) -> list[Role]:
    return [role for role in yaml.safe_load_all((ROOT / "deploy" / name).read_text()) if role]


def resources(found: list[Role]) -> list[str]:
    return [one for role in found for rule in role["rules"] for one in rule["resources"] if one not in ELSEWHERE]


def without(found: list[Role], *, resource: str = "", verb: str = "") -> list[Role]:
    """The roles less one resource, or less one verb."""

    def less(rule: Object) -> Object:
        kept = [one for one in rule["resources"] if one != resource]
        return {**rule, "resources": kept, "verbs": [one for one in rule["verbs"] if one != verb]}

    return [
        {**role, "rules": [rule for rule in map(less, role["rules"]) if rule["resources"] and rule["verbs"]]}
        for role in found
    ]


numbers = itertools.count()


def user(cluster: Cluster, found: list[Role]) -> Path:
    """The kubeconfig of a new user with these roles, bound as the comments in the manifests say."""
    account = cluster.account()
    subject = {"kind": "ServiceAccount"} | {key: account["metadata"][key] for key in ("name", "namespace")}
    for role in found:
        meta = {**role["metadata"], "name": f"{account['metadata']['name']}-{next(numbers)}"}
        cluster.make({**role, "metadata": meta})
        reference = {"apiGroup": RBAC, "kind": role["kind"], "name": meta["name"]}
        binding = {"apiVersion": f"{RBAC}/v1", "kind": f"{role['kind']}Binding", "metadata": meta}
        cluster.make({**binding, "roleRef": reference, "subjects": [subject]})
    token = cluster.kubectl("create", "token", subject["name"], "-n", subject["namespace"]).stdout.strip()
    return cluster.user_by_token(subject["name"], token)


@pytest.fixture
def world(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> str:
    """A DaemonSet with a gap, so that everything is looked at that can be."""
    fake_nodes(node("rbac-plain"), node("rbac-tainted", taints=[taint("dedicated", "NoSchedule", "x")]))
    cluster.api.create(daemonset("agent", namespace))
    settle(cluster.api)
    return namespace


def not_seen(cluster: Cluster, found: list[Role]) -> set[str]:
    """What a user with these roles is told that it did not see, in all namespaces."""
    told = report(user(cluster, found), "-A", "--expect", "all", "--node-grace", "0s")
    return {missing["resource"].partition(".")[0].partition(" ")[0] for missing in told["metadata"]["notSeen"]}


def test_reading_is_enough(cluster: Cluster, world: str) -> None:
    assert not_seen(cluster, roles("rbac-read.yaml")) == set()


@pytest.mark.parametrize("resource", resources(roles("rbac-read.yaml")))
def test_reading_is_the_least(cluster: Cluster, world: str, resource: str) -> None:
    assert not_seen(cluster, without(roles("rbac-read.yaml"), resource=resource)) == {resource}


def test_a_reader_cannot_patch(cluster: Cluster, world: str) -> None:
    assert patched(cluster, world, roles("rbac-read.yaml")) is False


def test_patching_is_enough(cluster: Cluster, world: str) -> None:
    assert patched(cluster, world, [*roles("rbac-read.yaml"), *roles("rbac-patch.yaml")]) is True


def test_patching_is_the_least(cluster: Cluster, world: str) -> None:
    """Without patch there is no fix. Get is for looking again: what undo does first."""
    without_patch = [*roles("rbac-read.yaml"), *without(roles("rbac-patch.yaml"), verb="patch")]
    assert patched(cluster, world, without_patch) is False


@pytest.mark.parametrize("verb", ["", "get", "patch"])
def test_taking_back_needs_both(cluster: Cluster, world: str, verb: str, tmp_path: Path) -> None:
    allowed = [*roles("rbac-read.yaml"), *roles("rbac-patch.yaml")]
    arguments = ("daemonset/agent", "-n", world, "-y", "--kubeconfig")
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    fixed = dscov("fix", *arguments, str(user(cluster, allowed)), "--add-toleration", "a=b:NoSchedule", environ=environ)
    assert fixed.returncode == 0, fixed.stderr
    undone = dscov("undo", *arguments, str(user(cluster, without(allowed, verb=verb))), environ=environ)
    assert (undone.returncode == 0) == (not verb), undone.stderr


def patched(cluster: Cluster, namespace: str, found: list[Role]) -> bool:
    """Whether a user with these roles can close the gap; that it was told so, and that the cluster has it."""
    config = user(cluster, found)
    arguments = ("daemonset/agent", "-n", namespace, "--add-toleration", "dedicated=x:NoSchedule", "-y")
    environ = {"XDG_STATE_HOME": str(config.parent)}
    done = dscov("fix", *arguments, "--kubeconfig", str(config), environ=environ)
    pod = cluster.api.get("DaemonSet", "agent", namespace)["spec"]["template"]["spec"]
    there = any(one.get("key") == "dedicated" for one in pod.get("tolerations", []))
    assert (done.returncode == 0) == there, done.stderr
    assert there or "forbidden" in done.stderr.lower(), done.stderr
    return there
