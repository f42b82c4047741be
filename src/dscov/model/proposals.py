"""The frozen nouns of a cure: the ways to patch one DaemonSet, what each does, and what no patch is right for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.findings import Effect, Remedy


class Squeeze(msgspec.Struct, frozen=True):
    """A node on which the new pod would not simply fit.

    `short` says in words what is lacking; `evicts` names the owners whose pods the scheduler may take away to make
    room, empty where nothing of lower priority would make enough.
    """

    node: str
    short: tuple[str, ...]
    evicts: tuple[str, ...] = ()


class Outlook(msgspec.Struct, frozen=True):
    """What comes with a patch beside the nodes gained and lost.

    `restarts` pods are replaced by the patch itself; `waiting` are of an old revision already, and a changed update
    strategy lets their rollout go on. At most `at_once` at a time (0: the strategy is OnDelete, or nothing restarts);
    `on_delete` says that pods stay as they are until somebody deletes them. `squeezed` are gained nodes without room;
    `room_seen` says whether the pods on the gained nodes were all read, so that nothing in `squeezed` means room.
    `managers` are the field managers that lose a field which the patch writes, with the field, and whether they hold it
    by server-side apply. `owner` is a kind of
    model.owners, `fate` what becomes of a live edit, `source` where a change lasts, `reverts` whether it is undone
    without anyone's doing.
    """

    restarts: int = 0
    waiting: int = 0
    at_once: int = 0
    on_delete: bool = False
    squeezed: tuple[Squeeze, ...] = ()
    room_seen: bool = False
    managers: tuple[tuple[str, str, bool], ...] = ()
    owner: str = "none"
    owner_name: str = ""
    fate: str = ""
    source: str = ""
    reverts: bool = False


class Option(msgspec.Struct, frozen=True):
    """One way to close everything that is planned for.

    `patch` is RFC 6902 on the live DaemonSet, without guards. `notes` are sentences for the person who decides: which
    unseen taints a broader form would admit, why this daemon may tolerate a startup taint, and the like. `cost` is
    that of the changes of placement: edits, breadth, nodes gained and lost that are no targets (see dscov.planner).
    """

    summary: str
    patch: tuple[Mapping[str, Any], ...]
    effect: Effect = Effect()
    notes: tuple[str, ...] = ()
    cost: tuple[int, int, int] = (0, 0, 0)
    outlook: Outlook = Outlook()


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
