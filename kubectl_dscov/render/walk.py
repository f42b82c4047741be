"""The walk of `explain`, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from dscov import Cause, Coverage, Diagnosis, Pair, Step, Walk, page
from kubectl_dscov.render.examples import example
from kubectl_dscov.render.ink import ink, plain
from kubectl_dscov.render.intent import reason_of
from kubectl_dscov.render.paper import Paper
from kubectl_dscov.render.sheet import Sheet

#: question -> how it is asked, what is said after a yes, and after a no. Each answer is one to the question as asked.
_QUESTIONS = {
    "nodeName": ("Is it the node that the template names?", "", "it names {wanted}"),
    "noNodeSelector": ("Does the nodeSelector let the node in?", "there is none", ""),
    "nodeSelector": ("Does the node meet nodeSelector {entry}?", "it has {have}", "it has {have}"),
    "noAffinity": ("Does the required node affinity let the node in?", "there is none", ""),
    "affinityTerm": ("Does the node meet affinity term {number} of {count}?", "{term}", "it fails {failures}"),
    "noTaints": ("Are the taints of the node tolerated?", "it has none", ""),
    "taintIgnored": ("Is taint {taint} harmless?", "{effect} never keeps a daemon pod away", ""),
    "taint": ("Is taint {taint} tolerated?", "by {by}", "{near}"),
    "project": ("Does the node meet the selector of project {namespace}?", "", "it asks for {selector}"),
    "shouldRun": ("Does the controller want a pod here?", "", ""),
    "shouldContinueRunning": ("May a pod that is here stay?", "", "the controller deletes it"),
    "nodeReady": ("Is the node ready?", "", "Ready={status}: {reason} {message}"),
    "created": ("Is there a pod?", "{pod}", "none was created. {event}"),
    "terminating": ("Does the pod stay?", "", "{pod} is being deleted since {since}"),
    "bound": ("Is the pod bound to the node?", "", "{reason} {message}"),
    "admitted": ("Does the pod go on?", "", "it has ended: {phase} {reason} {message}"),
    "started": (
        "Does container {container} run?",
        "but it is not ready ({restarts} restarts). {last}",
        "{state}: {reason} {message} ({restarts} restarts, last exit code {exit_code}) {last}",
    ),
    "ready": ("Is the pod ready?", "since {since}", ""),
    "available": ("Is the pod available?", "", "not before minReadySeconds ({seconds} s) are over"),
    "updated": ("Is the pod of the current revision?", "", "of an older one"),
}
_UNSEEN, _SKIPPED = "pods could not be read", "none is wanted"
_NEAR = "the toleration nearest to it is "
_MARKS = {"yes": ("yes", "green"), "no": ("NO", "red"), "unknown": ("?", "yellow"), "-": ("-", "dim")}


def lines(walk: Walk, diagnosis: Diagnosis, *, colour: bool) -> Iterator[str]:
    """The whole walk; after it what `diagnosis`, of the one DaemonSet and the one node, says of the pair."""
    paper = Paper(diagnosis, colour=colour)
    found = next(iter(diagnosis.coverage))
    pair = next((pair for pair in found.pairs if pair.node == walk.node.name), None)
    name = f"daemonset/{walk.daemonset.name} (namespace {walk.daemonset.namespace}) on node/{walk.node.name}"
    yield from paper.wrapped(plain(f"{name}: {walk.state}{_judged(pair)}"), "", "  ", style="bold")
    for step in walk.steps:
        yield from _answered(paper, step.answer, _sentence(step))
    if pair:
        yield from _intended(paper, found, pair)
    yield from _causes(paper, found)
    if walk.sibling:
        yield "\n"
        yield from paper.wrapped(f"Otherwise on the covered node {plain(walk.sibling)}:", "", "  ")
        for what, here, there in walk.differences:
            yield from paper.wrapped(plain(f"{what}: {here} here, {there} there"), "  ", "    ")
        if not walk.differences:
            yield "  nothing that could be seen\n"


def _judged(pair: Pair | None) -> str:
    if pair is None:
        return ""
    verdict = pair.verdict
    return ", a gap" if verdict.gap else ", unwanted" if verdict.unwanted else ""


def _answered(paper: Paper, answer: str, text: str) -> Iterator[str]:
    """One question, its answer before it."""
    word, style = _MARKS[answer]
    first, *rest = paper.wrapped(text, " " * 7)
    yield f"  {ink(f'{word:>3}', style, colour=paper.colour)}  {first.lstrip()}"
    yield from rest


def _sentence(step: Step) -> str:
    facts = {key: plain(value) for key, value in step.facts}
    question, yes, no = _QUESTIONS[step.question]
    if step.answer not in {"yes", "no"}:
        return f"{question} {_UNSEEN if step.answer == 'unknown' else _SKIPPED}"
    if facts.get("near"):
        facts["near"] = _NEAR + facts["near"]
    told = (yes if step.answer == "yes" else no).format_map(facts)
    text = f"{question.format_map(facts)} {told}"
    return " ".join(text.replace(" (0 restarts, last exit code )", "").split())


def _intended(paper: Paper, found: Coverage, pair: Pair) -> Iterator[str]:
    """Whether a daemon is meant to be here, and who says so."""
    answer = "yes" if pair.verdict.expected or pair.verdict.accepted is not None else "no"
    yield from _answered(paper, answer, plain(f"Is it meant to run here? {found.intent.source}: {found.intent.text}"))
    for accepted in found.accepted:
        word = "NO" if accepted.over else "yes"
        text = f"Is the gap accepted? {reason_of(accepted)} ({accepted.place})"
        yield from _answered(paper, word.lower(), plain(text))


def _causes(paper: Paper, found: Coverage) -> Iterator[str]:
    """The causes that speak of the pair, and what to do; those that only inform come last and say no more."""
    if found.findings:
        yield "\n"
    for finding in found.findings:
        yield from paper.reason(finding, f"{finding.severity:>7}  ")
        if finding.remedy:
            yield from paper.remedy(finding.remedy, " " * 9, most=4 if finding.severity != "info" else 0)


def cause_page(cause: Cause) -> Iterator[str]:
    """The page of a cause, its paragraphs fitted to the terminal."""
    sheet = Sheet()
    yield f"{cause.slug}  {cause.code}\n\n{cause.title}\n"
    for paragraph in (*page(cause).strip().split("\n\n"), f"For example: {example(cause)}"):
        yield "\n"
        yield from sheet.wrapped(" ".join(paragraph.split()))
