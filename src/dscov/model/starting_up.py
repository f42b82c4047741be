"""What keeps a bound pod from starting its first container: volumes, sandbox and images, by their events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.kube.objects import listed
from dscov.model.cluster import DaemonSet, Event, Node, Pod
from dscov.model.containers import CALM, CONFIG, culprit, said_of, troubled_pod
from dscov.model.findings import Evidence
from dscov.model.nodes import is_lost
from dscov.model.world import World
from dscov.patterns import pattern

MOUNT = ("FailedMount", "FailedMapVolume", "FailedAttachVolume")
SANDBOX = ("FailedCreatePodSandBox", "NetworkNotReady", "FailedPrepareDynamicResources")

_CONFIG_TEXT = pattern(
    r'(?P<kind>secret|configmap|config ?map)s? "(?P<name>[^"]+)" not found'
    r"|references non-existent (?P<kind2>secret|config) key: (?P<key>\S+)"
    r"|couldn't find key (?P<key2>\S+) in (?P<kind3>Secret|ConfigMap) (?P<name2>\S+)",
    re.IGNORECASE,
)
_SPREAD = pattern(r"not a shared (?:or slave )?mount|is not a shared mount", re.IGNORECASE)
#: Says that mounting takes long, not why.
_VAGUE = "Unable to attach or mount volumes"


class Missing(msgspec.Struct, frozen=True):
    """A ConfigMap, Secret or key that is not there; `name` may be empty. `said` are the words that tell of it."""

    kind: str
    name: str
    key: str
    said: str


def not_started(world: World, daemonset: DaemonSet, node: Node) -> Pod | None:
    """The daemon's pod on a node if the kubelet has it and has not got to the container yet; not on a lost node."""
    pod = None if is_lost(node) else troubled_pod(world, daemonset, node)
    if pod is None or pod.finished:
        return None
    if not pod.containers:
        return pod
    found = culprit(world, daemonset, node)
    calm = found is not None and found.container.state in {"", "waiting"} and found.container.reason in CALM
    return pod if calm else None


def mount_failure(world: World, daemonset: DaemonSet, node: Node) -> Event | None:
    """The newest event of a failed mount that says why, else one that says that it takes long."""
    pod = not_started(world, daemonset, node)
    told = list(said_of(world, pod, *MOUNT)) if pod else []
    return next((event for event in told if not event.message.startswith(_VAGUE)), told[0] if told else None)


def missing_config(text: str) -> Missing | None:
    """The ConfigMap, Secret or key that a text of the kubelet finds missing."""
    found = _CONFIG_TEXT.search(text)
    if not found:
        return None
    kind = found["kind"] or found["kind2"] or found["kind3"]
    named = "Secret" if kind.lower() == "secret" else "ConfigMap"
    return Missing(named, found["name"] or found["name2"] or "", found["key"] or found["key2"] or "", found[0])


def spreads_mounts(text: str) -> bool:
    """Whether a text says that the host does not share its mounts with containers."""
    return _SPREAD.search(text) is not None


def config_failure(world: World, daemonset: DaemonSet, node: Node) -> tuple[str, Evidence] | None:
    """What the kubelet says of a container that it cannot configure, with its evidence."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found is None or found.container.reason != CONFIG:
        return None
    if not found.container.message:
        return "", found.evidence("state.waiting.reason", CONFIG)
    return found.container.message, found.evidence("state.waiting.message", found.container.message)


def volume(daemonset: DaemonSet, name: str) -> tuple[int, Mapping[str, Any]] | None:
    """The volume of that name in the template, and its place."""
    volumes = enumerate(listed(daemonset.pod_spec, "volumes"))
    return next(((place, one) for place, one in volumes if one.get("name") == name), None)
