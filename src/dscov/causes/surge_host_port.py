"""The rolling update surges, and the pods hold host ports: the new pod can never stand beside the old one on a node.

The new pod waits for the port, the old pod waits for the new one, and the rollout stands still.
"""

from collections.abc import Iterator

from dscov.kube.messages import Plugin
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.ports import host_ports
from dscov.model.surge import surging, waits_for_its_own, without_surge
from dscov.model.world import World


def survey(world: World, daemonset: DaemonSet) -> Iterator[Hit]:
    """Surging DaemonSets with host ports: an error where a new pod waits for the port of the old one beside it.

    A warning while no surge is at work; what else keeps the new pods of one from getting ready has causes of its own.
    """
    ports = host_ports(daemonset)
    if not daemonset.strategy.surges or not ports:
        return
    at_work = tuple(surging(world, daemonset))
    waiting = tuple(node.name for node in at_work if waits_for_its_own(world, daemonset, node) is Plugin.PORTS)
    if at_work and not waiting:
        return
    surge = daemonset.strategy.max_surge
    shown = Evidence(f"DaemonSet/{daemonset.key}", "spec.updateStrategy.rollingUpdate.maxSurge", str(surge))
    state = "new pods wait beside old ones" if waiting else "the next rollout will stand still"
    facts = ("ports", ", ".join(ports)), ("surge", str(surge)), ("state", state)
    yield Hit(facts, (shown,), severity="" if waiting else "warning", nodes=waiting)


def cure(_world: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """The old pod goes first."""
    return without_surge(daemonset, "two pods of one node cannot hold the same host port")


CAUSE = Cause(
    code="DSC703",
    slug="surge-host-port",
    title="a surge cannot work with host ports",
    says="maxSurge {surge} with host ports {ports}: {state}",
    survey=survey,
    cure=cure,
)
