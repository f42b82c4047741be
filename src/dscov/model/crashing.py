"""How a container that keeps ending ended: exit code, reason, last words, and what is odd about the node."""

from __future__ import annotations

import re

from dscov.kube.objects import part
from dscov.model.cluster import DaemonSet, Node
from dscov.model.containers import Culprit, event_evidence, how_it_ended, last_words, said_of, spec_of
from dscov.model.findings import Evidence, Facts
from dscov.model.odd_ones import oddity
from dscov.model.ports import host_ports
from dscov.model.world import World
from dscov.patterns import pattern

#: What exit codes mean, by the conventions of shells and signals.
CODES = {
    0: "it ends without an error, and a daemon must not end",
    126: "its command cannot be executed",
    127: "its command is not found",
    132: "illegal instruction: the program asks more of the processor than it has",
    134: "it aborted itself",
    137: "it was killed",
    139: "segmentation fault",
    143: "it was told to stop",
}
#: How it ended where the container has no memory limit to reach.
NO_LIMIT = "the node ran out of memory"
_IN_USE = pattern(r"address already in use|Only one usage of each socket address|EADDRINUSE", re.IGNORECASE)
_PORT = pattern(r"(?:^|[\s\]\d.:*'\"(]|localhost):(\d{1,5})\b|\bport[ =:]+(\d{1,5})\b", re.IGNORECASE)


def crash_facts(world: World, daemonset: DaemonSet, node: Node, found: Culprit) -> Facts:
    """The facts: container, how it ended, its last words, and what sets the node apart."""
    _, reason, message, code = how_it_ended(found.container)
    words = last_words(message)
    odd, _ = oddity(world, daemonset, node)
    return (
        ("container", found.name),
        ("how", how(world, daemonset, found)),
        ("words", f" ({words})" if words else ""),
        ("odd", f"; the node is the odd one out: {odd}" if odd else ""),
        ("code", "" if code is None else str(code)),
        ("reason", reason),
    )


def how(world: World, daemonset: DaemonSet, found: Culprit) -> str:
    """How it ended, in words."""
    _, reason, _, code = how_it_ended(found.container)
    if reason == "OOMKilled":
        _, spec = spec_of(daemonset, found.name)
        limit = part(spec, "resources", "limits").get("memory")
        return f"OOMKilled, exit code {code}, " + (f"at its memory limit of {limit}" if limit else NO_LIMIT)
    probe = killing_probe(world, found)
    if probe:
        return f"exit code {code}, killed since its {probe} probe fails"
    if code is None:
        return f"{reason}, it cannot be started"
    return f"exit code {code}" + (f", {CODES[code]}" if code in CODES else "")


def killing_probe(world: World, found: Culprit) -> str:
    """`liveness` or `startup` where events say that such a probe of the pod fails."""
    for event in said_of(world, found.pod, "Unhealthy", "Killing"):
        for kind in ("Liveness", "Startup"):
            if event.message.startswith(f"{kind} probe failed") or f"failed {kind.lower()} probe" in event.message:
                return kind.lower()
    return ""


def port_in_use(daemonset: DaemonSet, found: Culprit) -> str | None:
    """The port that its last words call in use, or the only one that the template asks for.

    None where they do not say so, empty where the port cannot be told.
    """
    *_, message, _ = how_it_ended(found.container)
    if not _IN_USE.search(message):
        return None
    named = _PORT.search(message)
    if named:
        return named[1] or named[2]
    asked = host_ports(daemonset)
    return asked[0].partition("/")[0] if len(asked) == 1 else ""


def crash_evidence(world: World, daemonset: DaemonSet, node: Node, found: Culprit) -> tuple[Evidence, ...]:
    """What stands in the pod's status, in an event of a probe, and in the node."""
    one = found.container
    field, reason, message, code = how_it_ended(one)
    shown = [found.evidence("restartCount", one.restarts)]
    shown += [found.evidence(f"{field}.exitCode", code)] if code is not None else []
    shown += [found.evidence(f"{field}.reason", reason)] if reason else []
    shown += [found.evidence(f"{field}.message", message)] if message else []
    if killing_probe(world, found):
        probe = next((e for e in said_of(world, found.pod, "Unhealthy") if not e.message.startswith("Readiness")), None)
        shown += [event_evidence(probe)] if probe else []
    return (*shown, *oddity(world, daemonset, node)[1])
