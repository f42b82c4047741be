"""Pods that are made and not placed: no scheduler, no room, rules among pods, selectors that admission adds."""

from __future__ import annotations

from cluster.api import Object
from cluster.curables.table import Table, curable
from cluster.curables.world import World
from cluster.objects import IMAGE

WAITING: Table = {}
#: Needs a server with the admission plugin PodNodeSelector.
ADMITTED: Table = {}

HOSTNAME = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def asking(**requests: str) -> Object:
    """A pod's spec whose container asks for these amounts."""
    return {"containers": [{"name": "agent", "image": IMAGE, "resources": {"requests": requests}}]}


@curable(WAITING, "scheduler-absent", "a b")
def named_scheduler(world: World) -> None:
    world.nodes("a", "b")
    world.daemonset(pod={"schedulerName": "no-such"}, rests=False)
    world.has_pods("a", "b")


@curable(WAITING, "scheduling-gated", "a b")
def gated(world: World) -> None:
    world.nodes("a", "b")
    world.daemonset(pod={"schedulingGates": [{"name": "example.com/wait"}]}, rests=False)
    world.has_pods("a", "b")


@curable(WAITING, "insufficient-resources", "a b", says="set priorityClassName")
def full_node(world: World) -> None:
    """The pod that was there first has to go."""
    world.priority_class("agents", 1000)
    world.nodes("a", resources={"cpu": "1"})
    world.nodes("b")
    world.tenant("a", container={"resources": {"requests": {"cpu": "800m"}}})
    world.daemonset(pod=asking(cpu="500m"), rests=False)
    world.refused("a")
    world.ready("b")


@curable(WAITING, "too-many-pods", "a b", says="set priorityClassName")
def node_full_of_pods(world: World) -> None:
    world.priority_class("agents", 1000)
    world.nodes("a", resources={"pods": "1"})
    world.nodes("b")
    world.tenant("a")
    world.daemonset(rests=False)
    world.refused("a")
    world.ready("b")


@curable(WAITING, "preempted", "a b", says="set priorityClassName")
def put_out_by_another(world: World) -> None:
    """A pod of a class between none and the one for agents put the daemon out."""
    world.priority_class("agents", 6000)
    world.priority_class("important", 5000)
    world.nodes("a", resources={"cpu": "1"})
    world.nodes("b")
    world.daemonset(pod=asking(cpu="800m"))
    world.ready("a", "b")
    spec = {"priorityClassName": world.on("important"), "nodeSelector": {HOSTNAME: world.on("a")}}
    world.other_pod("important", {**spec, **asking(cpu="800m")})
    world.refused("a")


@curable(WAITING, "pod-anti-affinity", "a b")
def away_from_another(world: World) -> None:
    world.nodes("a", "b")
    world.tenant("a")
    rule = {"labelSelector": {"matchLabels": {"app": "tenant"}}, "topologyKey": HOSTNAME}
    world.daemonset(pod={"affinity": {"podAntiAffinity": {REQUIRED: [rule]}}}, rests=False)
    world.refused("a")
    world.ready("b")


@curable(WAITING, "pod-anti-affinity", "a b")
def beside_nobody(world: World) -> None:
    """A preferred rule beside the required one stays."""
    world.nodes("a", "b")
    world.tenant("b")
    rule = {"labelSelector": {"matchLabels": {"app": "tenant"}}, "topologyKey": HOSTNAME}
    wish = {"weight": 1, "podAffinityTerm": rule}
    affinity = {REQUIRED: [rule], "preferredDuringSchedulingIgnoredDuringExecution": [wish]}
    world.daemonset(pod={"affinity": {"podAffinity": affinity}}, rests=False)
    world.refused("a")
    world.ready("b")


@curable(WAITING, "pod-anti-affinity", "a b c")
def spread_over_zones(world: World) -> None:
    """Zone `x` may have no second pod: where there are fewer zones than asked for, one without any is counted in.

    By default a daemon pod is counted with its own node alone, and a spread never keeps it off.
    """
    zone = "topology.kubernetes.io/zone"
    world.nodes("a", "b", labels={zone: "x"})
    world.nodes("c", labels={zone: "y"})
    spread = {"maxSkew": 1, "topologyKey": zone, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3}
    spread["nodeAffinityPolicy"] = "Ignore"
    spread["labelSelector"] = {"matchLabels": {"app": world.name}}
    world.daemonset(pod={"topologySpreadConstraints": [spread]}, rests=False)
    world.refused()


@curable(WAITING, "runtimeclass-selector-not-in-template", "b")
def runtime_on_some_nodes(world: World) -> None:
    world.nodes("a")
    world.nodes("b", labels={"example.com/kata": "yes"})
    world.runtime_class("kata", {"example.com/kata": "yes"})
    world.daemonset(pod={"runtimeClassName": world.on("kata")}, rests=False)
    world.refused("a")
    world.ready("b")


@curable(ADMITTED, "namespace-selector-not-in-template", "b")
def namespace_with_a_selector(world: World) -> None:
    world.annotate({"scheduler.alpha.kubernetes.io/node-selector": "example.com/zone=here"})
    world.nodes("a")
    world.nodes("b", labels={"example.com/zone": "here"})
    world.daemonset(rests=False)
    world.refused("a")
    world.ready("b")
