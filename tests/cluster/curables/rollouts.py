"""Rollouts that stand still."""

from __future__ import annotations

from cluster import play
from cluster.api import Object, wait_until
from cluster.curables.selectors import EVERYTHING
from cluster.curables.table import Table, curable
from cluster.curables.world import SECONDS, World
from cluster.objects import IMAGE

ROLLOUTS: Table = {}
NEWER = {"spec": {"template": {"metadata": {"annotations": {"example.com/edition": "2"}}}}}


def rolling(**numbers: int | str) -> Object:
    """A DaemonSet's spec with these numbers of a rolling update."""
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": numbers}}


@curable(ROLLOUTS, "surge-host-port", "a b", says="maxSurge 0, maxUnavailable 1")
def surge_with_a_host_port(world: World) -> None:
    world.nodes("a", "b")
    container = {"name": "agent", "image": IMAGE, "ports": [{"containerPort": 9200, "hostPort": 9200}]}
    world.daemonset(pod={"containers": [container]}, spec=rolling(maxSurge=1, maxUnavailable=0))
    world.ready("a", "b")
    world.change(NEWER)
    world.refused()


@curable(ROLLOUTS, "rollout-blocked", "a b", says="maxSurge 0, maxUnavailable 1")
def surge_without_room_for_two(world: World) -> None:
    """Whichever node comes first, the full one never gets its new pod, and no node has a gap."""
    world.nodes("a", resources={"pods": "1"})
    world.nodes("b")
    world.daemonset(spec=rolling(maxSurge=1, maxUnavailable=0))
    world.ready("a", "b")
    world.change(NEWER)
    world.refused("a")


def dead_node(world: World, **numbers: int | str) -> None:
    """A node that fell silent before a rollout; the controller has deleted its pod, and nobody ends it."""
    world.nodes("a", fake=False)
    world.nodes("b", "c")
    world.daemonset(pod=EVERYTHING, spec=rolling(**numbers) if numbers else {}, rests=False)
    world.plays("a", play.ready)
    world.ready("a", "b", "c")
    world.rests()
    world.tells("a", "Ready", "Unknown")
    world.is_tainted("a")
    for pod in world.pods("a"):
        play.write(world.cluster.api, pod, {"conditions": [{"type": "Ready", "status": "False"}]})
    world.change(NEWER)
    wait_until(lambda: "deletionTimestamp" in world.pods("a")[0]["metadata"], SECONDS, "the deletion")


@curable(ROLLOUTS, "rollout-blocked", "b c", says="raise maxUnavailable to 2", dead="a")
def budget_used_up_by_a_dead_node(world: World) -> None:
    dead_node(world)


@curable(ROLLOUTS, "rollout-blocked", "b c", says="raise maxUnavailable to 34%", dead="a")
def share_used_up_by_a_dead_node(world: World) -> None:
    dead_node(world, maxUnavailable="10%")
