"""The commands that a remedy offers, for people to copy into a shell."""

from __future__ import annotations

import re

import msgspec

from dscov.model.findings import Finding, Remedy

_OWNED = re.compile(r"kubectl label node .*kubernetes\.io/(os|arch|hostname)\b")
_HARMLESS = re.compile(r"[\w./:=,@+-]*", re.ASCII)


def safe(remedy: Remedy, finding: Finding) -> Remedy:
    """Without commands in which a name or value stands that a shell would act on (no API server stores such a name),
    and without those that set a label which the kubelet writes anew.
    """
    words = [word for word in (*finding.nodes, *(value for _, value in finding.facts)) if not _HARMLESS.fullmatch(word)]
    odd = [action for action in remedy.actions if _OWNED.search(action) or any(word in action for word in words)]
    if not odd:
        return remedy
    return msgspec.structs.replace(remedy, actions=tuple(action for action in remedy.actions if action not in odd))
