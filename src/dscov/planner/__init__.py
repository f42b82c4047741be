"""The least change of a DaemonSet's spec that closes its gaps and keeps it off where it does not belong."""

from __future__ import annotations

from dscov.planner.propose import propose

__all__ = ["propose"]
