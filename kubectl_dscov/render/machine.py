"""The report for programs: the JSON contract of docs/report.schema.json, written piece by piece.

A report of 5,000 nodes has hundreds of thousands of pairs that differ in little but the node: each kind of verdict is
encoded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from dscov import Coverage, Diagnosis, Finding, Remedy, Role, Since, Verdict, owner_of, role_of
from kubectl_dscov.render.findings import code, sentence, title
from kubectl_dscov.render.intent import useless
from kubectl_dscov.render.roles import breaks
from kubectl_dscov.render.yaml import UNPRINTABLE, lines

_encode = msgspec.json.Encoder().encode


def report(diagnosis: Diagnosis) -> Iterator[str]:
    """The JSON text of a report, in pieces; joined it is one object and a final newline. It is harmless for a terminal."""
    for piece in _pieces(diagnosis):
        yield UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", piece)


def _pieces(diagnosis: Diagnosis) -> Iterator[str]:
    yield f'{{"apiVersion":"dscov.dev/v1","kind":"CoverageReport",\n"metadata":{_json(_metadata(diagnosis))},\n'
    yield f'"summary":{_json(diagnosis.summary)},\n"daemonsets":['
    for number, coverage in enumerate(diagnosis.coverage):
        yield ",\n" if number else "\n"
        yield from _daemonset(coverage)
    yield "]}\n"


def report_yaml(diagnosis: Diagnosis) -> Iterator[str]:
    """The same report as YAML."""
    return lines(msgspec.json.decode("".join(report(diagnosis))))


def _metadata(diagnosis: Diagnosis) -> dict[str, Any]:
    source = diagnosis.source
    return {
        "generatedAt": timestamp(diagnosis.clock),
        "source": {
            "kind": source.kind,
            "context": source.context,
            "path": source.path,
            "kubernetesVersion": source.version,
        },
        "notSeen": [
            {"resource": n.resource, "verb": n.verb, "reason": n.reason, "meaning": n.meaning, "detail": n.detail}
            for n in diagnosis.not_seen
        ],
        "unusedPolicy": [
            {"from": u.place, "kind": u.kind, "about": u.about, "near": u.near or None, "message": useless(u)}
            for u in diagnosis.unused
        ],
    }


def _daemonset(coverage: Coverage) -> Iterator[str]:
    ds = coverage.daemonset
    head = {
        "namespace": ds.namespace,
        "name": ds.name,
        "uid": ds.uid,
        "intent": {"from": coverage.intent.source, "text": coverage.intent.text},
        "counters": {
            "reported": ds.reported,
            "computed": coverage.computed,
            "disagreements": [{"counter": d.counter, "why": d.why} for d in coverage.disagreements],
        },
        "managedBy": owner_of(ds),
        "role": _role(role_of(ds)),
        "accepted": [
            {"nodes": a.nodes, "reason": a.reason, "until": a.until or None, "lapsed": a.over, "from": a.place}
            for a in coverage.accepted
        ],
    }
    yield _json(head)[:-1] + ',\n"nodes":['
    tails: dict[int, str] = {}
    lines = []
    for pair in coverage.pairs:
        tail = tails.get(id(pair.verdict))
        if tail is None:
            tail = tails[id(pair.verdict)] = _verdict(pair.verdict)
        pods = _json(pair.pods) if pair.pods else "[]"
        lines.append(f'\n{{"node":{_json(pair.node)},"pods":{pods},{tail}')
    yield ",".join(lines)
    findings = ",\n".join(_json(finding_object(finding)) for finding in coverage.findings)
    yield f'],\n"findings":[{findings}]}}'


def _verdict(verdict: Verdict) -> str:
    """All of a pair but its node and pods, without the opening brace."""
    return _json(
        {
            "state": verdict.state,
            "shouldRun": verdict.should_run,
            "shouldContinueRunning": verdict.should_continue_running,
            "expected": verdict.expected,
            "gap": verdict.gap,
            "unwanted": verdict.unwanted,
            "causes": verdict.causes,
        }
    )[1:]


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding as the contract has it."""
    return {
        "cause": finding.cause,
        "code": code(finding),
        "severity": finding.severity,
        "confidence": finding.confidence,
        "nodes": finding.nodes,
        "title": title(finding),
        "message": sentence(finding),
        "evidence": finding.evidence,
        "since": _since(finding.since) if finding.since else None,
        "remedy": _remedy(finding.remedy) if finding.remedy else None,
    }


def _role(role: Role) -> dict[str, Any]:
    return {
        "kind": role.kind,
        "subject": role.subject,
        "breaks": breaks(role),
        "confidence": role.confidence,
        "evidence": role.evidence,
    }


def _since(since: Since) -> dict[str, Any]:
    return {
        "time": timestamp(since.time),
        "exact": since.exact,
        "change": since.change,
        "about": since.about,
        "node": since.node,
        "after": since.after or None,
        "evidence": since.evidence,
    }


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "kind": remedy.kind,
        "summary": remedy.summary,
        "why": remedy.why,
        "actions": remedy.actions,
        "target": remedy.target,
        "patch": list(remedy.patch),
        "effect": {"gains": remedy.effect.gains, "loses": remedy.effect.loses, "restarts": remedy.effect.restarts},
        "alternatives": [],
    }


def timestamp(time: datetime) -> str:
    """RFC 3339 in UTC to the second."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _json(value: Mapping[str, Any] | Sequence[Any] | Any) -> str:
    return _encode(value).decode()
