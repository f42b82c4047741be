"""on-delete-outdated: pods of an older template that nobody replaces."""

from typing import Any

import pytest
from engine.build import ON_DELETE, around, daemonset, findings, pod, revision, said, terminating, verdict

SLUG = "on-delete-outdated"
DS = daemonset(strategy=ON_DELETE)
ROLLING = daemonset()


def test_speaks() -> None:
    objects = around(DS, revision(DS, 1), pod(DS, "n1", revision="h1"))
    (finding,) = findings(SLUG, *objects)
    assert said(SLUG, *objects) == ["updateStrategy is OnDelete: 1 of 2 pods are of the current template"]
    assert (finding.severity, finding.nodes) == ("info", ("n1",))
    assert finding.remedy is not None
    assert (finding.remedy.kind, finding.remedy.actions) == ("no-patch", ("kubectl -n system delete pod agent-n1",))
    assert verdict("n1", *objects).gap is False


@pytest.mark.parametrize(
    "objects",
    [
        around(DS, pod(DS, "n1")),
        around(ROLLING, pod(ROLLING, "n1", revision="h1")),
        around(DS, terminating(pod(DS, "n1", revision="h1"))),
        [obj for obj in around(DS, pod(DS, "n1", revision="h1")) if obj["kind"] != "ControllerRevision"],
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects) == []
