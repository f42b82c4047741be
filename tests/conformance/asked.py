"""What is asked of the answers by now. Each part is written; a later piece of work turns its own on here."""

from __future__ import annotations

import pytest

#: The points of the saved cases that must hold: all of them.
POINTS = ("placement", "state", "gaps", "unwanted", "problems", "remedy-kind")

#: Whether a pod that is not created, not bound or not well gets a cause.
CAUSES_OF_PODS = True

#: Whether the scheduler's messages are read.
SCHEDULING_CAUSES = True

#: Whether rollouts that stand still are found.
ROLLOUT_FINDINGS = True


def point(name: str) -> pytest.MarkDecorator:
    """Skip unless the point is asked for."""
    return pytest.mark.skipif(name not in POINTS, reason=f"the point {name} is not asked for yet")
