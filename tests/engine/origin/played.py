"""A server that is played: paths with their answers; every other path is not there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from engine.build import daemonset, snapshot

from dscov.errors import DscovError
from dscov.model.cluster import DaemonSet
from dscov.origin import Origin, origin_of
from dscov.sources.access.transport import Response

Json = dict[str, Any]
GPU = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Exists", "effect": "NoSchedule"}
LIST = "/spec/template/spec/tolerations"
ADD = [{"op": "add", "path": LIST, "value": [GPU]}]
APPEND = [{"op": "add", "path": f"{LIST}/-", "value": GPU}]
FORBIDDEN = Response(403, {}, b'{"message": "User \\"x\\" cannot get it"}')


class Played:
    """Answers of a server by path; an exception is raised, a Response given as it is, all else is an object."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.queries: list[Mapping[str, str]] = []

    def get(self, path: str, *, query: Any = (), **_: Any) -> Response:
        self.asked.append(path)
        self.queries.append(dict(query))
        found = self.answers.get(path, Response(404, {}, b'{"message": "not found"}'))
        if isinstance(found, DscovError):
            raise found
        return found if isinstance(found, Response) else Response(200, {}, json.dumps(found).encode())


def agent(metadata: Json, **spec: Any) -> DaemonSet:
    """The DaemonSet system/agent with these marks and fields of its pod."""
    name = metadata.pop("name", "agent")
    return snapshot(daemonset(name, metadata=metadata, spec=spec)).daemonsets[0]


def looked(
    metadata: Json, answers: Mapping[str, Any] | None = None, *, patch: Sequence[Json] = APPEND, **spec: Any
) -> Origin:
    """The origin of a DaemonSet that tolerates spot nodes, when it is to tolerate gpu nodes as well."""
    spec = spec or {"tolerations": [SPOT]}
    return origin_of(Played(answers or {}), agent(metadata, **spec), patch)  # type: ignore[arg-type]


def data(origin: Origin) -> Any:
    """The YAML of an origin as a reader of another make has it."""
    return yaml.safe_load(origin.text)


def notes(origin: Origin) -> str:
    return "\n".join(origin.notes)
