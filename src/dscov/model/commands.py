"""The commands that a remedy offers, for people to copy into a shell."""

from __future__ import annotations

import re

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.findings import Finding, Remedy
from dscov.model.world import World
from dscov.patterns import pattern

_OWNED = pattern(r"kubectl label node .*kubernetes\.io/(os|arch|hostname)\b")
_HARMLESS = pattern(r"([\w./:=,@+][\w./:=,@+-]*)?", re.ASCII)
_NAME = pattern(r"[a-z0-9][a-z0-9.-]*", re.ASCII)


def safe(world: World, daemonset: DaemonSet, remedy: Remedy, finding: Finding) -> Remedy:
    """Without commands in which a name or value stands that a shell would act on (no API server stores such a name),
    and without those that set a label which the kubelet writes anew.
    """
    if not remedy.actions:
        return remedy
    pods = (pod.name for name in finding.nodes for pod in world.pods(daemonset, name))
    names = (daemonset.namespace, daemonset.name, *finding.nodes, *pods)
    words = [name for name in names if not _NAME.fullmatch(name)]
    words += [value for _, value in finding.facts if not _HARMLESS.fullmatch(value)]
    odd = [action for action in remedy.actions if _OWNED.search(action) or any(word in action for word in words)]
    if not odd:
        return remedy
    return msgspec.structs.replace(remedy, actions=tuple(action for action in remedy.actions if action not in odd))
