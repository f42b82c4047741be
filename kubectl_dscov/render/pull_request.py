"""The body of a pull request for a change: what it does to which nodes, what restarts, why, whose it is, how to check."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_dscov.render import marks
from kubectl_dscov.render.findings import sentence
from kubectl_dscov.render.nodes import described
from kubectl_dscov.render.proposals import comes_with, left_over

if TYPE_CHECKING:
    from dscov import Change, Finding, Option, Plan, Proposal

#: So many nodes are named, and so many commands of a remedy.
_NODES, _COMMANDS = 10, 4


class Why(NamedTuple):
    """What is known about a change where a plan made it: what the planner was after, and what it found in the cluster."""

    proposal: Proposal
    option: Option
    findings: Sequence[Finding]
    labels: Mapping[str, Mapping[str, str]]
    #: How the files differ from the object in the cluster, empty where they do not.
    drift: str = ""

    def named(self, nodes: Sequence[str]) -> str:
        """The nodes for people."""
        return marks.escaped(described(nodes, self.labels, most=_NODES))


def body(change: Change, plan: Plan, why: Why | None = None) -> str:
    """The whole text, in Markdown; without a plan just the edits and whether pods restart."""
    from dscov import effective, sentence

    edits = plan.edits if change.before is None else effective(change.before, plan.edits)
    name = _named(change, plan)
    lines = [f"# Scheduling of {marks.escaped(f'daemonset/{name}' if name else change.name)}", ""]
    lines += [f"- {marks.with_code(sentence(edit))}" for edit in edits]
    if why is None:
        lines += ["", _restarts_by_the_edits(change, plan)]
    else:
        lines += ["", *_planned(why)]
    notes = [*change.notes, *(why.option.notes if why else ())]
    lines += ["", *(f"- Note: {marks.escaped(note)}." for note in dict.fromkeys(notes))] if notes else []
    lines += ["", "## The change", "", *_patches(change)]
    lines += ["", "## How to check", "", *_checks(change, plan, why)]
    return "\n".join(lines) + "\n"


def _named(change: Change, plan: Plan) -> str:
    """The DaemonSet's name; empty where values were edited without saying for which."""
    return plan.target.name or (change.name if change.before is not None else "")


def _planned(why: Why) -> Iterator[str]:
    """Nodes, restarts, causes, owner and what is left, each under its head."""
    effect = why.option.effect
    yield from ("## Nodes", "")
    yield f"- Gains {why.named(effect.gains)}." if effect.gains else "- Gains no node."
    yield f"- **Loses {why.named(effect.loses)}.**" if effect.loses else "- Loses no node."
    if why.drift:
        yield f"- **Warning: {marks.escaped(why.drift)}.**"
    yield from ("", "## What comes with it", "")
    yield from (f"- {_opened(marks.escaped(line))}." for line in comes_with(why.option))
    if why.option.outlook.source:
        yield f"- A change lasts in {marks.escaped(why.option.outlook.source)}."
    reasons = list(_reasons(why))
    if reasons:
        yield from ("", "## Why", "", *reasons)
    if why.proposal.left:
        yield from ("", "## What else is to be done", "")
        yield "No change of this DaemonSet mends these:"
        yield ""
        yield from _left(why)


def _reasons(why: Why) -> Iterator[str]:
    """The findings that speak of the nodes it is for, and those of the DaemonSet as a whole that have a patch."""
    wanted = set(why.proposal.targets)
    for finding in why.findings:
        nodes = [name for name in finding.nodes if name in wanted]
        whole = finding.remedy is not None and bool(finding.remedy.patch) and not wanted.intersection(finding.nodes)
        if finding.severity != "info" and (nodes or (whole and not wanted)):
            where = f"{why.named(nodes)}: " if nodes else ""
            yield f"- {where}{marks.escaped(sentence(finding))} (`{finding.cause}`)."


def _left(why: Why) -> Iterator[str]:
    for left, _ in left_over([why.proposal]):
        where = why.named(left.nodes) if left.nodes else "the DaemonSet as a whole"
        yield f"- {where} (`{left.cause}`): {marks.escaped(left.remedy.summary)}."
        if left.remedy.actions:
            yield ""
            commands = marks.fenced("\n".join(left.remedy.actions[:_COMMANDS]), "sh")
            yield from (f"  {line}" for line in commands)


def _restarts_by_the_edits(change: Change, plan: Plan) -> str:
    """Whether pods restart, as far as the edits and the manifest tell."""
    if not _changes_template(change, plan):
        return "No pod restarts by itself: the pod template stays as it is. Pods of an old revision may go on rolling."
    spec = (change.after or {}).get("spec") or {}
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete":
        return "Restarts nothing by itself (OnDelete): pods that run keep the old template until they are deleted."
    known = "" if change.after else ", unless its update strategy is OnDelete"
    return f"Restarts every pod of the DaemonSet, node by node, as its update strategy allows{known}."


def _changes_template(change: Change, plan: Plan) -> bool:
    if change.before is None or change.after is None:
        from dscov import SetUpdateStrategy

        return not all(isinstance(edit, SetUpdateStrategy) for edit in plan.edits)
    before, after = ((one.get("spec") or {}).get("template") for one in (change.before, change.after))
    return bool(before != after)


def _patches(change: Change) -> Iterator[str]:
    from dscov import rendered, stem_of, work_tree

    if not change.edits:
        yield "The patch for the kustomization, or for the live object, is in the files beside this one."
        return
    yield from marks.fenced(rendered(change, "diff").decode("utf-8", "replace"), "diff")
    tops = {work_tree(edit.path) for edit in change.edits}
    where = "in the folder where it was made" if None in tops else "at the top of the work tree"
    yield from ("", f"Every other byte stays. Apply it {where}, with the path to the patch:", "")
    yield from marks.fenced(f"git apply {shlex.quote(f'{stem_of(change)}.patch')}", "sh")


def _checks(change: Change, plan: Plan, why: Why | None) -> list[str]:
    """Commands to run once it is applied."""
    target = plan.target
    name = _named(change, plan)
    if not name:
        return ["Once it is applied:", "", *marks.fenced("kubectl dscov diagnose", "sh")]
    there = target.namespace or ((change.before or {}).get("metadata") or {}).get("namespace")
    where = ["-n", str(there)] if there else []
    rolls = bool(why.option.outlook.restarts or why.option.outlook.waiting) if why else _changes_template(change, plan)
    commands = [["kubectl", "rollout", "status", f"daemonset/{name}", *where]] if rolls else []
    commands.append(["kubectl", "dscov", "diagnose", f"daemonset/{name}", *where])
    gains = why.option.effect.gains if why else ()
    commands += [["kubectl", "dscov", "explain", f"daemonset/{name}", f"node/{one}", *where] for one in gains[:1]]
    return ["Once it is applied:", "", *marks.fenced("\n".join(map(shlex.join, commands)), "sh")]


def _opened(line: str) -> str:
    return line[:1].upper() + line[1:]
