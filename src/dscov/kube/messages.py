"""What the scheduler says of a pod that it could not place: which reasons are about the pod's own node.

A daemon pod may go to one node only, so most of a message is about nodes that never were in question.
Rules: pkg/scheduler/framework/types.go (FitError), pkg/scheduler/schedule_one.go and the plugins' reasons, read in
Kubernetes v1.18 to v1.37.2.
"""

from __future__ import annotations

import re
from enum import Enum

import msgspec

from dscov.patterns import pattern


class Plugin(Enum):
    """Who refuses, as far as a remedy differs. A node is refused by one plugin only; the others are not asked then."""

    RESOURCES = "resources"
    PORTS = "ports"
    VOLUMES = "volumes"
    OTHER_PODS = "other pods"
    TAINTS = "taints"
    SELECTOR = "selector"
    UNKNOWN_NODE = "unknown node"
    ELSE = "else"


_PLUGINS = (
    (Plugin.RESOURCES, pattern(r"Insufficient \S+$|Too many pods$")),
    (Plugin.PORTS, pattern(r"node\(s\) didn't have free ports")),
    (
        Plugin.OTHER_PODS,
        pattern(r"node\(s\) didn't (match|satisfy) .*(affinity rules|pod affinity|topology spread)"),
    ),
    (Plugin.TAINTS, pattern(r"node\(s\) had (untolerated )?taint|node\(s\) were unschedulable$")),
    (
        Plugin.SELECTOR,
        pattern(r"node\(s\) didn't match (Pod's node affinity|node selector|scheduler-enforced node affinity)"),
    ),
    (Plugin.UNKNOWN_NODE, pattern(r"no nodes available to schedule pods|(nodeinfo|node) .*not found")),
    (
        Plugin.VOLUMES,
        pattern(
            r"persistent ?volume|\bpvc\b|\bvolume\b|no available disk|enough free storage|CSI driver", re.IGNORECASE
        ),
    ),
)

#: Entries that stand for nodes that are not the pod's own.
_NOT_ITS_NODE = pattern(
    r"node\(s\) didn't satisfy plugin\(s\) \[.*\]$|node (is|\(s\) are) filtered out by the prefilter"
)

#: Entries that mean the same in old versions, but can also be about the pod's own node.
_NAME_OR_SELECTOR = pattern(r"node\(s\) didn't match (Pod's node affinity(/selector)?|node selector)$")

_HEAD = pattern(r"0/(\d{1,9}) nodes are available: ?")
_ENTRY = pattern(r"(\d{1,9}) (.+)", re.DOTALL)


class Refusal(msgspec.Struct, frozen=True):
    """A message, read. `known` is the number of nodes that the scheduler knew (None where it gives none).

    `reasons` are those that can be about the pod's own node: of one plugin where the scheduler looked at that node
    alone; where it looked at all of them (`broad`, through 1.23) some may be about other nodes. `cut` says that the
    end of the message is missing.
    """

    known: int | None = None
    reasons: tuple[str, ...] = ()
    broad: bool = False
    cut: bool = False
    preemption: str = ""


def plugin_of(reason: str) -> Plugin:
    """Whose reason it is."""
    return next((plugin for plugin, form in _PLUGINS if form.search(reason)), Plugin.ELSE)


def read_refusal(message: str) -> Refusal:
    """The message of a FailedScheduling event or the condition PodScheduled; a text of another form is one reason."""
    text = message.strip()
    head = _HEAD.match(text)
    if not head:
        return Refusal(reasons=(text,)) if text else Refusal()
    main, stop, post = text[head.end() :].partition(". ")
    cut = text.endswith(" ...")
    main = main.removesuffix(" ...").rstrip(".")
    entries = [_ENTRY.fullmatch(part) for part in re.split(r", (?=\d+ )", main)]
    known = int(head[1])
    if not entries[0]:
        return Refusal(known, (main,) if main else (), preemption=post)
    counted = [(int(entry[1]), entry[2]) for entry in entries if entry]
    return _about_its_node(Refusal(known, cut=cut and not stop, preemption=post), counted)


def _about_its_node(refusal: Refusal, counted: list[tuple[int, str]]) -> Refusal:
    unclear = [(count, reason) for count, reason in counted if _NAME_OR_SELECTOR.match(reason)]
    rest = [reason for _, reason in counted if not _NAME_OR_SELECTOR.match(reason)]
    named = tuple(reason for reason in rest if not _NOT_ITS_NODE.match(reason))
    if named:
        broad = bool(unclear) or len({plugin_of(reason) for reason in named}) > 1
        return msgspec.structs.replace(refusal, reasons=named, broad=broad)
    own = tuple(reason for count, reason in unclear if count in {1, refusal.known})
    return msgspec.structs.replace(refusal, reasons=own)


def short_resource(reason: str) -> str:
    """The resource of `Insufficient RESOURCE` (`pods` for too many of them), or empty."""
    if reason == "Too many pods":
        return "pods"
    return reason.removeprefix("Insufficient ") if reason.startswith("Insufficient ") else ""


def taint_of(reason: str) -> tuple[str, str] | None:
    """Key and value of the taint that a reason names; None where it names none (since 1.34.2)."""
    found = re.search(r"taint \{([^:}]+): ?([^}]*)\}", reason)
    return (found[1], found[2]) if found else None
