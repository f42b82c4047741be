"""Random small clusters for the planner's laws: up to 12 nodes and 6 taints that nearly meet, meet twice and bar together."""

from __future__ import annotations

import random
from typing import Any

from engine.build import daemonset, node, pod, revision

Json = dict[str, Any]

TAINTS = (
    "dedicated=db:NoSchedule",
    "dedicated=web:NoSchedule",
    "dedicated=api:NoSchedule",
    "dedicated=db:NoExecute",
    "dedicated:NoSchedule",
    "example.com/team=blue:NoExecute",
    "example.com/team=green:NoSchedule",
    "example.com/team=green:NoExecute",
    "accelerator:NoSchedule",
    "accelerator:NoExecute",
    "accelerator=true:NoSchedule",
    "storage-only:NoSchedule",
    "node-role.kubernetes.io/control-plane:NoSchedule",
    "node.kubernetes.io/network-unavailable:NoSchedule",
    "virtual-kubelet.io/provider=azure:NoSchedule",
    "maintenance=disk:NoExecute",
    "node.cilium.io/agent-not-ready=true:NoExecute",
)
LABELS = {
    "example.com/pool": ("a", "b", "c"),
    "disk": ("ssd", "SSD", "hdd"),
    "gpu": ("", "true"),
    "memory": ("8", "32"),
    "type": ("virtual-kubelet", "plain", "plain", "plain"),
    "kubernetes.io/os": ("linux", "linux", "linux", "windows"),
    "node-role.kubernetes.io/control-plane": ("",),
}
ASKED = ("example.com/pool", "disk", "gpu", "memory", "dsik", "kubernetes.io/hostname")
EXPECT = ("all", "disk", "example.com/pool in (a,b)", "example.com/pool=a", "!gpu", "kubernetes.io/os=linux")


def world_of_seed(seed: int) -> list[Json]:
    """The objects of a cluster with one DaemonSet, some of whose pods are there."""
    chance = random.Random(seed)
    taints = chance.sample(TAINTS, chance.randint(1, 6))
    nodes = [_node(chance, f"n{number}", taints) for number in range(chance.randint(2, 12))]
    names = [one["metadata"]["name"] for one in nodes]
    ds = _daemonset(chance, taints, names)
    pods = [pod(ds, name) for name in names if chance.random() < 0.5]
    return [*nodes, ds, revision(ds), *pods]


def _node(chance: random.Random, name: str, taints: list[str]) -> Json:
    many = min(len(taints), chance.choice((0, 0, 1, 1, 1, 2, 3)))
    labels = {key: chance.choice(values) for key, values in LABELS.items() if chance.random() < 0.45}
    return node(name, *chance.sample(taints, many), labels=labels)


def _daemonset(chance: random.Random, taints: list[str], names: list[str]) -> Json:
    spec: Json = {}
    if chance.random() < 0.6:
        spec["tolerations"] = [_toleration(chance, taints) for _ in range(chance.choice((1, 1, 2, 3)))]
    if chance.random() < 0.35:
        keys = chance.sample(ASKED, chance.choice((1, 1, 2)))
        spec["nodeSelector"] = {key: _value(chance, key, names) for key in keys}
    if chance.random() < 0.4:
        terms = [_term(chance, names) for _ in range(chance.choice((1, 1, 1, 2)))]
        spec["affinity"] = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        }
    if chance.random() < 0.02:
        spec["nodeName"] = chance.choice(names)
    declared = {"dscov.dev/expect": chance.choice(EXPECT)} if chance.random() < 0.4 else {}
    made = daemonset(spec=spec)
    made["metadata"]["annotations"] = declared
    return made


def _toleration(chance: random.Random, taints: list[str]) -> Json:
    text, _, effect = chance.choice(taints).rpartition(":")
    key, _, value = text.partition("=")
    key = chance.choice((key, key, key, key.replace("e", "", 1), ""))
    value = chance.choice((value, value, "other", ""))
    effect = chance.choice((effect, effect, "NoSchedule", "NoExecute", ""))
    exists = not key or chance.random() < 0.3
    made: Json = {"operator": "Exists"} if exists else {"operator": "Equal", "value": value}
    if effect == "NoExecute" and chance.random() < 0.2:
        made["tolerationSeconds"] = 60
    return made | ({"key": key} if key else {}) | ({"effect": effect} if effect else {})


def _value(chance: random.Random, key: str, names: list[str]) -> str:
    if key == "kubernetes.io/hostname":
        return chance.choice(names)
    return chance.choice((*LABELS.get(key, ("ssd",)), "True", "plian"))


def _term(chance: random.Random, names: list[str]) -> Json:
    entries = [_expression(chance, names) for _ in range(chance.choice((1, 1, 2)))]
    return {"matchExpressions": list({entry["key"]: entry for entry in entries}.values())}


def _expression(chance: random.Random, names: list[str]) -> Json:
    key = chance.choice(ASKED)
    operator = chance.choice(("In", "In", "In", "NotIn", "NotIn", "Exists", "DoesNotExist", "Gt"))
    if operator == "Gt":
        return {"key": "memory", "operator": "Gt", "values": [chance.choice(("16", "16Gi"))]}
    if operator in {"Exists", "DoesNotExist"}:
        return {"key": key, "operator": operator}
    values = [_value(chance, key, names) for _ in range(chance.choice((1, 2)))]
    return {"key": key, "operator": operator, "values": list(dict.fromkeys(values))}
