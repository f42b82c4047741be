"""Selectors and affinities that keep a daemon out by a slip, or let it in where it does not belong."""

from __future__ import annotations

from typing import Any

from cluster import play
from cluster.api import Object
from cluster.curables.table import Table, curable
from cluster.curables.world import World
from cluster.objects import IMAGE, taint

SELECTORS: Table = {}
EVERYTHING = {"tolerations": [{"operator": "Exists"}]}
ALL = "dscov.dev/expect"


def required(*terms: Object) -> Object:
    """A pod's spec with a required node affinity of these terms."""
    name = "requiredDuringSchedulingIgnoredDuringExecution"
    return {"affinity": {"nodeAffinity": {name: {"nodeSelectorTerms": list(terms)}}}}


def term(key: str, operator: str, *values: str) -> Object:
    """A term of one expression."""
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


def declared(world: World) -> dict[str, Any]:
    """The annotation that declares all nodes of the world."""
    return {"annotations": {ALL: f"world={world.namespace}"}}


@curable(SELECTORS, "node-selector-value-mismatch", "a")
def selector_value(world: World) -> None:
    world.nodes("a", labels={"storage": "true"})
    world.nodes("b")
    world.daemonset(pod={"nodeSelector": {"storage": "True"}})


@curable(SELECTORS, "node-selector-no-match", "a")
def selector_key(world: World) -> None:
    world.nodes("a", labels={"storage": "fast"})
    world.nodes("b")
    world.daemonset(pod={"nodeSelector": {"storge": "fast"}})


@curable(SELECTORS, "node-selector-no-match", "a b")
def selector_that_is_declared_wrong(world: World) -> None:
    world.nodes("a", labels={"disk": "hdd"})
    world.nodes("b", labels={"disk": "nvme"})
    world.daemonset(pod={"nodeSelector": {"disk": "nvme"}}, **declared(world))


@curable(SELECTORS, "node-affinity-no-match", "a")
def affinity_value(world: World) -> None:
    world.nodes("a", labels={"storage": "true"})
    world.nodes("b")
    world.daemonset(pod=required(term("storage", "In", "True")))


@curable(SELECTORS, "node-affinity-no-match", "a b")
def names_of_nodes(world: World) -> None:
    """A term of matchFields holds one node alone; all are declared."""
    world.nodes("a", "b")
    field = {"key": "metadata.name", "operator": "In", "values": [world.on("b")]}
    world.daemonset(pod=required({"matchFields": [field]}), **declared(world))


@curable(SELECTORS, "node-affinity-excludes", "a")
def affinity_that_excludes(world: World) -> None:
    world.nodes("a", labels={"accelerator": "gpu", "disk": "ssd"})
    world.nodes("b")
    world.daemonset(pod={**required(term("disk", "NotIn", "ssd")), "nodeSelector": {"accelerator": "gpu"}})


@curable(SELECTORS, "affinity-gt-not-integer", "a b")
def bound_that_is_no_integer(world: World) -> None:
    """The API server stores it without a word."""
    world.nodes("a", labels={"memory": "32"})
    world.nodes("b", labels={"memory": "64"})
    world.nodes("c", labels={"memory": "8"})
    world.daemonset(pod=required(term("memory", "Gt", "16Gi")))


@curable(SELECTORS, "affinity-gt-not-integer", "a b")
def label_that_is_no_integer(world: World) -> None:
    world.nodes("a", labels={"generation": "v7"})
    world.nodes("b", labels={"generation": "7"})
    world.nodes("c", labels={"generation": "3"})
    world.daemonset(pod=required(term("generation", "Gt", "4")))


@curable(SELECTORS, "affinity-terms-ored", "b")
def exclusions_that_are_ored(world: World) -> None:
    world.nodes("a", labels={"edge": "yes"})
    world.nodes("b")
    world.daemonset(pod=required(term("edge", "NotIn", "yes"), term("lab", "DoesNotExist")))
    world.ready("a", "b")


@curable(SELECTORS, "template-node-name", "a b")
def node_by_name(world: World) -> None:
    world.nodes("a", "b")
    world.daemonset(pod={"nodeName": world.on("b")})


@curable(SELECTORS, "unwanted-target", "b")
def fargate(world: World) -> None:
    world.nodes("a", fake=False, labels={"eks.amazonaws.com/compute-type": "fargate"})
    world.nodes("b")
    world.daemonset(pod=EVERYTHING, rests=False)
    world.has_pods("a", "b")


@curable(SELECTORS, "unwanted-target", "b")
def virtual_kubelet(world: World) -> None:
    """A mark without a value, beside an affinity that is there already."""
    taints = [taint("virtual-kubelet.io/provider", "NoSchedule", "azure")]
    world.nodes("a", fake=False, labels={"node-role.kubernetes.io/virtual-kubelet": ""}, taints=taints)
    world.nodes("b")
    world.daemonset(pod={**EVERYTHING, **required(term("lab", "DoesNotExist"))}, rests=False)
    world.has_pods("a", "b")


@curable(SELECTORS, "unsupported-node", "b")
def another_operating_system(world: World) -> None:
    world.nodes("a", fake=False, labels={"kubernetes.io/os": "windows"})
    world.nodes("b")
    world.daemonset(rests=False)
    world.ready("b")


@curable(SELECTORS, "image-os", "b")
def image_for_another_operating_system(world: World) -> None:
    another_operating_system(world)
    world.plays("a", lambda pod: play.image_pull(pod, "ErrImagePull"))


@curable(SELECTORS, "image-architecture", "b")
def image_for_another_architecture(world: World) -> None:
    """The image is bound to an architecture by its name, and its program cannot be run on another."""
    world.nodes("a", fake=False, labels={"kubernetes.io/arch": "arm64"})
    world.nodes("b")
    world.daemonset(pod={"containers": [{"name": "agent", "image": f"{IMAGE}-amd64"}]}, rests=False)
    world.plays("a", lambda pod: play.crash_loop(pod, code=255, message="exec /agent: exec format error"))
    world.ready("b")


@curable(SELECTORS, "toleration-without-selector", "b")
def hardware_that_is_tolerated_alone(world: World) -> None:
    """It crashes on exactly the nodes without the hardware."""
    gpu = "nvidia.com/gpu"
    world.nodes("a", fake=False)
    world.nodes("b", labels={"nvidia.com/gpu.present": "true"}, taints=[taint(gpu, "NoSchedule")])
    world.daemonset(pod={"tolerations": [{"key": gpu, "operator": "Exists"}]}, rests=False, selects=False)
    world.plays("a", play.crash_loop)
    world.ready("b")


@curable(SELECTORS, "wrong-nodes", "b")
def hardware_that_nothing_selects(world: World) -> None:
    world.nodes("a", fake=False)
    world.nodes("b", labels={"example.com/gpu": "yes"})
    world.daemonset(pod={"containers": [{"name": "agent", "image": "registry.example/gpu-exporter:1"}]}, rests=False)
    world.plays("a", play.crash_loop)
    world.ready("b")


@curable(SELECTORS, "wrong-nodes", "b")
def nodes_that_are_not_declared(world: World) -> None:
    world.nodes("a")
    world.nodes("b", labels={"tier": "edge"})
    world.daemonset(annotations={ALL: "tier=edge"})
