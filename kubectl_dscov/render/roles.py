"""The wording of roles: what breaks on a node without the daemon, and how we know what the daemon is for."""

from __future__ import annotations

from dscov import Role

_BREAKS = {
    "network": "no pod network on this node: no pod outside the host network starts",
    "proxy": "Services do not answer from this node: nothing routes their cluster IPs",
    "storage": "volumes of {subject} are not mounted: pods that use them do not start on this node",
    "device": "the node does not offer {subject}: pods that ask for it are not scheduled here",
    "dns": "pods on this node that ask a node-local DNS server get no answer",
    "ingress": "traffic from outside that is sent to this node is not served",
    "security": "what happens on this node is not watched",
    "metrics": "no metrics come from this node: alerts about it stay silent",
    "logs": "the logs of all pods on this node are not collected",
    "other": "what it does for a node is not done on this one",
}
_UNNAMED = {"storage": "its CSI driver", "device": "its extended resource"}


def breaks(role: Role) -> str:
    """What breaks without it."""
    return _BREAKS[role.kind].format(subject=role.subject or _UNNAMED.get(role.kind, ""))


def known_by(role: Role) -> str:
    """How we know, as a text in brackets; empty where nothing is known."""
    if not role.evidence:
        return ""
    claim = role.evidence[0]
    return f"({role.confidence}: {claim.field.removeprefix('spec.template.spec.')} is {claim.value})"
