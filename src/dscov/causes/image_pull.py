"""The image cannot be pulled: the registry, the name, the right to it, the node's way to it, or merely its size."""

import re
from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import (
    IMAGE,
    Culprit,
    culprit,
    event_evidence,
    healthy_elsewhere,
    last_words,
    names_platform,
    said_of,
    spec_of,
)
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.nodes import is_lost
from dscov.model.platforms import other_os
from dscov.model.starting_up import not_started
from dscov.model.world import World
from dscov.patterns import pattern

_DENIED = pattern(r"unauthorized|authentication required|denied|forbidden|no basic auth|401|403", re.IGNORECASE)
_KINDS = (
    ("rate", pattern(r"toomanyrequests|rate limit|429", re.IGNORECASE), "the registry limits pulls"),
    ("denied", _DENIED, "the registry refuses the node's credentials"),
    ("absent", pattern(r"not found|manifest unknown|NotFound|invalid reference", re.IGNORECASE), "no such image"),
    ("disk", pattern(r"no space left", re.IGNORECASE), "the node's disk is full"),
    (
        "way",
        pattern(r"timeout|deadline|no such host|refused|unreachable|x509|certificate|proxy|EOF|reset", re.IGNORECASE),
        "the node does not get through to the registry",
    ),
)


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Images that cannot be had, for another reason than the platform."""
    found = None if is_lost(node) else culprit(world, daemonset, node)
    if found and found.container.reason in IMAGE:
        if not names_platform(world, found) and not other_os(world, daemonset, node):
            yield _failed(world, daemonset, found)
        return
    pod = not_started(world, daemonset, node)
    if pod is None or next(said_of(world, pod, "FailedMount", "FailedCreatePodSandBox", "Pulled"), None):
        return
    for event in said_of(world, pod, "Pulling"):
        yield Hit(
            (("gist", "the pull is not done yet"), ("words", last_words(event.message)), ("kind", "slow")),
            (event_evidence(event),),
        )
        return


def _failed(world: World, daemonset: DaemonSet, found: Culprit) -> Hit:
    one = found.container
    event = next((e for e in said_of(world, found.pod, "Failed", "InspectFailed") if "image" in e.message), None)
    text = event.message if event else one.message
    kind, gist = next(((kind, gist) for kind, what, gist in _KINDS if what.search(text)), ("", "the pull fails"))
    if kind == "way" and healthy_elsewhere(world, daemonset):
        gist = f"{gist}, other nodes do"
    _, spec = spec_of(daemonset, one.name)
    words = f"{spec.get('image', '')} {one.reason}: {last_words(text)}".strip()
    shown = [found.evidence("state.waiting.reason", one.reason), *([event_evidence(event)] if event else [])]
    return Hit((("gist", gist), ("words", words), ("kind", kind)), tuple(shown))


def cure(_world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """By what the registry said."""
    kind = dict(finding.facts)["kind"]
    if kind == "denied":
        return Remedy(
            "policy",
            "give the pods credentials: an image pull secret, of the service account or of the template",
            why="the registry refuses the node's credentials",
            actions=(f"kubectl -n {daemonset.namespace} get serviceaccounts,secrets",),
        )
    advice = {
        "rate": "pull from a mirror, or with credentials",
        "absent": "correct the name or tag of the image, or push it",
        "disk": "free the node's disk",
        "way": "mend the node's way to the registry: its DNS, proxy, mirror or certificates",
        "slow": "wait, or see why the pull is slow on this node",
    }
    return Remedy(
        "no-patch", advice.get(kind, "mend the image's reference or the registry"), why="no placement problem"
    )


CAUSE = Cause(
    code="DSC405",
    slug="image-pull",
    title="the image cannot be pulled",
    says="the image cannot be had, {gist}: {words}",
    find=find,
    cure=cure,
    looks_at=frozenset({"unhealthy", "misscheduled"}),
    of_pod=True,
)
