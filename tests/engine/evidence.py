"""Checks a claim against the objects it speaks of: the object is there, and its field holds that value.

The empty value also stands for a field that is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dscov.model.findings import Evidence, Finding

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_MAPS = re.compile(r"(.*?(?:labels|annotations|nodeSelector|matchLabels|allocatable))\.(.+)")


def unproved(finding: Finding, objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A text for every piece of evidence of a finding that does not hold."""
    by_name = {name_of(obj): obj for obj in objects}
    for claim in finding.evidence:
        flaw = _flaw(claim, by_name)
        if flaw:
            yield f"{finding.cause}: {claim.object} {claim.field}={claim.value!r}: {flaw}"


def name_of(obj: dict[str, Any]) -> str:
    """`Kind/name` or `Kind/namespace/name`."""
    meta = obj["metadata"]
    return "/".join(filter(None, (obj["kind"], meta.get("namespace"), meta["name"])))


def _flaw(claim: Evidence, by_name: dict[str, dict[str, Any]]) -> str:
    if claim.object not in by_name:
        return "no such object"
    held = _at(by_name[claim.object], claim.field)
    if held is None and not claim.value:
        return ""
    if held is None:
        return "no such field"
    if isinstance(held, list) and held and isinstance(held[0], dict) and "effect" in held[0]:
        held = [f"{t.get('key', '')}{'=' + t['value'] if t.get('value') else ''}:{t['effect']}" for t in held]
        return "" if claim.value in held else f"holds {held}"
    if isinstance(held, (dict, list)):
        return "" if claim.value == "" else "holds a whole structure"
    text = {True: "true", False: "false"}[held] if isinstance(held, bool) else str(held)
    return "" if text == claim.value else f"holds {text!r}"


def _at(obj: dict[str, Any], field: str) -> Any:
    """What stands at a path such as `status.conditions[0].status` or `metadata.labels.example.com/zone`, or None."""
    found = _MAPS.fullmatch(field)
    steps: list[str | int] = []
    for name, place in _STEP.findall(found[1] if found else field):
        steps.append(int(place) if place else name)
    if found:
        steps.append(found[2])
    held: Any = obj
    for step in steps:
        try:
            held = held[step]
        except (KeyError, IndexError, TypeError):
            return None
    return held
