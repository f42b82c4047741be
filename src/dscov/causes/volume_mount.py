"""A volume of the pod cannot be mounted: the pod sits in ContainerCreating, and only events say why.

A hostPath that is not there or of another type, a storage driver that is not registered on the node (its own daemon has
a gap there), an attachment that hangs, or a host that does not share its mounts.
"""

import re
from collections.abc import Iterator

from dscov.kube.objects import text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import culprit, event_evidence, last_words
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.neighbours import waited_for
from dscov.model.nodes import is_lost
from dscov.model.starting_up import missing_config, mount_failure, spreads_mounts, volume
from dscov.model.world import World
from dscov.patterns import pattern

_VOLUME = pattern(r'for volume "([^"]+)"')
_DRIVER = pattern(r"driver name (\S+) not found in the list of registered CSI drivers")
_KUBELETS = (
    "/var/snap/microk8s/common/var/lib/kubelet",
    "/var/lib/k0s/kubelet",
    "/var/lib/rke2/agent/kubelet",
    "/var/lib/rancher/k3s/agent/kubelet",
    "/opt/rke/var/lib/kubelet",
    "/home/kubernetes/kubelet",
)


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Failed mounts, but for those of a ConfigMap or Secret that is not there."""
    event = mount_failure(world, daemonset, node)
    if event and not missing_config(event.message):
        named = _VOLUME.search(event.message)
        driver = _DRIVER.search(event.message)
        other = waited_for(world, node, (driver[1],), beside=daemonset) if driver else None
        yield Hit(
            (
                ("volume", named[1] if named else ""),
                ("words", _words(event.message)),
                ("other", other.key if other else ""),
                ("because", f"; {other.key} has a gap there" if other else ""),
            ),
            (event_evidence(event), *_path(daemonset, named[1] if named else "")),
        )
        return
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found and spreads_mounts(found.container.message):
        message = found.container.message
        yield Hit(
            (("volume", ""), ("words", last_words(message)), ("other", ""), ("because", "")),
            (found.evidence(f"state.{found.container.state}.message", message),),
        )


def _words(message: str) -> str:
    """The event without the volume's name, which differs where pods name volumes themselves."""
    return last_words(re.sub(r'^\w+\.\w+ failed for volume "[^"]+" ?: ?', "", message))


def _path(daemonset: DaemonSet, name: str) -> Iterator[Evidence]:
    found = volume(daemonset, name)
    path = text(found[1], "hostPath", "path") if found else ""
    if found and path:
        yield Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.volumes[{found[0]}].hostPath.path", path)


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The host's directory, the storage driver, or the volume's own settings."""
    facts = dict(finding.facts)
    found = volume(daemonset, facts["volume"])
    path = text(found[1], "hostPath", "path") if found else ""
    if found and path:
        return _host_path(daemonset, found[0], path)
    if facts["other"]:
        return Remedy(
            "no-patch", f"mend {facts['other']} on the node", why="it mounts this volume; the pod follows by itself"
        )
    return Remedy(
        "no-patch",
        "mend the volume, or the storage driver on the node",
        why="the pod is placed; the kubelet waits for the volume",
        actions=tuple(
            f"kubectl get events -A --field-selector reason=FailedMount | grep {n}" for n in finding.nodes[:1]
        ),
    )


def _host_path(daemonset: DaemonSet, place: int, path: str) -> Remedy:
    root = next((root for root in _KUBELETS if path.startswith(root)), "")
    standard = path.replace(root, "/var/lib/kubelet", 1)
    field = f"/spec/template/spec/volumes/{place}/hostPath/path"
    return Remedy(
        "policy",
        "set the kubelet's directory in the chart's values to the one of these nodes"
        if root
        else f"make {path} on these nodes, or set another path in the values",
        why=f"{path} is of another distribution" if root else "the path is not there, or not of the type asked for",
        target=daemonset.key,
        patch=({"op": "replace", "path": field, "value": standard},) if root else (),
    )


CAUSE = Cause(
    code="DSC404",
    slug="volume-mount",
    title="a volume cannot be mounted",
    says="volume {volume} cannot be mounted: {words}{because}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
