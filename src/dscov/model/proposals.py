"""The frozen nouns of a cure: the ways to patch one DaemonSet, what each does, and what no patch is right for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.findings import Effect, Remedy


class Option(msgspec.Struct, frozen=True):
    """One way to close everything that is planned for.

    `patch` is RFC 6902 on the live DaemonSet, without guards. `notes` are sentences for the person who decides: which
    unseen taints a broader form would admit, why this daemon may tolerate a startup taint, and the like.
    """

    summary: str
    patch: tuple[Mapping[str, Any], ...]
    effect: Effect = Effect()
    notes: tuple[str, ...] = ()


class Left(msgspec.Struct, frozen=True):
    """A finding that no patch of this DaemonSet cures: the nodes it leaves as they are, and what is right instead."""

    cause: str
    nodes: tuple[str, ...]
    remedy: Remedy


class Proposal(msgspec.Struct, frozen=True):
    """What is proposed for one DaemonSet.

    `targets` are the nodes that every option lets a daemon on to (or, where it is unwanted, keeps one off); `options`
    are ranked, the best first, and empty where no patch is right. `least` says that no smaller plan exists, proven by
    looking at every smaller one; else `bound` is the least cost that one could have and `cost` the first option's.
    """

    daemonset: DaemonSet
    targets: tuple[str, ...]
    options: tuple[Option, ...]
    least: bool = True
    cost: int = 0
    bound: int = 0
    left: tuple[Left, ...] = ()
