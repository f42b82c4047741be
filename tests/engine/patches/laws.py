"""The two laws of every kind of edit, on any manifest: only lines that the edit names differ, and there is a way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from dscov.errors import DscovError, NotFound, Refused
from dscov.model.edits import (
    AddAffinityExpression,
    AddToleration,
    ChangeAffinityExpression,
    ChangeToleration,
    Edit,
    Expression,
    RemoveAffinityExpression,
    RemoveToleration,
    RemoveTolerationSeconds,
    ReplaceAffinityTerms,
    SetField,
    SetNodeSelector,
    SetPriorityClass,
    SetUpdateStrategy,
    Term,
    TolerationSpec,
    UnsetField,
    UnsetNodeSelector,
)
from dscov.patches.affinity import terms_of
from dscov.patches.derive import edits_between
from dscov.patches.manifest import Place, daemonsets, edit_text
from dscov.patches.search import parse
from dscov.patches.settled import settled
from dscov.patches.source import Source
from dscov.patches.tolerations import spec_of

POD = ("spec", "template", "spec")
NEW = TolerationSpec("example.com/dedicated", "Exists", None, "NoSchedule")
ZONE = Expression("example.com/zone", "In", ("a", "b"))


def places(raw: bytes) -> list[Place]:
    source = Source("x", raw)
    return list(daemonsets(source, parse(source)))


def edits_of(place: Place) -> Iterator[tuple[str, Edit]]:
    """Every kind of edit that this DaemonSet has a place for."""
    pod = place.data["spec"]["template"]["spec"]
    yield "add toleration", AddToleration(NEW)
    yield from _of_tolerations([spec_of(item) for item in pod.get("tolerations") or []])
    yield "add label", SetNodeSelector("example.com/x", "1")
    for key in pod.get("nodeSelector") or {}:
        yield "change label", SetNodeSelector(str(key), "other")
        yield "remove label", UnsetNodeSelector(str(key))
    yield from _of_affinity(terms_of(pod.get("affinity")))
    yield "set priority", SetPriorityClass("example-high")
    yield from _of_fields(place.data)


def _of_tolerations(found: list[TolerationSpec]) -> Iterator[tuple[str, Edit]]:
    for one in dict.fromkeys(found):
        parts = (one.key, one.operator, one.value, one.effect)
        bare = TolerationSpec(*parts)
        for name, new in {
            "key": ("example.com/other", *parts[1:]),
            "value": (one.key or "x", "Equal", "other", one.effect),
            "exists": (one.key, "Exists", None, one.effect),
            "effect": (*parts[:3], "PreferNoSchedule" if one.effect != "PreferNoSchedule" else None),
        }.items():
            if new != parts:
                yield f"change toleration's {name}", ChangeToleration(bare, TolerationSpec(*new))
        yield "remove toleration", RemoveToleration(bare)
        if one.seconds is not None:
            yield "remove seconds", RemoveTolerationSeconds(bare)
            yield "change seconds", ChangeToleration(one, TolerationSpec(*parts, one.seconds + 1))


def _of_affinity(terms: tuple[Term, ...]) -> Iterator[tuple[str, Edit]]:
    yield "add expression", AddAffinityExpression(ZONE)
    expressions = dict.fromkeys(one for term in terms for one in term.expressions)
    for one in expressions:
        yield "change expression", ChangeAffinityExpression(one, Expression(one.key, "In", ("other", *one.values)))
        if one.operator != "Exists":
            yield "change to exists", ChangeAffinityExpression(one, Expression(one.key, "Exists"))
        yield "remove expression", RemoveAffinityExpression(one)
    if len(terms) > 1:
        merged = tuple(dict.fromkeys(one for term in terms for one in term.expressions))
        yield "merge terms", ReplaceAffinityTerms((Term(merged),))
    if terms:
        yield "add term", ReplaceAffinityTerms((*terms, Term((ZONE,))))


def _of_fields(data: dict[str, Any]) -> Iterator[tuple[str, Edit]]:
    pod = data["spec"]["template"]["spec"]
    strategy = data["spec"].get("updateStrategy") or {}
    if strategy.get("type", "RollingUpdate") == "RollingUpdate":
        yield "set maxUnavailable", SetUpdateStrategy(max_unavailable="17%")
        yield "set both numbers", SetUpdateStrategy(0, 3)
    yield "set type", SetUpdateStrategy(type="OnDelete")
    if strategy:
        yield "unset strategy", UnsetField(("spec", "updateStrategy"))
    yield "set scheduler", SetField((*POD, "schedulerName"), "own")
    yield "set ready", SetField(("spec", "minReadySeconds"), 17)
    yield "set host network", SetField((*POD, "hostNetwork"), not pod.get("hostNetwork"))
    for name in ("priorityClassName", "hostNetwork", "nodeName", "schedulerName", "affinity", "nodeSelector"):
        if name in pod:
            yield f"unset {name}", UnsetField((*POD, name))


@dataclass(frozen=True)
class Outcome:
    """What an edit did: `fault` is empty where both laws hold; `back` is bytes, meaning, or none where it was refused."""

    fault: str = ""
    back: str = ""
    why: str = ""


def judged(raw: bytes, place: Place, edit: Edit) -> Outcome:
    """Do the edit and undo it."""
    try:
        changed = place.source.encoded(edit_text(place, [edit]))
    except (Refused, NotFound) as refusal:
        return Outcome(back="none", why=f"refused: {refusal}")
    if changed == raw:
        return Outcome(back="same")
    if strange := strange_line(raw, changed, place, edit):
        return Outcome(f"line {strange} differs")
    again = next(p for p in places(changed) if (p.number, p.base) == (place.number, place.base))
    try:
        restored = again.source.encoded(edit_text(again, edits_between(again.data, place.data)))
    except DscovError as error:
        return Outcome(back="none", why=f"no way back: {error}")
    (last,) = [p for p in places(restored) if (p.number, p.base) == (place.number, place.base)]
    if settled(last.data) != settled(place.data):
        return Outcome("the way back leads elsewhere")
    return Outcome(back="bytes" if restored == raw else "meaning")


def strange_line(raw: bytes, changed: bytes, place: Place, edit: Edit) -> str:
    """The number of a line (counted from 1) that the edit does not name and that is not as it was; else nothing."""
    # What follows a line gives it a comma in JSON, and a line end where the file has no last one.
    old, new = ([line.rstrip(b"\r,") for line in text.split(b"\n")] for text in (raw, changed))
    room = min(len(old), len(new))
    head = next((i for i in range(room) if old[i] != new[i]), room)
    tail = next((i for i in range(room - head) if old[-1 - i] != new[-1 - i]), room - head)
    lines = named_lines(raw, place, edit)
    return next((str(i + 1) for i in range(head, len(old) - tail) if i not in lines and old[i].strip()), "")


def named_lines(raw: bytes, place: Place, edit: Edit) -> set[int]:
    """The lines (counted from 0) of the field that the edit names, found by another reader of YAML."""
    text = raw.decode("utf-8-sig").replace("\t#", " #")
    root: Any = list(yaml.compose_all(text, yaml.SafeLoader))[place.number]
    for step in place.base:
        root = _child(root, step)
    lines: set[int] = set()
    for path in _paths(edit):
        node, key, lone = root, None, None
        for step in path:
            pair = next(((k, v) for k, v in node.value if k.value == step), None) if node.id == "mapping" else None
            if pair is None:
                # In brackets, and for an empty value, there is no other line to write on.
                tight = getattr(node, "flow_style", False) or not node.value
                lines |= set(range(node.start_mark.line, node.end_mark.line + 1)) if tight else set()
                break
            lone, (key, node) = key if len(node.value) == 1 else None, pair
        else:
            # Comments below a list belong to its last item; the reader gives a block the start of what follows as end.
            first = key.start_mark.line if key else 0
            lines |= {first, *range(first, node.end_mark.line + 1)}
            # A map that is left without its only key becomes {} on the line of its own key.
            lines |= {lone.start_mark.line} if lone else set()
    return lines


def _child(node: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return node.value[step]
    return next(value for key, value in node.value if key.value == step)


def _paths(edit: Edit) -> list[tuple[str, ...]]:
    match edit:
        case AddToleration() | ChangeToleration() | RemoveToleration() | RemoveTolerationSeconds():
            return [(*POD, "tolerations")]
        case SetNodeSelector() | UnsetNodeSelector():
            return [(*POD, "nodeSelector")]
        case SetPriorityClass():
            return [(*POD, "priorityClassName")]
        case SetUpdateStrategy():
            return [("spec", "updateStrategy")]
        case SetField(path) | UnsetField(path):
            return [path]
        case _:
            return [(*POD, "affinity")]
