"""selector-overlap: DaemonSets whose selectors match each other's pods."""

from typing import Any

import pytest
from engine.build import around, daemonset, findings, pod, said

SLUG = "selector-overlap"
FIRST, SECOND = (daemonset(name, selector={"app": "same"}) for name in ("first", "second"))


def test_it_does_no_harm_where_pods_have_owners() -> None:
    objects = around(FIRST, SECOND, pod(FIRST, "n1"), pod(SECOND, "n1"))
    assert [finding.severity for finding in findings(SLUG, *objects)] == ["info", "info"]
    assert said(SLUG, *objects)[0] == (
        "its selector overlaps with that of second, which does no harm: pods go by their owner"
    )


def test_a_pod_without_an_owner_may_go_either_way() -> None:
    orphan = pod(FIRST, "n1", metadata={"ownerReferences": []})
    (first, _) = findings(SLUG, *around(FIRST, SECOND, orphan))
    assert first.severity == "warning"


def test_one_side_is_enough() -> None:
    wide = daemonset("wide", selector={"app": "x"})
    narrow = daemonset("narrow", selector={"app": "x", "tier": "y"})
    assert len(said(SLUG, *around(wide, narrow))) == 2


@pytest.mark.parametrize(
    "objects",
    [
        around(FIRST),
        around(FIRST, daemonset("other")),
        around(FIRST, daemonset("second", namespace="elsewhere", selector={"app": "same"})),
    ],
)
def test_silent(objects: list[dict[str, Any]]) -> None:
    assert said(SLUG, *objects) == []
