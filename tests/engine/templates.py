"""Random templates and nodes of a small vocabulary, so that they meet, miss and nearly miss each other often."""

from __future__ import annotations

import random
from typing import Any

from engine.build import ago, daemonset, node

Json = dict[str, Any]

TAINTS = (
    "dedicated=db:NoSchedule",
    "dedicated=web:NoSchedule",
    "dedicated=db:NoExecute",
    "gpu:NoSchedule",
    "node-role.kubernetes.io/control-plane:NoSchedule",
    "node-role.kubernetes.io/master=true:NoSchedule",
    "node.kubernetes.io/not-ready:NoSchedule",
    "node.kubernetes.io/unreachable:NoExecute",
    "node.kubernetes.io/network-unavailable:NoSchedule",
    "node.cilium.io/agent-not-ready=true:NoExecute",
    "karpenter.sh/disrupted:NoSchedule",
    "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    "virtual-kubelet.io/provider=azure:NoSchedule",
    "maintenance=disk:NoExecute",
    "soft:PreferNoSchedule",
)
LABELS = {
    "example.com/pool": ("a", "b"),
    "disk": ("ssd", "SSD", "hdd"),
    "gpu": ("", "true", "false"),
    "memory": ("8", "32", "32Gi"),
    "zone": ("eu-1a", "eu-1b"),
    "type": ("virtual-kubelet", "plain", "plain"),
    "kubernetes.io/os": ("linux", "linux", "windows"),
    "node-role.kubernetes.io/control-plane": ("", "true"),
}
KEYS = (*LABELS, "node-role.kubernetes.io/master", "dsik", "kubernetes.io/hostname")
EFFECTS = ("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule", "")


def some_node(chance: random.Random, name: str) -> Json:
    """A node with a few taints and labels, sometimes young, lost or on its way out."""
    made = node(
        name,
        *chance.sample(TAINTS, chance.choice((0, 0, 1, 1, 2))),
        created=ago(chance.choice((5, 50_000, 50_000))),
        labels={key: chance.choice(values) for key, values in LABELS.items() if chance.random() < 0.5},
        ready=chance.choice(("True", "True", "True", "False", "Unknown")),
    )
    if chance.random() < 0.3:
        made["metadata"]["labels"]["kubernetes.io/hostname"] = name.partition(".")[0]
    return made


def some_daemonset(chance: random.Random, name: str, nodes: list[str]) -> Json:
    """A DaemonSet that tolerates and selects some of all this, rightly or wrongly."""
    spec: Json = {"hostNetwork": chance.random() < 0.3}
    if chance.random() < 0.6:
        spec["tolerations"] = [_toleration(chance) for _ in range(chance.choice((1, 1, 2, 3)))]
    if chance.random() < 0.3:
        # Not both names of one role: what then is meant, nobody can tell.
        keys = chance.sample(KEYS[: chance.choice((-2, len(KEYS)))], 1) + ["zone"] * chance.choice((0, 0, 1))
        spec["nodeSelector"] = {key: _value(chance, key, nodes) for key in keys}
    if chance.random() < 0.4:
        terms = [_term(chance, nodes) for _ in range(chance.choice((0, 1, 1, 1, 2, 3)))]
        required = {"nodeSelectorTerms": terms}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    if chance.random() < 0.03:
        spec["nodeName"] = chance.choice(nodes)
    return daemonset(name, spec=spec)


def _toleration(chance: random.Random) -> Json:
    key, _, rest = chance.choice(TAINTS).partition(":")[0].partition("=")
    key = chance.choice((key, key, key, key, key.replace("e", "", 1), key.upper(), ""))
    effect = chance.choice(EFFECTS)
    exists = not key or chance.random() < 0.4
    value = chance.choice((rest, rest, "other", ""))
    made: Json = {"operator": "Exists"} if exists else {"value": value} if value else {}
    if not exists and chance.random() < 0.5:
        made["operator"] = "Equal"
    if effect == "NoExecute" and chance.random() < 0.4:
        made["tolerationSeconds"] = chance.choice((-1, 0, 60))
    return made | ({"key": key} if key else {}) | ({"effect": effect} if effect else {})


def _value(chance: random.Random, key: str, nodes: list[str]) -> str:
    if key == "kubernetes.io/hostname":
        return chance.choice(nodes)
    others = () if key == "kubernetes.io/os" else ("True", "plian")
    return chance.choice((*LABELS.get(key, ("true", "ssd")), *others))


def _term(chance: random.Random, nodes: list[str]) -> Json:
    if chance.random() < 0.05:
        return {}
    found = [_expression(chance, nodes) for _ in range(chance.choice((1, 1, 2)))]
    return {"matchExpressions": list({entry["key"]: entry for entry in found}.values())}


def _expression(chance: random.Random, nodes: list[str]) -> Json:
    key = chance.choice((*KEYS, "kubernetes.io/hostname"))
    operator = chance.choice(("In", "In", "In", "NotIn", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in {"Gt", "Lt"}:
        return {
            "key": "memory",
            "operator": operator,
            "values": [chance.choice(("16", "16", "16Gi", "1.5", "+5", "-1"))],
        }
    if operator in {"Exists", "DoesNotExist"}:
        return {"key": key, "operator": operator}
    values = [_value(chance, key, nodes) for _ in range(chance.choice((1, 2)))]
    if chance.random() < 0.05:
        values[0] += " "
    return {"key": key, "operator": operator, "values": list(dict.fromkeys(values))}


def some_world(seed: int, *, nodes: int, daemonsets: int) -> list[Json]:
    """The objects of a random cluster."""
    chance = random.Random(seed)
    names = [f"n{number}{chance.choice(('', '.example.com'))}" for number in range(nodes)]
    made = [some_node(chance, name) for name in names]
    return made + [some_daemonset(chance, f"d{number}", names) for number in range(daemonsets)]
