"""What every answer to bad input has to hold, whatever the input."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from conformance.command import Result

ALLOWED = {0, 1, 2, 3}
#: Everything that could steer a terminal or reorder a line; a newline is the only control character that stays.
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def faults(result: Result, name: str, output: str) -> list[str]:
    """What is wrong with an answer about the file `name`, printed in the form `output`."""
    found = []
    if result.code not in ALLOWED:
        found.append(f"exit {result.code}")
    if "Traceback" in result.stderr + result.stdout:
        found.append("a traceback")
    if output == "json":
        found += faults_of_json(result)
    if output not in {"json", "yaml"}:
        found += raw_characters("stdout", result.stdout)
    found += raw_characters("stderr", result.stderr)
    if result.code in {2, 3} and not says_what_it_could_not_see(result, name, output):
        found.append(f"exit {result.code} without a word about {name}: {result.stderr[:200]!r}")
    return found


def faults_of_json(result: Result) -> list[str]:
    """Standard output is empty (exit 2 or 3) or one strict JSON object."""
    if not result.stdout.strip():
        return [] if result.code in {2, 3} else [f"exit {result.code} with no report"]
    try:
        report: Any = json.loads(result.stdout, parse_constant=no_constant)
    except ValueError as problem:
        return [f"no valid JSON: {problem}"]
    return [] if report.get("kind") == "CoverageReport" else ["no report"]


def no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def raw_characters(stream: str, text: str) -> list[str]:
    """Control characters, and lines that the input began."""
    found = [f"{stream} has a raw {match[0]!r}" for match in [RAW.search(text)] if match]
    return found + [f"{stream} has an injected line" for _ in re.findall(r"(?m)^INJECTED", text)[:1]]


def says_what_it_could_not_see(result: Result, name: str, output: str) -> bool:
    """The message names the file, or the report says what it lacks."""
    if name in result.stderr:
        return True
    if output == "json" and result.stdout.strip():
        return bool(json.loads(result.stdout)["metadata"]["notSeen"])
    return output != "json" and bool(result.stdout.strip())
