"""waiting-min-ready-seconds: ready pods that do not count as available yet."""

from typing import Any

import pytest
from engine.build import ago, around, crashing, daemonset, findings, pod, said, verdict

SLUG = "waiting-min-ready-seconds"
DS = daemonset(min_ready=600)
PLAIN = daemonset()


def test_speaks() -> None:
    objects = around(DS, pod(DS, "n1", ready_since=ago(5)))
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("info", ("n1",))
    found = verdict("n1", *objects)
    assert (found.state, found.gap, found.causes) == ("starting", False, (SLUG,))


@pytest.mark.parametrize(
    ("ds", "made"),
    [
        (DS, pod(DS, "n1", ready_since=ago(15))),
        (DS, pod(DS, "n1", crashing())),
        (PLAIN, pod(PLAIN, "n1", ready_since=ago(0))),
    ],
)
def test_silent(ds: dict[str, Any], made: dict[str, Any]) -> None:
    assert said(SLUG, *around(ds, made)) == []
