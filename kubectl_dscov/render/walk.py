"""The walk of `explain`, as lines for people."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator

from dscov import Cause, Step, Walk, page
from kubectl_dscov.render.ink import ink, plain

#: question -> the sentence of a yes, the sentence of a no.
_SENTENCES = {
    "nodeName": ("the template names this node", "the template names another node, {wanted}"),
    "noNodeSelector": ("the template has no nodeSelector", ""),
    "nodeSelector": ("nodeSelector {entry}: the node has {have}", "nodeSelector {entry}: the node has {have}"),
    "noAffinity": ("the template has no required node affinity", ""),
    "affinityTerm": (
        "affinity term {number} of {count} matches: {term}",
        "affinity term {number} of {count} fails: {failures}",
    ),
    "noTaints": ("the node has no taints", ""),
    "taintIgnored": ("taint {taint}: {effect} never keeps a daemon pod away", ""),
    "taint": ("taint {taint} is tolerated by {by}", "taint {taint} is not tolerated"),
    "project": ("", "the project {namespace} asks for {selector}"),
    "shouldRun": ("the controller wants a pod here", "the controller wants no pod here"),
    "shouldContinueRunning": ("a pod that is already here may stay", "a pod that is here is deleted"),
    "nodeReady": ("", "the node is not ready (Ready={status}): {reason} {message}"),
    "created": ("pod {pod} is there", "no pod was created. {event}"),
    "terminating": ("", "pod {pod} is terminating since {since}"),
    "bound": ("bound to the node", "not bound to the node: {reason} {message}"),
    "admitted": ("", "the pod has ended: {phase} {reason} {message}"),
    "started": (
        "container {container} is running but not ready ({restarts} restarts). {last}",
        "container {container} is {state}: {reason} {message} ({restarts} restarts, last exit code {exit_code}) {last}",
    ),
    "ready": ("ready since {since}", "not ready"),
    "available": ("available", "not available before minReadySeconds ({seconds} s) are over"),
    "updated": ("of the current revision", "of an older revision"),
}
_UNSEEN = {"created": "pods could not be read"}
_SKIPPED = {"created": "so none is created"}
_MARKS = {"yes": ("yes", "green"), "no": ("NO", "red"), "unknown": ("?", "yellow"), "-": ("-", "dim")}


def lines(walk: Walk, *, colour: bool) -> Iterator[str]:
    """The whole walk."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    title = (
        f"daemonset/{walk.daemonset.name} (namespace {walk.daemonset.namespace}) on node/{walk.node.name}: {walk.state}"
    )
    yield ink(plain(title), "bold", colour=colour) + "\n"
    for step in walk.steps:
        word, style = _MARKS[step.answer]
        first, *rest = textwrap.wrap(
            _sentence(step), max(width - 7, 20), break_long_words=False, break_on_hyphens=False
        ) or [""]
        yield f"  {ink(f'{word:>3}', style, colour=colour)}  {first}\n"
        yield from (f"       {line}\n" for line in rest)
    if walk.sibling:
        yield f"\nOtherwise on the covered node {plain(walk.sibling)}:\n"
        for what, here, there in walk.differences:
            yield f"  {plain(what)}: {plain(here)} here, {plain(there)} there\n"
        if not walk.differences:
            yield "  nothing that could be seen\n"


def _sentence(step: Step) -> str:
    if step.answer == "unknown":
        return _UNSEEN[step.question]
    if step.answer == "-":
        return _SKIPPED[step.question]
    yes, no = _SENTENCES[step.question]
    text = (yes if step.answer == "yes" else no).format_map(dict(step.facts))
    return plain(" ".join(text.replace(" (0 restarts, last exit code )", "").split()))


def cause_page(cause: Cause) -> Iterator[str]:
    """The page of a cause, its paragraphs fitted to the terminal."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    yield f"{cause.slug}  {cause.code}\n\n{cause.title}\n"
    says = re.sub("{(.+?)}", r"<\1>", cause.says)
    for paragraph in (*page(cause).strip().split("\n\n"), f"It says: {says}"):
        text = " ".join(paragraph.split())
        yield "\n" + textwrap.fill(text, max(width, 20), break_long_words=False, break_on_hyphens=False) + "\n"
