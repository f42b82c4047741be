"""An accepted exclusion written into a policy file; all other bytes of the file stay as they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from dscov.errors import BadInput
from dscov.model.edits import TextEdit
from dscov.patches.manifest import Surgeon, check_keys
from dscov.patches.source import Source
from dscov.policy import API_VERSION, KIND, parse_policy
from dscov.yamltext.document import read
from dscov.yamltext.meaning import END, Add, resolved

_HEAD = f"apiVersion: {API_VERSION}\nkind: {KIND}\n"


def accept_exclusions(
    path: str, daemonset: str, exclusions: Sequence[Mapping[str, Any]], *, causes: Collection[str]
) -> TextEdit:
    """The edit that lets the policy file `path` accept `exclusions` (fields as in the file) of a DaemonSet.

    `daemonset` is a name, or namespace/name. The file is made where it is not there; what it accepts already is not
    written again. Raises BadInput where the file, or what would be written, is no policy, Refused where an edit is unsafe.
    """
    raw = Path(path).read_bytes() if Path(path).exists() else None
    source = Source(path, raw or b"")
    parse_policy(source.text, path=path, causes=causes)
    surgeon = Surgeon(_with_head(source.text, path), path)
    for exclusion in exclusions:
        root = read(surgeon.text, path=path).roots[0]
        check_keys(read(surgeon.text, path=path), root, path)
        operation = _operation(resolved(root), daemonset, dict(exclusion))
        surgeon.perform(0, [operation] if operation else [])
    text = surgeon.proved()
    try:
        parse_policy(text, path=path, causes=causes)
    except BadInput as problem:
        raise BadInput(f"what would be written is no policy: {problem.problem}", path=path) from problem
    done = source.encoded(text) if text != _with_head(source.text, path) else raw
    return TextEdit(path, raw, done or b"")


def _with_head(text: str, path: str) -> str:
    """The text, with the first fields of a policy where it holds nothing but comments."""
    if any(not root.is_null for root in read(text, path=path).roots):
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    body = text if not text or text.endswith("\n") else text + newline
    return body + _HEAD.replace("\n", newline)


def _operation(policy: Mapping[str, Any], daemonset: str, exclusion: Mapping[str, Any]) -> Add | None:
    """What is to be added: the exclusion to the rule of exactly this name, else a new rule; None where it is there."""
    rules = policy.get("daemonsets") or []
    for place, rule in enumerate(rules):
        if rule.get("name") == daemonset and "selector" not in rule:
            if exclusion in (rule.get("accept") or []):
                return None
            return Add(("daemonsets", place, "accept", END), dict(exclusion))
    return Add(("daemonsets", END), {"name": daemonset, "accept": [dict(exclusion)]})
