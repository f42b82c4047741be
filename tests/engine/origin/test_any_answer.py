"""Whatever a server answers: words and YAML come out, no exception, and nothing of it reaches a terminal raw."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from engine.origin.played import APPEND, SPOT, Json, agent
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.origin import origin_of
from dscov.sources.access.transport import Response
from kubectl_dscov.render.origin import lines

OWNERS: list[Json] = [
    {"labels": {"helm.toolkit.fluxcd.io/name": "a", "helm.toolkit.fluxcd.io/namespace": "b"}},
    {"labels": {"kustomize.toolkit.fluxcd.io/name": "a", "kustomize.toolkit.fluxcd.io/namespace": "b"}},
    {"labels": {"argocd.argoproj.io/instance": "a"}},
    {"managedFields": [{"manager": "argocd-controller"}]},
    {"ownerReferences": [{"apiVersion": "a.example.com/v1", "kind": "A", "name": "a", "controller": True}]},
]
_KEYS = (
    "metadata spec status items resources components schemas properties additionalProperties name namespace kind "
    "namespaced path chart helm values valuesObject valueFiles parameters source sources sourceRef repoURL url ref "
    "tolerations nodeSelector key operator effect type allOf $ref labels annotations ownerReferences controller "
    "apiVersion group version x-kubernetes-group-version-kind valuesFrom postRenderers driftDetection syncPolicy "
    "automated ignoreDifferences jsonPointers a A"
)
KEYS = _KEYS.split()
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 9)
    | st.sampled_from([*KEYS, "array", "object", "A", "a", "v1", "\x1b[2J"])
)
ANSWERS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
)


class Same:
    """A server with one answer to everything, laid over what leads further into each kind of owner."""

    def __init__(self, answer: Any, status: int) -> None:
        self.answer, self.status, self.asked = answer, status, 0

    def get(self, path: str, **_: Any) -> Response:
        self.asked += 1
        answer = self.answer
        if path == "/apis/a.example.com/v1":
            answer = {"resources": [{"name": "as", "kind": "A", "namespaced": True}]}
        elif "applications" in path and isinstance(answer, dict):
            answer = {"items": [answer], **answer}
        elif path.startswith("/openapi") and isinstance(answer, dict):
            kind = {"group": "a.example.com", "version": "v1", "kind": "A"}
            schema = {"properties": {"spec": answer}, "x-kubernetes-group-version-kind": [kind]}
            answer = {"components": {"schemas": {"A": schema, "a": answer}}}
        return Response(self.status, {}, json.dumps(answer).encode())


@pytest.mark.parametrize("metadata", OWNERS, ids=str)
@settings(derandomize=True, max_examples=150, deadline=None)
@given(answer=ANSWERS, status=st.sampled_from([200, 200, 200, 403, 404, 500]))
def test_any_answer(metadata: Json, answer: Any, status: int) -> None:
    server = Same(answer, status)
    origin = origin_of(server, agent(dict(metadata), tolerations=[SPOT]), APPEND)  # type: ignore[arg-type]
    assert server.asked
    assert origin.place
    assert all(line.isprintable() for line in lines(origin, colour=False))
    assert isinstance(yaml.safe_load(origin.text), dict | type(None))
