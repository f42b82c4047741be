#!/usr/bin/env python3
"""Write the files that are made from the program: causes, commands, the JSON schema, RBAC.

usage: generate_docs.py [--check]      with --check nothing is written; exit 1 where a file differs
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

import dscov
from dscov.model.causes import STAGES
from dscov.model.findings import STATES, UNUSED
from kubectl_dscov.cli import COMMANDS, PROG, cli

sys.path.insert(0, str(Path(__file__).parent))
import rbac

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = "kubectl_dscov/report.schema.json"


def causes() -> str:
    """docs/causes.md"""
    lines = ["# Causes", "", "Made from the program; `kubectl dscov explain CAUSE` prints one page.", ""]
    for number, stage in enumerate(STAGES, 1):
        lines += [f"## {number}. {stage}", ""]
        for cause in dscov.registry():
            if cause.stage == number:
                text = dscov.page(cause).strip()
                lines += [f"### {cause.slug}", "", f"`{cause.code}`: {cause.title}", "", text, ""]
    return "\n".join(lines)


def commands() -> str:
    """docs/commands.md"""
    lines = ["# Commands", "", "Made from the program's own help.", ""]
    context = click.Context(
        cli, info_name=PROG, terminal_width=80, max_content_width=80, help_option_names=["-h", "--help"]
    )
    lines += [f"## {PROG}", "", "```text", cli.get_help(context), "```", ""]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=80, max_content_width=80)
        lines += [f"## {PROG} {name}", "", "```text", command.get_help(inner), "```", ""]
    return "\n".join(lines)


def schema() -> str:
    """The JSON Schema of the report."""
    text, flag = {"type": "string"}, {"type": "boolean"}
    decision = {"type": ["boolean", "null"], "description": "null: could not look"}
    texts = {"type": "array", "items": text}
    count = {"type": "integer", "minimum": 0}
    counter_names = [re.sub(r"_(.)", lambda m: m[1].upper(), name) for name in dscov.Counters.__struct_fields__]
    counters = _object(dict.fromkeys(counter_names, count))
    effect = _object({"gains": texts, "loses": texts, "restarts": {"type": ["integer", "null"]}})
    patch = {"type": "array", "items": _object({"op": text, "path": text}), "description": "RFC 6902 on the DaemonSet"}
    remedy = _object(
        {
            "kind": {"enum": ["patch", "no-patch", "policy"]},
            "summary": text,
            "why": text,
            "actions": texts,
            "target": text,
            "patch": patch,
            "effect": effect,
            "alternatives": {"type": "array", "items": _object({"summary": text, "patch": patch, "effect": effect})},
        }
    )
    evidence = {"type": "array", "items": _object({"object": text, "field": text, "value": text})}
    instant, perhaps = {"type": "string", "format": "date-time"}, {"type": ["string", "null"]}
    since = _object(
        {
            "time": instant,
            "exact": {"type": "boolean", "description": "false: the gap may have opened at any later time"},
            "change": {"enum": list(dscov.CHANGES)},
            "about": text,
            "node": text,
            "after": perhaps,
            "evidence": evidence,
        }
    )
    role = _object(
        {
            "kind": {"enum": list(dscov.ROLES)},
            "subject": text,
            "breaks": text,
            "confidence": {"enum": ["inferred", "unknown"]},
            "evidence": evidence,
        }
    )
    accepted = _object({"nodes": texts, "reason": text, "until": perhaps, "lapsed": flag, "from": text})
    slug = {"enum": [cause.slug for cause in dscov.registry()]}
    finding = _object(
        {
            "cause": slug,
            "code": {"type": "string", "pattern": "^DSC[1-7][0-9]{2}$"},
            "severity": {"enum": ["error", "warning", "info"]},
            "confidence": {"enum": ["observed", "inferred", "unknown"]},
            "nodes": texts,
            "title": text,
            "message": text,
            "evidence": evidence,
            "since": {"anyOf": [since, {"type": "null"}], "description": "when the first of the gaps opened"},
            "remedy": {"anyOf": [remedy, {"type": "null"}]},
        }
    )
    pair = _object(
        {
            "node": text,
            "state": {"enum": list(STATES)},
            "shouldRun": decision,
            "shouldContinueRunning": decision,
            "expected": flag,
            "gap": flag,
            "unwanted": flag,
            "pods": texts,
            "causes": {"type": "array", "items": slug},
        }
    )
    daemonset = _object(
        {
            "namespace": text,
            "name": text,
            "uid": text,
            "intent": _object({"from": {"enum": ["flag", "annotation", "policy", "inferred"]}, "text": text}),
            "counters": _object(
                {
                    "reported": counters,
                    "computed": {"anyOf": [counters, {"type": "null"}]},
                    "disagreements": {"type": "array", "items": _object({"counter": text, "why": text})},
                }
            ),
            "managedBy": _object({"kind": text, "name": text, "evidence": text}),
            "role": role,
            "accepted": {"type": "array", "items": accepted},
            "nodes": {"type": "array", "items": pair},
            "findings": {"type": "array", "items": finding},
        }
    )
    missing = _object({"resource": text, "verb": text, "reason": text, "meaning": text})
    unused = _object({"from": text, "kind": {"enum": list(UNUSED)}, "about": text, "near": perhaps, "message": text})
    source = _object({"kind": {"enum": ["cluster", "saved"]}, "context": text, "path": text, "kubernetesVersion": text})
    whole = _object(
        {
            "apiVersion": {"const": "dscov.dev/v1"},
            "kind": {"const": "CoverageReport"},
            "metadata": _object(
                {
                    "generatedAt": {"type": "string", "format": "date-time"},
                    "source": source,
                    "notSeen": {"type": "array", "items": missing},
                    "unusedPolicy": {"type": "array", "items": unused, "description": "entries that do nothing"},
                }
            ),
            "summary": _object(dict.fromkeys(dscov.Summary.__struct_fields__, count)),
            "daemonsets": {"type": "array", "items": daemonset},
        }
    )
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "kubectl dscov diagnose -o json"}
    return json.dumps({**head, **whole}, indent=1) + "\n"


def _object(properties: dict[str, object]) -> dict[str, object]:
    """An object that has these fields, and in later versions may have more."""
    return {"type": "object", "required": list(properties), "properties": properties}


FILES = {
    "docs/causes.md": causes,
    "docs/commands.md": commands,
    SCHEMA: schema,
    "deploy/rbac-read.yaml": rbac.read,
    "deploy/rbac-patch.yaml": rbac.patch,
}


def main(arguments: list[str]) -> int:
    stale = [path for path, make in FILES.items() if not (ROOT / path).exists() or (ROOT / path).read_text() != make()]
    if "--check" in arguments:
        for path in stale:
            print(f"{path} is not what the program makes of it: run `python3 dev.py generate`", file=sys.stderr)
        return int(bool(stale))
    for path in stale:
        (ROOT / path).parent.mkdir(exist_ok=True)
        (ROOT / path).write_text(FILES[path]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
