"""The live law's world: random DaemonSets by random nodes, made in a real API server, then disturbed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from cluster import play
from cluster.api import Api, Object, Refusal, at_once, wait_until
from cluster.objects import FAKE, IMAGE, daemonset, namespace
from cluster.settle import Settled, settle
from cluster.worlds.random_nodes import random_node
from cluster.worlds.random_templates import pod_spec

NAMESPACES = ("blue", "green", "narrow")
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota"}
CHANGES = ("taint", "evict", "label", "cordon", "lost")


@dataclass(frozen=True)
class RandomWorld:
    """What a seed makes; `create` puts it into a cluster of its own. The same seed makes the same world."""

    seed: int
    nodes: list[Object]
    daemonsets: list[Object]
    others: list[Object]
    refused: list[Refusal] = field(default_factory=list)

    def create(self, api: Api) -> list[Refusal]:
        """Create everything, nodes first; what the API server refused, with its reason (kept in `refused` too)."""
        spaces = [item for item in self.others if item["kind"] == "Namespace"]
        self.refused.extend(api.create_all(spaces))
        self.refused.extend(api.create_all(item for item in self.others if item["kind"] != "Namespace"))
        self.refused.extend(api.create_all(self.nodes))
        # A pod needs the account, and a quota counts only from its first status on.
        wait_until(lambda: len(api.list("ServiceAccount", fieldSelector="metadata.name=default")) >= 7, 60, "accounts")
        wait_until(lambda: all(item["status"].get("hard") for item in api.list("ResourceQuota")), 60, "quotas")
        settle(api)
        self.refused.extend(api.create_all(self.daemonsets))
        return self.refused

    def disturb(self, api: Api, state: Settled) -> None:
        """Change a settled world: templates, taints, labels, cordons, a node gone, pods crashed or never ready.

        The draws are the seed's; which pods exist to be drawn can differ, for instance under a quota.
        """
        draw = random.Random(f"disturb {self.seed}")
        nodes = sorted(state.nodes, key=lambda item: str(item["metadata"]["name"]))
        at_once(lambda item: _play(api, *item), _parts(draw, state))
        for item in draw.sample(sorted(state.daemonsets, key=_name), k=len(state.daemonsets) // 10):
            image = [{"name": "agent", "image": IMAGE + "-next"}]
            change = {"spec": {"template": {"spec": {"containers": image}}}}
            api.patch(item, change, content="application/strategic-merge-patch+json")
        for number, item in enumerate(draw.sample(nodes, k=len(nodes) // 4)):
            _change_node(api, item, CHANGES[number % len(CHANGES)])
        api.delete(draw.choice(nodes))


def random_world(seed: int, *, daemonsets: int = 300, nodes: int = 60) -> RandomWorld:
    """The world of a seed; nothing is created yet."""
    draw = random.Random(seed)
    others: list[Object] = [namespace(name) for name in NAMESPACES]
    quota = {"name": "few", "namespace": "narrow"}
    others.append({**QUOTA, "metadata": quota, "spec": {"hard": {"pods": str(nodes * 2)}}})
    scheduling = "scheduling.k8s.io/v1"
    for name, value in (("dscov-high", 1000), ("dscov-low", -10)):
        others.append({"apiVersion": scheduling, "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
    heavy: Object = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "dscov-heavy"}}
    heavy |= {"handler": "heavy", "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}}}
    heavy["scheduling"] = {"nodeSelector": {"dscov.test/pool": "general"}}
    others.append(heavy)
    made = [random_node(draw, number) for number in range(nodes)]
    return RandomWorld(seed, made, [_daemonset(draw, number, nodes) for number in range(daemonsets)], others)


def _daemonset(draw: random.Random, number: int, nodes: int) -> Object:
    spec: Object = {"minReadySeconds": draw.choice([0, 0, 0, 1, 3])}
    shape = draw.random()
    if shape < 0.15:
        spec["updateStrategy"] = {"type": "OnDelete"}
    elif shape < 0.3:
        spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    elif shape < 0.5:
        many = draw.choice([2, "25%"])
        spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": many}}
    return daemonset(
        f"ds-{number:03d}",
        draw.choices(NAMESPACES, weights=(9, 9, 1))[0],
        pod=pod_spec(draw, nodes),
        spec=spec,
        labels={"dscov.test/daemon": "true"},
    )


def _parts(draw: random.Random, state: Settled) -> list[tuple[Object, str]]:
    """Which pod plays which part: some on nodes without kwok."""
    played = {
        item["metadata"]["name"]
        for item in state.nodes
        if FAKE not in item["metadata"].get("annotations", {}) and not item["spec"].get("unschedulable")
    }
    parts = ("ready", "ready", "ready", "unready", "crash_loop", "image_pull", "creating")
    pods = sorted((pod for pod in state.pods if pod["spec"].get("nodeName") in played), key=_place)
    return [(pod, draw.choice(parts)) for pod in pods if draw.random() < 0.8]


def _play(api: Api, pod: Object, part: str) -> None:
    status = {
        "ready": play.ready,
        "unready": play.unready,
        "crash_loop": play.crash_loop,
        "image_pull": play.image_pull,
        "creating": play.creating,
    }[part](pod)
    play.write(api, pod, status)


def _change_node(api: Api, item: Object, kind: str) -> None:
    if kind in {"taint", "evict"}:
        effect = "NoSchedule" if kind == "taint" else "NoExecute"
        change: Object = {"spec": {"taints": [{"key": "dedicated", "value": "new", "effect": effect}]}}
        api.patch(item, change, content="application/strategic-merge-patch+json")
    elif kind == "label":
        api.patch(item, {"metadata": {"labels": {"dscov.test/pool": "moved", "dscov.test/size": None}}})
    elif kind == "cordon":
        api.patch(item, {"spec": {"unschedulable": True}})
    elif FAKE not in item["metadata"].get("annotations", {}):
        play.set_conditions(api, item["metadata"]["name"], Ready="Unknown")


def _name(thing: Object) -> tuple[str, str]:
    return thing["metadata"]["namespace"], thing["metadata"]["name"]


def _place(pod: Object) -> tuple[str, str]:
    return pod["spec"]["nodeName"], pod["metadata"]["generateName"]
