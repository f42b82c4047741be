"""The commands that a report offers: the one that makes a patch in the user's own file, and the one that looks closer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from dscov import DaemonSet, Remedy, Source

_TOLERATIONS = "/spec/template/spec/tolerations"
_SELECTOR = "/spec/template/spec/nodeSelector"
#: Fields of one value, with the flag that sets them.
_SETTING = {
    "/spec/template/spec/priorityClassName": "--set-priority-class",
    "/spec/updateStrategy/rollingUpdate/maxUnavailable": "--set-max-unavailable",
    "/spec/updateStrategy/rollingUpdate/maxSurge": "--set-max-surge",
}


def fixing(remedy: Remedy) -> str:
    """`kubectl dscov fix ...` for a patch of what fix edits by itself; empty for other patches."""
    flags = list(_flags(remedy))
    if not flags or len(flags) != len(remedy.patch):
        return ""
    namespace, _, name = remedy.target.partition("/")
    return shlex.join(["kubectl", "dscov", "fix", f"daemonset/{name}", "-n", namespace, "-f", "FILE", *chain(*flags)])


def _flags(remedy: Remedy) -> Iterator[list[str]]:
    for operation in remedy.patch:
        path, value = str(operation["path"]), operation.get("value")
        if operation["op"] == "add" and path in {_TOLERATIONS, f"{_TOLERATIONS}/-"}:
            added: list[Any] = value if isinstance(value, list) else [value]
            yield [word for one in added for word in ("--add-toleration", _spelt(one))]
        elif operation["op"] in {"add", "replace"} and path in _SETTING:
            yield [_SETTING[path], str(value)]
        elif operation["op"] in {"add", "replace"} and path.startswith(f"{_SELECTOR}/"):
            key = path[len(_SELECTOR) + 1 :].replace("~1", "/").replace("~0", "~")
            yield ["--set-selector", f"{key}={value}"]
        elif operation["op"] == "add" and path == _SELECTOR and isinstance(value, Mapping):
            yield [word for key, text in value.items() for word in ("--set-selector", f"{key}={text}")]


def _spelt(toleration: Mapping[str, Any]) -> str:
    value = f"={toleration['value']}" if toleration.get("value") else ""
    effect = f":{toleration['effect']}" if toleration.get("effect") else ""
    return f"{toleration.get('key', '')}{value}{effect}"


def explaining(daemonset: DaemonSet, node: str, source: Source) -> str:
    """`kubectl dscov explain ...` for one pair, on the files that were read where it was no cluster."""
    words = ["kubectl", "dscov", "explain", f"daemonset/{daemonset.name}", f"node/{node}", "-n", daemonset.namespace]
    return shlex.join(words + (["--from", source.path] if source.path else []))
