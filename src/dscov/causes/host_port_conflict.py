"""Another pod of the node has a host port that the pod wants.

With hostNetwork every container port is a host port. The holder is often a second release of the same agent in another
namespace, which the owner of this one has never seen. A process outside Kubernetes is invisible to the scheduler: then
the pod starts and crashes instead.
"""

from collections.abc import Iterator

from dscov.kube.hostports import HostPort, host_ports
from dscov.kube.messages import Plugin
from dscov.kube.objects import key_of, text
from dscov.model.capacity import owner_name, port_holders
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import waiting
from dscov.model.surge import waits_for_its_own
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Every pod that keeps a port, or, where none was seen, the refusal alone."""
    waits = waiting(world, daemonset, node)
    if not waits or not waits.by(Plugin.PORTS):
        return
    if waits_for_its_own(world, daemonset, node) is Plugin.PORTS:
        return  # Of the old pod that the new one of a surge is to stand beside speaks surge-host-port.
    holders: dict[str, list[tuple[HostPort, Object, HostPort]]] = {}
    for wanted, pod, held in port_holders(world, node, waits.obj):
        holders.setdefault(owner_name(pod), []).append((wanted, pod, held))
    if len(holders) > 1:
        holders.pop(_itself(daemonset), None)
    for name, conflicts in holders.items():
        ports = ", ".join(dict.fromkeys(str(wanted) for wanted, _, _ in conflicts))
        kept = (Evidence(f"Pod/{key_of(pod)}", held.field, str(held.port)) for _, pod, held in conflicts)
        going = all(text(pod, "metadata", "deletionTimestamp") for _, pod, _ in conflicts)
        facts = (("ports", ports), ("holder", f"{name} (which is going)" if going else name))
        yield Hit(facts, (*waits.told, *dict.fromkeys(kept)), transient=going)
    if not holders:
        ports = ", ".join(dict.fromkeys(map(str, host_ports(waits.obj, world.snapshot.version)))) or "of the pod"
        yield Hit((("ports", ports), ("holder", "a pod that was not seen")), waits.told)


def _itself(daemonset: DaemonSet) -> str:
    """The DaemonSet as the owner of a pod is named."""
    return f"DaemonSet {daemonset.key}"


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """One of the two goes, or moves to another port."""
    facts = dict(finding.facts)
    if facts["holder"].endswith("(which is going)"):
        return Remedy("no-patch", f"wait until {facts['holder'].partition(' (')[0]} has let go of the port")
    if facts["holder"] == _itself(daemonset):
        return Remedy("no-patch", "have the older pod on the node end: it holds the port that the new one wants")
    kind, key = facts["holder"].split(" ", 1)
    namespace, slash, name = key.partition("/")
    show = f"kubectl -n {namespace} get {kind.lower()} {name}" if slash else "kubectl get pods -A -o wide"
    return Remedy(
        "no-patch",
        f"remove {daemonset.key} or {facts['holder']}, or move one of them to another port than {facts['ports']}",
        why="one port of a node serves one pod; which of the two is to stay is the owners' choice",
        actions=(show,),
    )


CAUSE = Cause(
    code="DSC303",
    slug="host-port-conflict",
    title="a host port is taken",
    says="host port {ports} is held by {holder}",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
