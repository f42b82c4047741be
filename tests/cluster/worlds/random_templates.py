"""Random pod templates: every rule of placement, most of them harmless, some impossible, a few that the API refuses."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cluster.api import Object
from cluster.objects import IMAGE
from cluster.worlds.random_nodes import EFFECTS, LABELS, TAINTS, node_name

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def pod_spec(draw: random.Random, nodes: int) -> Object:
    """The pod spec of one DaemonSet for a world of `nodes` nodes."""
    spec: Object = {"terminationGracePeriodSeconds": 1, "containers": _containers(draw)}
    for chance, part in PARTS:
        if draw.random() < chance:
            spec |= part(draw, nodes)
    return spec


def requirement(draw: random.Random) -> Object:
    """One `matchExpressions` entry, of any operator; bad numbers are rare, bad label values rarer."""
    key, operator = draw.choice([*LABELS, "dscov.test/absent"]), draw.choice(OPERATORS)
    if operator in {"Exists", "DoesNotExist"}:
        return {"key": key, "operator": operator}
    if operator in {"Gt", "Lt"}:
        number = draw.choice(["0", "4", "08", "16", "9223372036854775807", "abc"])
        return {"key": draw.choice([key, "dscov.test/size"]), "operator": operator, "values": [number]}
    values = draw.sample(LABELS.get(key, ("x", "y")), k=draw.randint(1, 2))
    if draw.random() < 0.01:
        values = ["not a label value"]
    return {"key": key, "operator": operator, "values": values}


def term(draw: random.Random, nodes: int) -> Object:
    """One node selector term: expressions, fields, both, or the empty term that selects nothing."""
    shape = draw.random()
    if shape < 0.04:
        return {}
    found: Object = {}
    if shape < 0.9:
        found["matchExpressions"] = [requirement(draw) for _ in range(draw.randint(1, 2))]
    if shape > 0.8:
        names = [node_name(draw.randrange(nodes)) for _ in range(2 if draw.random() < 0.1 else 1)]
        found["matchFields"] = [{"key": "metadata.name", "operator": draw.choice(["In", "NotIn"]), "values": names}]
    return found


def toleration(draw: random.Random) -> Object:
    """One toleration: by key, by value, by effect, of everything, or malformed."""
    shape = draw.random()
    if shape < 0.1:
        return {"operator": "Exists"}
    if shape < 0.12:
        return {"operator": "Equal", "value": "refused"}
    key = draw.choice([*TAINTS, "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"])
    found: Object = {"key": key}
    if shape < 0.55:
        found["operator"] = "Exists"
    else:
        found |= {"value": draw.choice(TAINTS.get(key, ("",)))} | draw.choice([{}, {"operator": "Equal"}])
    if draw.random() < 0.6:
        found["effect"] = draw.choice(EFFECTS)
    if found.get("effect") == "NoExecute" and draw.random() < 0.2:
        # Long enough to be for ever here: a short one makes the pod come and go without end.
        found["tolerationSeconds"] = 36000
    return found


def _containers(draw: random.Random) -> list[Object]:
    requests = draw.choice([{}, {"cpu": "20m"}, {"cpu": "50m", "memory": "64Mi"}, {"memory": "100Mi"}])
    if draw.random() < 0.08:
        requests = draw.choice([{"cpu": "100"}, {"memory": "4Ti"}, {"cpu": "7"}, {"example.com/gpu": "1"}])
    resources: Object = {"requests": requests}
    if "example.com/gpu" in requests:
        resources["limits"] = requests
    found: list[Object] = [{"name": "agent", "image": IMAGE, "resources": resources}]
    if draw.random() < 0.08:
        port = draw.choice([9100, 9101, 9102])
        found[0]["ports"] = [{"containerPort": port, "hostPort": port}]
    if draw.random() < 0.2:
        found.append({"name": "helper", "image": IMAGE, "resources": {"requests": {"cpu": "10m"}}})
    return found


def _selector(draw: random.Random, _: int) -> Object:
    keys = draw.sample(sorted(LABELS), k=draw.choice([1, 1, 2]))
    return {"nodeSelector": {key: draw.choice(LABELS[key]) for key in keys}}


def _required(draw: random.Random, nodes: int) -> Object:
    terms = [term(draw, nodes) for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3]) if draw.random() < 0.1 else 2)]
    affinity: Object = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    }
    if draw.random() < 0.2:
        preference = {"weight": 1, "preference": {"matchExpressions": [requirement(draw)]}}
        affinity["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = [preference]
    if draw.random() < 0.06:
        against = {"topologyKey": "dscov.test/zone", "labelSelector": {"matchLabels": {"dscov.test/daemon": "true"}}}
        affinity["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [against]}
    return {"affinity": affinity}


def _tolerations(draw: random.Random, _: int) -> Object:
    return {"tolerations": [toleration(draw) for _ in range(draw.randint(1, 3))]}


def _init(draw: random.Random, _: int) -> Object:
    found: Object = {"name": "init", "image": IMAGE, "resources": {"requests": {"cpu": draw.choice(["100m", "9"])}}}
    if draw.random() < 0.5:
        found["restartPolicy"] = "Always"
    return {"initContainers": [found]}


PARTS: tuple[tuple[float, Callable[[random.Random, int], dict[str, Any]]], ...] = (
    (0.30, _selector),
    (0.45, _required),
    (0.55, _tolerations),
    (0.10, lambda *_: {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}),
    (0.04, lambda draw, nodes: {"nodeName": node_name(draw.randrange(nodes + 2))}),
    (0.06, _init),
    (0.05, lambda draw, _: {"priorityClassName": draw.choice(["dscov-high", "dscov-low"])}),
    (0.04, lambda *_: {"runtimeClassName": "dscov-heavy"}),
    (0.02, lambda *_: {"schedulerName": "nobody"}),
    (0.02, lambda *_: {"schedulingGates": [{"name": "dscov.test/gate"}]}),
    (0.01, lambda *_: {"priorityClassName": "no-such-class"}),
)
